; Blocksworld: 10 blocks, 1 tower at first, all must move.
(define (problem blocksworld-s11)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j)

  (:init
    (handempty)
    (ontable c) (on e c) (on h e) (on i h) (on j i) (on g j) (on a g) (on f a) (on d f) (on b d)
    (clear b))

  (:goal (and
    (on a j)
    (on c h)
    (on e b)
    (on f i)
    (on j g))))
