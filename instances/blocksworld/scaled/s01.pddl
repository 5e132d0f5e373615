; Blocksworld: 8 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s01)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable a) (on g a) (on h g) (clear h)
    (ontable d) (on b d) (on c b) (on e c) (on f e) (clear f))

  (:goal (and
    (on a e)
    (on b h)
    (on c d)
    (on d g)
    (on g f))))
