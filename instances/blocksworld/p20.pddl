; Blocksworld: 9 blocks, 3 towers at first.
(define (problem blocksworld-p20)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable h) (clear h)
    (ontable a) (on e a) (on i e) (on d i) (on b d) (clear b)
    (ontable c) (on g c) (on f g) (clear f))

  (:goal (and
    (on b f)
    (on c i)
    (on e h)
    (on f c)
    (on g d)
    (on i e))))
