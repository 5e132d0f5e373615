; Blocksworld: 5 blocks, 1 tower at first.
(define (problem blocksworld-u06)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable d) (on c d) (on e c) (on b e) (on a b) (clear a))

  (:goal (and
    (on b c)
    (on c b)
    (on d e))))
