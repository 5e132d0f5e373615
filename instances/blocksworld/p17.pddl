; Blocksworld: 7 blocks, 2 towers at first.
(define (problem blocksworld-p17)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g)

  (:init
    (handempty)
    (ontable d) (on f d) (on b f) (clear b)
    (ontable e) (on g e) (on c g) (on a c) (clear a))

  (:goal (and
    (on a b)
    (on b e)
    (on c f)
    (on d c)
    (on e d))))
