; Ferry: 2 locations, 4 cars, all of which must move.
(define (problem ferry-p10)
  (:domain ferry)

  (:objects
    l0 l1 - location
    c0 c1 c2 c3 - car)

  (:init
    (at-ferry l0) (empty-ferry)
    (at c0 l1) (at c1 l1) (at c2 l0) (at c3 l0))

  (:goal (and
    (at c0 l0)
    (at c1 l0)
    (at c2 l1)
    (at c3 l1))))
