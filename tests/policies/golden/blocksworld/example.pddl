; Blocksworld: 5 blocks.
(define (problem blocksworld-example)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable c) (clear c)
    (ontable d) (on a d) (clear a)
    (ontable b) (clear b)
    (ontable e) (clear e))

  (:goal (and
    (on b d)
    (on a c)
    (on c e))))
