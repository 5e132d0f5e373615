; Blocksworld: 8 blocks, 4 towers at first.
(define (problem blocksworld-p14)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable b) (on f b) (clear f)
    (ontable d) (on c d) (on e c) (on g e) (clear g)
    (ontable a) (clear a)
    (ontable h) (clear h))

  (:goal (and
    (on a e)
    (on c b)
    (on d c)
    (on g d)
    (on h g))))
