; Blocksworld: 6 blocks, 5 towers at first.
(define (problem blocksworld-p07)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable f) (clear f)
    (ontable e) (clear e)
    (ontable c) (on d c) (clear d)
    (ontable b) (clear b)
    (ontable a) (clear a))

  (:goal (and
    (on b c)
    (on d b)
    (on f e))))
