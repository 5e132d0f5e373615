; Blocksworld: 3 blocks.
(define (problem blocksworld-p01)
  (:domain blocksworld-4ops)

  (:objects
    a b c)

  (:init
    (handempty)
    (ontable a) (clear a)
    (ontable b) (on c b) (clear c))

  (:goal (and
    (on c a)
    (on b c))))
