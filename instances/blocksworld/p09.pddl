; Blocksworld: 7 blocks, 2 towers at first.
(define (problem blocksworld-p09)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g)

  (:init
    (handempty)
    (ontable c) (clear c)
    (ontable a) (on g a) (on b g) (on f b) (on e f) (on d e) (clear d))

  (:goal (and
    (on e d)
    (on f c)
    (on g e))))
