; Blocksworld: 8 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s02)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable a) (on h a) (clear h)
    (ontable c) (clear c)
    (ontable d) (on g d) (on f g) (on b f) (on e b) (clear e))

  (:goal (and
    (on a b)
    (on c e)
    (on d g)
    (on e f)
    (on f a)
    (on g c)
    (on h d))))
