; Ferry: 4 locations, 2 cars, all of which must move.
(define (problem ferry-p06)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 - location
    c0 c1 - car)

  (:init
    (at-ferry l3) (empty-ferry)
    (at c0 l0) (at c1 l0))

  (:goal (and
    (at c0 l3)
    (at c1 l3))))
