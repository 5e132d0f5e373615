; Ferry: 4 locations, 6 cars, all of which must move.
(define (problem ferry-p20)
  (:domain ferry)

  (:objects
    l0 l1 l2 l3 - location
    c0 c1 c2 c3 c4 c5 - car)

  (:init
    (at-ferry l0) (empty-ferry)
    (at c0 l2) (at c1 l0) (at c2 l3) (at c3 l0) (at c4 l3) (at c5 l0))

  (:goal (and
    (at c0 l0)
    (at c1 l3)
    (at c2 l1)
    (at c3 l3)
    (at c4 l1)
    (at c5 l3))))
