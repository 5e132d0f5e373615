; Ferry: 3 locations, 2 cars.
(define (problem ferry-p02)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l1) (at c1 l2))

  (:goal (and
    (at c0 l0)
    (at c1 l1))))
