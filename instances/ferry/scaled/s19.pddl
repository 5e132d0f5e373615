; Ferry: 3 locations, 15 cars, 13 of which must move.
(define (problem ferry-s19)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l0) (at c1 l1) (at c2 l0) (at c3 l0) (at c4 l2) (at c5 l1) (at c6 l2) (at c7 l0)
    (at c8 l0) (at c9 l0) (at c10 l0) (at c11 l1) (at c12 l1) (at c13 l2) (at c14 l1))

  (:goal (and
    (at c0 l2)
    (at c1 l0)
    (at c2 l2)
    (at c3 l1)
    (at c4 l0)
    (at c5 l2)
    (at c6 l1)
    (at c7 l1)
    (at c8 l2)
    (at c9 l0)
    (at c10 l2)
    (at c11 l2)
    (at c12 l2)
    (at c13 l2)
    (at c14 l0))))
