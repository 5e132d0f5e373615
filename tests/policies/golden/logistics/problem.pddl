; Logistics: 3 cities, 3 locations, 2 airplanes, 2 packages.
(define (problem logistics-p02)
  (:domain logistics-strips)

  (:objects
    c0 c1 c2
    t0 t1 t2
    a0 a1
    l0-0
    l1-0
    l2-0
    p0 p1)

  (:init
    (city c0) (city c1) (city c2)
    (truck t0) (truck t1) (truck t2)
    (airplane a0) (airplane a1)
    (location l0-0)
    (in-city l0-0 c0)
    (location l1-0)
    (in-city l1-0 c1)
    (location l2-0)
    (in-city l2-0 c2)
    (airport l0-0) (airport l1-0) (airport l2-0)
    (obj p0) (obj p1)
    (at t0 l0-0) (at t1 l1-0) (at t2 l2-0)
    (at a0 l2-0) (at a1 l1-0)
    (at p0 l2-0) (at p1 l1-0))

  (:goal (and
    (at p0 l0-0)
    (at p1 l0-0))))
