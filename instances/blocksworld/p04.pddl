; Blocksworld: 6 blocks.
(define (problem blocksworld-p04)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable e) (on f e) (on d f) (on b d) (clear b)
    (ontable c) (on a c) (clear a))

  (:goal (and
    (on c d)
    (on f a)
    (on e f))))
