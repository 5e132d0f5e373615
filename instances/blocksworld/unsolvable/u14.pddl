; Blocksworld: 7 blocks, 3 towers at first.
(define (problem blocksworld-u14)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g)

  (:init
    (handempty)
    (ontable b) (clear b)
    (ontable g) (on e g) (on f e) (on d f) (on a d) (clear a)
    (ontable c) (clear c))

  (:goal (and
    (on e a)
    (on e c))))
