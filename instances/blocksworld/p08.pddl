; Blocksworld: 6 blocks, 2 towers at first.
(define (problem blocksworld-p08)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f)

  (:init
    (handempty)
    (ontable e) (on f e) (on d f) (clear d)
    (ontable b) (on a b) (on c a) (clear c))

  (:goal (and
    (on a e)
    (on b d)
    (on d c))))
