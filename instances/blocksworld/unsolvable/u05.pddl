; Blocksworld: 4 blocks, 2 towers at first.
(define (problem blocksworld-u05)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable b) (clear b)
    (ontable a) (on c a) (on d c) (clear d))

  (:goal (and
    (on a d)
    (on b d)
    (on c b))))
