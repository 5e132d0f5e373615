; Blocksworld: 6 blocks.
(define (problem blocksworld-p06)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable d) (on c d) (on a c) (on b a) (on e b) (clear e)
    (ontable f) (clear f))

  (:goal (and
    (on f b)
    (on e f)
    (on d c)
    (on a d))))
