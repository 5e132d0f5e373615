; Ferry: 5 locations, 5 cars, 4 of which must move.
(define (problem ferry-p12)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 l4 - location
    c0 c1 c2 c3 c4 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l4) (at c1 l2) (at c2 l1) (at c3 l0) (at c4 l2))

  (:goal (and
    (at c0 l4)
    (at c1 l0)
    (at c2 l2)
    (at c3 l1)
    (at c4 l4))))
