; Blocksworld: 6 blocks, 4 towers at first.
(define (problem blocksworld-u09)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable d) (clear d)
    (ontable b) (on c b) (clear c)
    (ontable e) (on a e) (clear a)
    (ontable f) (clear f))

  (:goal (and
    (on a c)
    (on b e)
    (on c f)
    (on d f)
    (on e d))))
