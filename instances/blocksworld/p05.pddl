; Blocksworld: 3 blocks, 1 tower at first.
(define (problem blocksworld-p05)
  (:domain blocksworld-4ops)

  (:objects
    a b c)

  (:init
    (handempty)
    (ontable b) (on c b) (on a c) (clear a))

  (:goal (and
    (on b a)
    (on c b))))
