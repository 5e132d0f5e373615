; Blocksworld: 5 blocks, 3 towers at first.
(define (problem blocksworld-u07)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable d) (clear d)
    (ontable c) (on a c) (on b a) (clear b)
    (ontable e) (clear e))

  (:goal (and
    (on b c)
    (on c a)
    (on c e)
    (on d b))))
