; Blocksworld: 3 blocks, 2 towers at first.
(define (problem blocksworld-u02)
  (:domain blocksworld-4ops)

  (:objects
    a b c)

  (:init
    (handempty)
    (ontable a) (on c a) (clear c)
    (ontable b) (clear b))

  (:goal (and
    (on a b)
    (on b a))))
