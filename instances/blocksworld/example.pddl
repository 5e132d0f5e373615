; Blocksworld: 4 blocks, 2 towers at first.
(define (problem blocksworld-example)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable a) (clear a)
    (ontable b) (on d b) (on c d) (clear c))

  (:goal (and
    (on c d)
    (on d a))))
