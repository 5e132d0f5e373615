; Blocksworld: 5 blocks, 3 towers at first.
(define (problem blocksworld-p04)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable e) (clear e)
    (ontable d) (on b d) (clear b)
    (ontable c) (on a c) (clear a))

  (:goal (and
    (on d c))))
