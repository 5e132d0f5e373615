; Blocksworld: 12 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s18)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k l)

  (:init
    (handempty)
    (ontable a) (on i a) (clear i)
    (ontable e) (on b e) (on g b) (on h g) (on k h) (on c k) (on j c) (on d j) (on f d) (on l f)
    (clear l))

  (:goal (and
    (on a d)
    (on b a)
    (on e i)
    (on f l)
    (on g j)
    (on i g)
    (on j c)
    (on k f)
    (on l h))))
