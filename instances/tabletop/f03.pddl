; Tabletop: 3 cubes, 2 cylinders, 27 locations; 0 blocks and 1 locations out of reach.
(define (problem tabletop-f03)
  (:domain tabletop)

  (:objects
    red-cube orange-cube yellow-cube - cube
    red-cylinder orange-cylinder - cylinder
    location-1-1 location-1-2 location-1-3 location-1-4 location-1-5 location-1-6 location-1-7
    location-1-8 location-1-9 location-2-1 location-2-2 location-2-3 location-2-4 location-2-5
    location-2-6 location-2-7 location-2-8 location-2-9 location-3-1 location-3-2 location-3-3
    location-3-4 location-3-5 location-3-6 location-3-7 location-3-8 location-3-9 - location
    left-side centre right-side - side
    row-1 row-2 row-3 - row
    column-1 column-2 column-3 column-4 column-5 column-6 column-7 column-8 column-9 - column
    red orange yellow - colour)

  (:init
    (at red-cube location-2-4) (on-side red-cube centre) (occupied location-2-4)
    (coloured red-cube red)
    (at orange-cube location-2-2) (on-side orange-cube left-side) (occupied location-2-2)
    (coloured orange-cube orange)
    (at yellow-cube location-3-7) (on-side yellow-cube right-side) (occupied location-3-7)
    (coloured yellow-cube yellow)
    (at red-cylinder location-3-1) (on-side red-cylinder left-side) (occupied location-3-1)
    (coloured red-cylinder red)
    (at orange-cylinder location-1-5) (on-side orange-cylinder centre) (occupied location-1-5)
    (coloured orange-cylinder orange)
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
    (in-workspace red-cylinder) (in-workspace orange-cylinder)
    (reachable location-1-1) (reachable location-1-2) (reachable location-1-3)
    (reachable location-1-4) (reachable location-1-5) (reachable location-1-6)
    (reachable location-1-7) (reachable location-1-8) (reachable location-1-9)
    (reachable location-2-1) (reachable location-2-2) (reachable location-2-3)
    (reachable location-2-4) (reachable location-2-6) (reachable location-2-7)
    (reachable location-2-8) (reachable location-2-9) (reachable location-3-1)
    (reachable location-3-2) (reachable location-3-3) (reachable location-3-4)
    (reachable location-3-5) (reachable location-3-6) (reachable location-3-7)
    (reachable location-3-8) (reachable location-3-9))

  (:goal (and
    (or
      (and (at red-cube location-1-4) (at orange-cube location-1-5) (at yellow-cube location-1-6))
      (and (at red-cube location-2-4) (at orange-cube location-2-5) (at yellow-cube location-2-6))
      (and (at red-cube location-3-4) (at orange-cube location-3-5) (at yellow-cube location-3-6)))
    (hand-empty))))
