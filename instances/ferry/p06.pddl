; Ferry: 3 locations, 5 cars.
(define (problem ferry-p06)
  (:domain ferry)

  (:objects
    l0 l1 l2 - location
    c0 c1 c2 c3 c4 - car)

  (:init
    (at-ferry l2) (empty-ferry)
    (at c0 l2) (at c1 l2) (at c2 l2) (at c3 l1) (at c4 l0))

  (:goal (and
    (at c0 l0)
    (at c1 l1)
    (at c2 l0)
    (at c4 l2))))
