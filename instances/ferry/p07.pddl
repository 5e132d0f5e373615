; Ferry: 4 locations, 5 cars.
(define (problem ferry-p07)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 - location
    c0 c1 c2 c3 c4 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l2) (at c1 l2) (at c2 l0) (at c3 l3) (at c4 l3))

  (:goal (and
    (at c0 l3)
    (at c1 l1)
    (at c3 l0)
    (at c4 l1))))
