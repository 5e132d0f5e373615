; Blocksworld: 8 blocks, 3 towers at first.
(define (problem blocksworld-p11)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable f) (on d f) (clear d)
    (ontable c) (on a c) (clear a)
    (ontable g) (on h g) (on e h) (on b e) (clear b))

  (:goal (and
    (on a f)
    (on b h)
    (on e c)
    (on h a))))
