; Blocksworld: 5 blocks.
(define (problem blocksworld-p05)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable c) (on a c) (on b a) (on e b) (clear e)
    (ontable d) (clear d))

  (:goal (and
    (on e a)
    (on b e)
    (on c b)
    (on d c))))
