; Ferry: 3 locations, 5 cars, 2 of which must move.
(define (problem ferry-p05)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l2) (at c1 l1) (at c2 l1) (at c3 l2) (at c4 l1))

  (:goal (and
    (at c0 l2)
    (at c1 l0)
    (at c2 l0)
    (at c3 l2))))
