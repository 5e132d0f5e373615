; Tabletop: 3 cubes, 2 cylinders, 12 locations; 1 blocks and 4 locations out of reach.
(define (problem tabletop-f07)
  (:domain tabletop)

  (:objects
    red-cube orange-cube yellow-cube - cube
    red-cylinder orange-cylinder - cylinder
    location-1-1 location-1-2 location-1-3 location-1-4 location-1-5 location-1-6 location-2-1
    location-2-2 location-2-3 location-2-4 location-2-5 location-2-6 - location
    left-side centre right-side - side
    row-1 row-2 - row
    column-1 column-2 column-3 column-4 column-5 column-6 - column
    red orange yellow - colour)

  (:init
    (at red-cube location-1-4) (on-side red-cube centre) (occupied location-1-4)
    (coloured red-cube red)
    (at orange-cube location-1-2) (on-side orange-cube left-side) (occupied location-1-2)
    (coloured orange-cube orange)
    (at yellow-cube location-1-1) (on-side yellow-cube left-side) (occupied location-1-1)
    (coloured yellow-cube yellow)
    (at red-cylinder location-1-5) (on-side red-cylinder right-side) (occupied location-1-5)
    (coloured red-cylinder red)
    (at orange-cylinder location-2-2) (on-side orange-cylinder left-side) (occupied location-2-2)
    (coloured orange-cylinder orange)
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
    (in-workspace red-cube) (in-workspace orange-cube) (in-workspace yellow-cube)
    (in-workspace red-cylinder)
    (reachable location-1-1) (reachable location-1-2) (reachable location-1-3)
    (reachable location-1-5) (reachable location-1-6) (reachable location-2-3)
    (reachable location-2-5) (reachable location-2-6))

  (:goal (and
    (or
      (and
        (on-side red-cube left-side)
        (on-side orange-cube left-side)
        (on-side yellow-cube left-side)
        (on-side red-cylinder right-side)
        (on-side orange-cylinder right-side))
      (and
        (on-side red-cube right-side)
        (on-side orange-cube right-side)
        (on-side yellow-cube right-side)
        (on-side red-cylinder left-side)
        (on-side orange-cylinder left-side)))
    (hand-empty))))
