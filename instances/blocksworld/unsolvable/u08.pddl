; Blocksworld: 5 blocks, 2 towers at first.
(define (problem blocksworld-u08)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e)

  (:init
    (handempty)
    (ontable e) (on a e) (on d a) (clear d)
    (ontable c) (on b c) (clear b))

  (:goal (and
    (on a b)
    (on b c)
    (on c a))))
