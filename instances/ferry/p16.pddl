; Ferry: 5 locations, 6 cars, 5 of which must move.
(define (problem ferry-p16)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 l4 - location
    c0 c1 c2 c3 c4 c5 - car)

  (:init
    (at-ferry l3) (empty-ferry)
    (at c0 l4) (at c1 l0) (at c2 l1) (at c3 l0) (at c4 l1) (at c5 l4))

  (:goal (and
    (at c0 l4)
    (at c1 l4)
    (at c2 l0)
    (at c3 l1)
    (at c4 l4)
    (at c5 l3))))
