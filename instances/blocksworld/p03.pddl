; Blocksworld: 4 blocks.
(define (problem blocksworld-p03)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable a) (on b a) (on d b) (on c d) (clear c))

  (:goal (and
    (on d a)
    (on c d))))
