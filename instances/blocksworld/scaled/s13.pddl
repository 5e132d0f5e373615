; Blocksworld: 11 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s13)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k)

  (:init
    (handempty)
    (ontable e) (clear e)
    (ontable d) (on b d) (clear b)
    (ontable j) (on a j) (on h a) (on k h) (on f k) (on c f) (on i c) (on g i) (clear g))

  (:goal (and
    (on c g)
    (on d j)
    (on e h)
    (on f c)
    (on g b)
    (on h k)
    (on j a)
    (on k d))))
