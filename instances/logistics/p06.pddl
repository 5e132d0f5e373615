; Logistics: 3 cities, 9 locations, 2 airplanes, 1 package, which must move.
(define (problem logistics-p06)
  (:domain logistics-strips)

  (:objects
    c0 c1 c2
    t0 t1 t2
    a0 a1
    l0-0 l0-1 l0-2
    l1-0 l1-1 l1-2
    l2-0 l2-1 l2-2
    p0)

  (:init
    (city c0) (city c1) (city c2)
    (truck t0) (truck t1) (truck t2)
    (airplane a0) (airplane a1)
    (location l0-0) (location l0-1) (location l0-2)
    (in-city l0-0 c0) (in-city l0-1 c0) (in-city l0-2 c0)
    (location l1-0) (location l1-1) (location l1-2)
    (in-city l1-0 c1) (in-city l1-1 c1) (in-city l1-2 c1)
    (location l2-0) (location l2-1) (location l2-2)
    (in-city l2-0 c2) (in-city l2-1 c2) (in-city l2-2 c2)
    (airport l0-0) (airport l1-0) (airport l2-0)
    (obj p0)
    (at t0 l0-1) (at t1 l1-2) (at t2 l2-1)
    (at a0 l1-0) (at a1 l0-0)
    (at p0 l0-0))

  (:goal (and
    (at p0 l1-1))))
