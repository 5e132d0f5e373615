; Ferry: 4 locations, 1 car, which must move.
(define (problem ferry-p01)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 - location
    c0 - car)

  (:init
    (at-ferry l0) (empty-ferry)
    (at c0 l0))

  (:goal (and
    (at c0 l3))))
