; Ferry: 3 locations, 11 cars, 9 of which must move.
(define (problem ferry-s03)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l0) (at c1 l1) (at c2 l0) (at c3 l2) (at c4 l2) (at c5 l1) (at c6 l2) (at c7 l0)
    (at c8 l2) (at c9 l2) (at c10 l1))

  (:goal (and
    (at c0 l1)
    (at c1 l2)
    (at c3 l2)
    (at c4 l1)
    (at c5 l0)
    (at c6 l0)
    (at c7 l1)
    (at c8 l1)
    (at c9 l1)
    (at c10 l2))))
