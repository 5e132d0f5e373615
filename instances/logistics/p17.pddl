; Logistics: 3 cities, 6 locations, 2 airplanes, 3 packages, all of which must move.
(define (problem logistics-p17)
  (:domain logistics-strips)

  (:objects
    c0 c1 c2
    t0 t1 t2
    a0 a1
    l0-0 l0-1
    l1-0 l1-1
    l2-0 l2-1
    p0 p1 p2)

  (:init
    (city c0) (city c1) (city c2)
    (truck t0) (truck t1) (truck t2)
    (airplane a0) (airplane a1)
    (location l0-0) (location l0-1)
    (in-city l0-0 c0) (in-city l0-1 c0)
    (location l1-0) (location l1-1)
    (in-city l1-0 c1) (in-city l1-1 c1)
    (location l2-0) (location l2-1)
    (in-city l2-0 c2) (in-city l2-1 c2)
    (airport l0-0) (airport l1-0) (airport l2-0)
    (obj p0) (obj p1) (obj p2)
    (at t0 l0-1) (at t1 l1-1) (at t2 l2-1)
    (at a0 l1-0) (at a1 l1-0)
    (at p0 l2-0) (at p1 l2-0) (at p2 l0-0))

  (:goal (and
    (at p0 l0-1)
    (at p1 l1-1)
    (at p2 l1-0))))
