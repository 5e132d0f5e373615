; Blocksworld: 5 blocks, 2 towers at first.
(define (problem blocksworld-p02)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable c) (clear c)
    (ontable d) (on e d) (on a e) (on b a) (clear b))

  (:goal (and
    (on a b))))
