; Blocksworld: 6 blocks, 1 tower at first.
(define (problem blocksworld-p19)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable d) (on a d) (on c a) (on b c) (on f b) (on e f) (clear e))

  (:goal (and
    (on a c)
    (on c f)
    (on d e)
    (on e b)
    (on f d))))
