; Blocksworld: 3 blocks.
(define (problem blocksworld-p02)
  (:domain blocksworld-4ops)

  (:objects
    a b c)

  (:init
    (handempty)
    (ontable b) (on a b) (on c a) (clear c))

  (:goal (and
    (on b c)
    (on a b))))
