; Blocksworld: 10 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s10)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j)

  (:init
    (handempty)
    (ontable g) (on h g) (on f h) (clear f)
    (ontable b) (on c b) (on d c) (on e d) (on a e) (on j a) (clear j)
    (ontable i) (clear i))

  (:goal (and
    (on b e)
    (on c a)
    (on d f)
    (on e j)
    (on f i)
    (on g b)
    (on h d)
    (on i c)
    (on j h))))
