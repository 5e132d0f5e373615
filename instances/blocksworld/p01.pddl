; Blocksworld: 3 blocks, 1 tower at first.
(define (problem blocksworld-p01)
  (:domain blocksworld-4ops)

  (:objects
    a b c)

  (:init
    (handempty)
    (ontable a) (on b a) (on c b) (clear c))

  (:goal (and
    (on b c))))
