; Ferry: 5 locations, 1 car, which must move.
(define (problem ferry-p02)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 l4 - location
    c0 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l3))

  (:goal (and
    (at c0 l0))))
