; Tabletop: 6 cubes, 1 cylinder, 18 locations; 1 blocks and 2 locations out of reach.
(define (problem tabletop-f06)
  (:domain tabletop)

  (:objects
    red-cube orange-cube yellow-cube green-cube blue-cube indigo-cube - cube
    red-cylinder - cylinder
    location-1-1 location-1-2 location-1-3 location-1-4 location-1-5 location-1-6 location-2-1
    location-2-2 location-2-3 location-2-4 location-2-5 location-2-6 location-3-1 location-3-2
    location-3-3 location-3-4 location-3-5 location-3-6 - location
    left-side centre right-side - side
    row-1 row-2 row-3 - row
    column-1 column-2 column-3 column-4 column-5 column-6 - column
    red orange yellow green blue indigo - colour)

  (:init
    (at red-cube location-1-4) (on-side red-cube centre) (occupied location-1-4)
    (coloured red-cube red)
    (at orange-cube location-3-5) (on-side orange-cube right-side) (occupied location-3-5)
    (coloured orange-cube orange)
    (at yellow-cube location-3-2) (on-side yellow-cube left-side) (occupied location-3-2)
    (coloured yellow-cube yellow)
    (at green-cube location-3-3) (on-side green-cube centre) (occupied location-3-3)
    (coloured green-cube green)
    (at blue-cube location-3-6) (on-side blue-cube right-side) (occupied location-3-6)
    (coloured blue-cube blue)
    (at indigo-cube location-2-2) (on-side indigo-cube left-side) (occupied location-2-2)
    (coloured indigo-cube indigo)
    (at red-cylinder location-3-4) (on-side red-cylinder centre) (occupied location-3-4)
    (coloured red-cylinder red)
    (hand-empty) (at-base)
    (cell location-1-1 row-1 column-1) (part-of location-1-1 left-side)
    (cell location-1-2 row-1 column-2) (part-of location-1-2 left-side)
    (cell location-1-3 row-1 column-3) (part-of location-1-3 centre)
    (cell location-1-4 row-1 column-4) (part-of location-1-4 centre)
    (cell location-1-5 row-1 column-5) (part-of location-1-5 right-side)
    (cell location-1-6 row-1 column-6) (part-of location-1-6 right-side)
    (cell location-2-1 row-2 column-1) (part-of location-2-1 left-side)
    (cell location-2-2 row-2 column-2) (part-of location-2-2 left-side)
    (cell location-2-3 row-2 column-3) (part-of location-2-3 centre)
    (cell location-2-4 row-2 column-4) (part-of location-2-4 centre)
    (cell location-2-5 row-2 column-5) (part-of location-2-5 right-side)
    (cell location-2-6 row-2 column-6) (part-of location-2-6 right-side)
    (cell location-3-1 row-3 column-1) (part-of location-3-1 left-side)
    (cell location-3-2 row-3 column-2) (part-of location-3-2 left-side)
    (cell location-3-3 row-3 column-3) (part-of location-3-3 centre)
    (cell location-3-4 row-3 column-4) (part-of location-3-4 centre)
    (cell location-3-5 row-3 column-5) (part-of location-3-5 right-side)
    (cell location-3-6 row-3 column-6) (part-of location-3-6 right-side)
    (in-workspace red-cube) (in-workspace orange-cube) (in-workspace yellow-cube)
    (in-workspace green-cube) (in-workspace indigo-cube) (in-workspace red-cylinder)
    (reachable location-1-1) (reachable location-1-4) (reachable location-1-5)
    (reachable location-1-6) (reachable location-2-1) (reachable location-2-2)
    (reachable location-2-3) (reachable location-2-4) (reachable location-2-5)
    (reachable location-2-6) (reachable location-3-1) (reachable location-3-2)
    (reachable location-3-3) (reachable location-3-4) (reachable location-3-5)
    (reachable location-3-6))

  (:goal (and
    (or
      (and
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-3-2)))
      (and
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-3-3)))
      (and
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-3-4)))
      (and
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-3-5))))
    (hand-empty))))
