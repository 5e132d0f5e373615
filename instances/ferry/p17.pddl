; Ferry: 3 locations, 5 cars, all of which must move.
(define (problem ferry-p17)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 - car)

  (:init
    (at-ferry l1) (empty-ferry)
    (at c0 l2) (at c1 l0) (at c2 l0) (at c3 l0) (at c4 l1))

  (:goal (and
    (at c0 l1)
    (at c1 l2)
    (at c2 l2)
    (at c3 l2)
    (at c4 l2))))
