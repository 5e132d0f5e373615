; Logistics: 2 cities, 6 locations, 1 airplane, 3 packages, all of which must move.
(define (problem logistics-p18)
  (:domain logistics-strips)

  (:objects
    c0 c1
    t0 t1
    a0
    l0-0 l0-1 l0-2
    l1-0 l1-1 l1-2
    p0 p1 p2)

  (:init
    (city c0) (city c1)
    (truck t0) (truck t1)
    (airplane a0)
    (location l0-0) (location l0-1) (location l0-2)
    (in-city l0-0 c0) (in-city l0-1 c0) (in-city l0-2 c0)
    (location l1-0) (location l1-1) (location l1-2)
    (in-city l1-0 c1) (in-city l1-1 c1) (in-city l1-2 c1)
    (airport l0-0) (airport l1-0)
    (obj p0) (obj p1) (obj p2)
    (at t0 l0-1) (at t1 l1-0)
    (at a0 l0-0)
    (at p0 l0-0) (at p1 l1-2) (at p2 l1-2))

  (:goal (and
    (at p0 l1-2)
    (at p1 l0-1)
    (at p2 l1-0))))
