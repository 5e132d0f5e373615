; Blocksworld: 6 blocks, 2 towers at first.
(define (problem blocksworld-u11)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable c) (on e c) (clear e)
    (ontable b) (on f b) (on d f) (on a d) (clear a))

  (:goal (and
    (on a c)
    (on b a)
    (on c d)
    (on d f)
    (on e b)
    (on f e))))
