; Ferry: 3 locations, 3 cars.
(define (problem ferry-p04)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l1) (at c1 l0) (at c2 l2))

  (:goal (and
    (at c0 l2)
    (at c1 l2)
    (at c2 l0))))
