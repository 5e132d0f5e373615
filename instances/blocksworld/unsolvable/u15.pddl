; Blocksworld: 8 blocks, 3 towers at first.
(define (problem blocksworld-u15)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable c) (on d c) (clear d)
    (ontable g) (on b g) (on h b) (on a h) (clear a)
    (ontable e) (on f e) (clear f))

  (:goal (and
    (on a e)
    (on b f)
    (on e g)
    (on f d)
    (on g c)
    (on h a)
    (on h b))))
