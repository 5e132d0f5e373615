; Blocksworld: 7 blocks, 3 towers at first.
(define (problem blocksworld-p18)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g)

  (:init
    (handempty)
    (ontable e) (clear e)
    (ontable g) (on c g) (on b c) (clear b)
    (ontable f) (on a f) (on d a) (clear d))

  (:goal (and
    (on a c)
    (on c f)
    (on d a)
    (on e g)
    (on f e))))
