; Ferry: 5 locations, 6 cars, 5 of which must move.
(define (problem ferry-p18)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 l4 - location
    c0 c1 c2 c3 c4 c5 - car)

  (:init
    (at-ferry l0) (empty-ferry)
    (at c0 l2) (at c1 l2) (at c2 l4) (at c3 l0) (at c4 l0) (at c5 l3))

  (:goal (and
    (at c0 l4)
    (at c2 l1)
    (at c3 l4)
    (at c4 l1)
    (at c5 l4))))
