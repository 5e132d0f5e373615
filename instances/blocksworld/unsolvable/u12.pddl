; Blocksworld: 7 blocks, 2 towers at first.
(define (problem blocksworld-u12)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g)

  (:init
    (handempty)
    (ontable d) (on g d) (clear g)
    (ontable b) (on f b) (on e f) (on a e) (on c a) (clear c))

  (:goal (and
    (on a f)
    (on d e)
    (on f g)
    (on g b)
    (on g c))))
