; Ferry: 3 locations, 15 cars, 14 of which must move.
(define (problem ferry-s17)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 - car)

  (:init
    (at-ferry l2) (empty-ferry)
    (at c0 l1) (at c1 l0) (at c2 l2) (at c3 l1) (at c4 l1) (at c5 l0) (at c6 l0) (at c7 l2)
    (at c8 l0) (at c9 l1) (at c10 l2) (at c11 l0) (at c12 l0) (at c13 l1) (at c14 l1))

  (:goal (and
    (at c0 l0)
    (at c1 l1)
    (at c2 l0)
    (at c3 l2)
    (at c4 l2)
    (at c5 l2)
    (at c6 l1)
    (at c7 l2)
    (at c8 l1)
    (at c9 l0)
    (at c10 l1)
    (at c11 l2)
    (at c12 l2)
    (at c13 l0)
    (at c14 l2))))
