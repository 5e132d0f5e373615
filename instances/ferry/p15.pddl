; Ferry: 4 locations, 6 cars, 5 of which must move.
(define (problem ferry-p15)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 - location
    c0 c1 c2 c3 c4 c5 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l0) (at c1 l2) (at c2 l2) (at c3 l3) (at c4 l1) (at c5 l2))

  (:goal (and
    (at c0 l1)
    (at c1 l3)
    (at c2 l0)
    (at c3 l2)
    (at c4 l0))))
