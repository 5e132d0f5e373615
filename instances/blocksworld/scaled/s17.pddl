; Blocksworld: 12 blocks, 4 towers at first, all must move.
(define (problem blocksworld-s17)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k l)

  (:init
    (handempty)
    (ontable d) (on l d) (clear l)
    (ontable k) (clear k)
    (ontable a) (on f a) (on c f) (on j c) (on e j) (clear e)
    (ontable h) (on i h) (on g i) (on b g) (clear b))

  (:goal (and
    (on a d)
    (on b h)
    (on d b)
    (on e a)
    (on h g)
    (on i j)
    (on j f)
    (on k e)
    (on l c))))
