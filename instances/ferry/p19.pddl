; Ferry: 3 locations, 6 cars, all of which must move.
(define (problem ferry-p19)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 c5 - car)

  (:init
    (at-ferry l0) (empty-ferry)
    (at c0 l2) (at c1 l0) (at c2 l1) (at c3 l0) (at c4 l2) (at c5 l2))

  (:goal (and
    (at c0 l0)
    (at c1 l2)
    (at c2 l2)
    (at c3 l1)
    (at c4 l0)
    (at c5 l1))))
