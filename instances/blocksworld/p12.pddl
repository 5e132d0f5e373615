; Blocksworld: 8 blocks, 3 towers at first.
(define (problem blocksworld-p12)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable c) (clear c)
    (ontable a) (on f a) (on h f) (on g h) (clear g)
    (ontable b) (on e b) (on d e) (clear d))

  (:goal (and
    (on c b)
    (on d f)
    (on h a))))
