; Blocksworld: 9 blocks, 3 towers at first.
(define (problem blocksworld-u20)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable c) (clear c)
    (ontable h) (on f h) (on g f) (clear g)
    (ontable d) (on a d) (on e a) (on i e) (on b i) (clear b))

  (:goal (and
    (on f g)
    (on i g))))
