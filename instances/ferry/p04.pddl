; Ferry: 5 locations, 2 cars, all of which must move.
(define (problem ferry-p04)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 l4 - location
    c0 c1 - car)

  (:init
    (at-ferry l4) (empty-ferry)
    (at c0 l4) (at c1 l3))

  (:goal (and
    (at c0 l3)
    (at c1 l4))))
