; Blocksworld: 6 blocks, 2 towers at first.
(define (problem blocksworld-u10)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable f) (on a f) (clear a)
    (ontable e) (on c e) (on b c) (on d b) (clear d))

  (:goal (and
    (on e b)
    (on e f))))
