; Blocksworld: 4 blocks, 2 towers at first.
(define (problem blocksworld-p03)
  (:domain blocksworld-4ops)

  (:objects
    a b c d)

  (:init
    (handempty)
    (ontable c) (on d c) (on a d) (clear a)
    (ontable b) (clear b))

  (:goal (and
    (on c d))))
