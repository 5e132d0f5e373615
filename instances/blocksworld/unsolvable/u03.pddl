; Blocksworld: 4 blocks, 1 tower at first.
(define (problem blocksworld-u03)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable b) (on a b) (on c a) (on d c) (clear d))

  (:goal (and
    (on a d)
    (on c b)
    (on d a))))
