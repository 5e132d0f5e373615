; Ferry: 2 locations, 2 cars, all of which must move.
(define (problem ferry-example)
  (:domain ferry)

  (:objects
    l0 l1 - location
    c0 c1 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l0) (at c1 l1))

  (:goal (and
    (at c0 l1)
    (at c1 l0))))
