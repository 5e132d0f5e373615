; Blocksworld: 7 blocks, 2 towers at first.
(define (problem blocksworld-u13)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g)

  (:init
    (handempty)
    (ontable e) (on a e) (on g a) (clear g)
    (ontable b) (on f b) (on c f) (on d c) (clear d))

  (:goal (and
    (on a g)
    (on d a)
    (on e f)
    (on f b)
    (on g d))))
