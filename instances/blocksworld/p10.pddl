; Blocksworld: 5 blocks, 2 towers at first.
(define (problem blocksworld-p10)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable d) (on b d) (on e b) (clear e)
    (ontable c) (on a c) (clear a))

  (:goal (and
    (on a d)
    (on c a)
    (on d e)
    (on e b))))
