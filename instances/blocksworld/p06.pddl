; Blocksworld: 4 blocks, 2 towers at first.
(define (problem blocksworld-p06)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable d) (on a d) (on b a) (clear b)
    (ontable c) (clear c))

  (:goal (and
    (on c a)
    (on d b))))
