; Blocksworld: 9 blocks, 3 towers at first.
(define (problem blocksworld-u18)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable i) (on e i) (on b e) (on a b) (on c a) (clear c)
    (ontable g) (clear g)
    (ontable d) (on h d) (on f h) (clear f))

  (:goal (and
    (on f d)
    (on g d))))
