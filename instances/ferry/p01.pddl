; Ferry: 5 locations, 1 car.
(define (problem ferry-p01)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 l4 - location
    c0 - car)

  (:init
    (at-ferry l3) (empty-ferry)
    (at c0 l1))

  (:goal (and
    (at c0 l3))))
