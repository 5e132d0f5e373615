; Logistics: 1 city, 2 locations, 0 airplanes, 5 packages, 3 of which must move.
(define (problem logistics-p07)
  (:domain logistics-strips)

  (:objects
    c0
    t0
    l0-0 l0-1
    p0 p1 p2 p3 p4)

  (:init
    (city c0)
    (truck t0)
    (location l0-0) (location l0-1)
    (in-city l0-0 c0) (in-city l0-1 c0)
    (airport l0-0)
    (obj p0) (obj p1) (obj p2) (obj p3) (obj p4)
    (at t0 l0-1)
    (at p0 l0-0) (at p1 l0-0) (at p2 l0-0) (at p3 l0-1) (at p4 l0-0))

  (:goal (and
    (at p0 l0-1)
    (at p1 l0-1)
    (at p2 l0-0)
    (at p3 l0-0))))
