; Ferry: 2 locations, 3 cars, 2 of which must move.
(define (problem ferry-p03)
  (:domain ferry)

  (:objects
    l0 l1 - location
    c0 c1 c2 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l0) (at c1 l1) (at c2 l0))

  (:goal (and
    (at c0 l0)
    (at c1 l0)
    (at c2 l1))))
