; Blocksworld: 4 blocks, 2 towers at first.
(define (problem blocksworld-u04)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable c) (on b c) (clear b)
    (ontable d) (on a d) (clear a))

  (:goal (and
    (on a b)
    (on d b))))
