; Blocksworld: 8 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s04)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable e) (on a e) (on c a) (clear c)
    (ontable g) (on h g) (on d h) (on b d) (on f b) (clear f))

  (:goal (and
    (on a g)
    (on c a)
    (on e f)
    (on g h))))
