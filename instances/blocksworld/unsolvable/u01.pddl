; Blocksworld: 3 blocks, 1 tower at first.
(define (problem blocksworld-u01)
  (:domain blocksworld-4ops)

  (:objects
    a b c)

  (:init
    (handempty)
    (ontable a) (on b a) (on c b) (clear c))

  (:goal (and
    (on a c)
    (on b c))))
