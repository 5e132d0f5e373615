; Blocksworld: 8 blocks, 2 towers at first.
(define (problem blocksworld-p15)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable b) (on c b) (clear c)
    (ontable d) (on g d) (on a g) (on h a) (on e h) (on f e) (clear f))

  (:goal (and
    (on a b)
    (on b g)
    (on e a))))
