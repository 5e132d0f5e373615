; Tabletop: 5 cubes, 1 cylinder, 27 locations; 0 blocks and 0 locations out of reach.
(define (problem tabletop-f02)
  (:domain tabletop)

  (:objects
    red-cube orange-cube yellow-cube green-cube blue-cube - cube
    red-cylinder - cylinder
    location-1-1 location-1-2 location-1-3 location-1-4 location-1-5 location-1-6 location-1-7
    location-1-8 location-1-9 location-2-1 location-2-2 location-2-3 location-2-4 location-2-5
    location-2-6 location-2-7 location-2-8 location-2-9 location-3-1 location-3-2 location-3-3
    location-3-4 location-3-5 location-3-6 location-3-7 location-3-8 location-3-9 - location
    left-side centre right-side - side
    row-1 row-2 row-3 - row
    column-1 column-2 column-3 column-4 column-5 column-6 column-7 column-8 column-9 - column
    red orange yellow green blue - colour)

  (:init
    (at red-cube location-2-2) (on-side red-cube left-side) (occupied location-2-2)
    (coloured red-cube red)
    (at orange-cube location-1-1) (on-side orange-cube left-side) (occupied location-1-1)
    (coloured orange-cube orange)
    (at yellow-cube location-3-9) (on-side yellow-cube right-side) (occupied location-3-9)
    (coloured yellow-cube yellow)
    (at green-cube location-2-7) (on-side green-cube right-side) (occupied location-2-7)
    (coloured green-cube green)
    (at blue-cube location-1-6) (on-side blue-cube centre) (occupied location-1-6)
    (coloured blue-cube blue)
    (at red-cylinder location-2-9) (on-side red-cylinder right-side) (occupied location-2-9)
    (coloured red-cylinder red)
    (hand-empty) (at-base)
    (cell location-1-1 row-1 column-1) (part-of location-1-1 left-side)
    (cell location-1-2 row-1 column-2) (part-of location-1-2 left-side)
    (cell location-1-3 row-1 column-3) (part-of location-1-3 left-side)
    (cell location-1-4 row-1 column-4) (part-of location-1-4 centre)
    (cell location-1-5 row-1 column-5) (part-of location-1-5 centre)
    (cell location-1-6 row-1 column-6) (part-of location-1-6 centre)
    (cell location-1-7 row-1 column-7) (part-of location-1-7 right-side)
    (cell location-1-8 row-1 column-8) (part-of location-1-8 right-side)
    (cell location-1-9 row-1 column-9) (part-of location-1-9 right-side)
    (cell location-2-1 row-2 column-1) (part-of location-2-1 left-side)
    (cell location-2-2 row-2 column-2) (part-of location-2-2 left-side)
    (cell location-2-3 row-2 column-3) (part-of location-2-3 left-side)
    (cell location-2-4 row-2 column-4) (part-of location-2-4 centre)
    (cell location-2-5 row-2 column-5) (part-of location-2-5 centre)
    (cell location-2-6 row-2 column-6) (part-of location-2-6 centre)
    (cell location-2-7 row-2 column-7) (part-of location-2-7 right-side)
    (cell location-2-8 row-2 column-8) (part-of location-2-8 right-side)
    (cell location-2-9 row-2 column-9) (part-of location-2-9 right-side)
    (cell location-3-1 row-3 column-1) (part-of location-3-1 left-side)
    (cell location-3-2 row-3 column-2) (part-of location-3-2 left-side)
    (cell location-3-3 row-3 column-3) (part-of location-3-3 left-side)
    (cell location-3-4 row-3 column-4) (part-of location-3-4 centre)
    (cell location-3-5 row-3 column-5) (part-of location-3-5 centre)
    (cell location-3-6 row-3 column-6) (part-of location-3-6 centre)
    (cell location-3-7 row-3 column-7) (part-of location-3-7 right-side)
    (cell location-3-8 row-3 column-8) (part-of location-3-8 right-side)
    (cell location-3-9 row-3 column-9) (part-of location-3-9 right-side)
    (in-workspace red-cube) (in-workspace orange-cube) (in-workspace yellow-cube)
    (in-workspace green-cube) (in-workspace blue-cube) (in-workspace red-cylinder)
    (reachable location-1-1) (reachable location-1-2) (reachable location-1-3)
    (reachable location-1-4) (reachable location-1-5) (reachable location-1-6)
    (reachable location-1-7) (reachable location-1-8) (reachable location-1-9)
    (reachable location-2-1) (reachable location-2-2) (reachable location-2-3)
    (reachable location-2-4) (reachable location-2-5) (reachable location-2-6)
    (reachable location-2-7) (reachable location-2-8) (reachable location-2-9)
    (reachable location-3-1) (reachable location-3-2) (reachable location-3-3)
    (reachable location-3-4) (reachable location-3-5) (reachable location-3-6)
    (reachable location-3-7) (reachable location-3-8) (reachable location-3-9))

  (:goal (and
    (or
      (and
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-1-1))
        (exists (?b - cube) (at ?b location-2-1)))
      (and
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-2-2)))
      (and
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-2-3)))
      (and
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-2-4)))
      (and
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-2-5)))
      (and
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-2-6)))
      (and
        (exists (?b - cube) (at ?b location-1-9))
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-2-7)))
      (and
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-3-1)))
      (and
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-3-2)))
      (and
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-3-3)))
      (and
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-3-4)))
      (and
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-3-5)))
      (and
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-3-6)))
      (and
        (exists (?b - cube) (at ?b location-2-9))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-3-7)))
      (and
        (exists (?b - cube) (at ?b location-1-1))
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-2-3)))
      (and
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-2-4)))
      (and
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-2-5)))
      (and
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-2-6)))
      (and
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-2-7)))
      (and
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-2-8)))
      (and
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-1-9))
        (exists (?b - cube) (at ?b location-2-9)))
      (and
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-3-3)))
      (and
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-3-4)))
      (and
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-3-5)))
      (and
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-3-6)))
      (and
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-3-7)))
      (and
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-3-8)))
      (and
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-2-9))
        (exists (?b - cube) (at ?b location-3-9)))
      (and
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-1-1)))
      (and
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-1-2)))
      (and
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-1-3)))
      (and
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-1-4)))
      (and
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-1-5)))
      (and
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-1-6)))
      (and
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-1-7)))
      (and
        (exists (?b - cube) (at ?b location-3-9))
        (exists (?b - cube) (at ?b location-2-9))
        (exists (?b - cube) (at ?b location-1-9))
        (exists (?b - cube) (at ?b location-1-8)))
      (and
        (exists (?b - cube) (at ?b location-3-1))
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-1-1))
        (exists (?b - cube) (at ?b location-1-2)))
      (and
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-1-3)))
      (and
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-1-4)))
      (and
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-1-5)))
      (and
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-1-6)))
      (and
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-1-7)))
      (and
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-1-8)))
      (and
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-1-9)))
      (and
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-1-3)))
      (and
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-1-4)))
      (and
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-1-5)))
      (and
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-1-6)))
      (and
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-1-7)))
      (and
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-1-8)))
      (and
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-2-9))
        (exists (?b - cube) (at ?b location-1-9)))
      (and
        (exists (?b - cube) (at ?b location-3-1))
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-2-3)))
      (and
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-2-4)))
      (and
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-2-5)))
      (and
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-2-6)))
      (and
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-2-7)))
      (and
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-2-8)))
      (and
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-3-9))
        (exists (?b - cube) (at ?b location-2-9)))
      (and
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-1-1)))
      (and
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-1-2)))
      (and
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-1-3)))
      (and
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-1-4)))
      (and
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-1-5)))
      (and
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-1-6)))
      (and
        (exists (?b - cube) (at ?b location-2-9))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-1-7)))
      (and
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-3-1))
        (exists (?b - cube) (at ?b location-2-1)))
      (and
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-2-2)))
      (and
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-2-3)))
      (and
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-2-4)))
      (and
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-2-5)))
      (and
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-2-6)))
      (and
        (exists (?b - cube) (at ?b location-3-9))
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-2-7)))
      (and
        (exists (?b - cube) (at ?b location-1-1))
        (exists (?b - cube) (at ?b location-2-1))
        (exists (?b - cube) (at ?b location-3-1))
        (exists (?b - cube) (at ?b location-3-2)))
      (and
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-3-3)))
      (and
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-3-4)))
      (and
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-3-5)))
      (and
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-3-6)))
      (and
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-3-7)))
      (and
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-3-8)))
      (and
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-3-9)))
      (and
        (exists (?b - cube) (at ?b location-1-2))
        (exists (?b - cube) (at ?b location-2-2))
        (exists (?b - cube) (at ?b location-3-2))
        (exists (?b - cube) (at ?b location-3-1)))
      (and
        (exists (?b - cube) (at ?b location-1-3))
        (exists (?b - cube) (at ?b location-2-3))
        (exists (?b - cube) (at ?b location-3-3))
        (exists (?b - cube) (at ?b location-3-2)))
      (and
        (exists (?b - cube) (at ?b location-1-4))
        (exists (?b - cube) (at ?b location-2-4))
        (exists (?b - cube) (at ?b location-3-4))
        (exists (?b - cube) (at ?b location-3-3)))
      (and
        (exists (?b - cube) (at ?b location-1-5))
        (exists (?b - cube) (at ?b location-2-5))
        (exists (?b - cube) (at ?b location-3-5))
        (exists (?b - cube) (at ?b location-3-4)))
      (and
        (exists (?b - cube) (at ?b location-1-6))
        (exists (?b - cube) (at ?b location-2-6))
        (exists (?b - cube) (at ?b location-3-6))
        (exists (?b - cube) (at ?b location-3-5)))
      (and
        (exists (?b - cube) (at ?b location-1-7))
        (exists (?b - cube) (at ?b location-2-7))
        (exists (?b - cube) (at ?b location-3-7))
        (exists (?b - cube) (at ?b location-3-6)))
      (and
        (exists (?b - cube) (at ?b location-1-8))
        (exists (?b - cube) (at ?b location-2-8))
        (exists (?b - cube) (at ?b location-3-8))
        (exists (?b - cube) (at ?b location-3-7)))
      (and
        (exists (?b - cube) (at ?b location-1-9))
        (exists (?b - cube) (at ?b location-2-9))
        (exists (?b - cube) (at ?b location-3-9))
        (exists (?b - cube) (at ?b location-3-8))))
    (hand-empty))))
