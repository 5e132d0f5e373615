; Blocksworld: 12 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s19)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k l)

  (:init
    (handempty)
    (ontable h) (on g h) (on l g) (on j l) (on a j) (on k a) (on b k) (on i b) (clear i)
    (ontable f) (on d f) (on c d) (on e c) (clear e))

  (:goal (and
    (on a h)
    (on b e)
    (on d a)
    (on f c)
    (on g j)
    (on h k)
    (on j i)
    (on k b)
    (on l f))))
