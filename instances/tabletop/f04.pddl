; Tabletop: 2 cubes, 2 cylinders, 9 locations; 0 blocks and 2 locations out of reach.
(define (problem tabletop-f04)
  (:domain tabletop)

  (:objects
    red-cube orange-cube - cube
    red-cylinder orange-cylinder - cylinder
    location-1-1 location-1-2 location-1-3 location-2-1 location-2-2 location-2-3 location-3-1
    location-3-2 location-3-3 - location
    left-side centre right-side - side
    row-1 row-2 row-3 - row
    column-1 column-2 column-3 - column
    red orange - colour)

  (:init
    (at red-cube location-2-1) (on-side red-cube left-side) (occupied location-2-1)
    (coloured red-cube red)
    (at orange-cube location-3-1) (on-side orange-cube left-side) (occupied location-3-1)
    (coloured orange-cube orange)
    (at red-cylinder location-3-3) (on-side red-cylinder right-side) (occupied location-3-3)
    (coloured red-cylinder red)
    (at orange-cylinder location-2-3) (on-side orange-cylinder right-side) (occupied location-2-3)
    (coloured orange-cylinder orange)
    (hand-empty) (at-base)
    (cell location-1-1 row-1 column-1) (part-of location-1-1 left-side)
    (cell location-1-2 row-1 column-2) (part-of location-1-2 centre)
    (cell location-1-3 row-1 column-3) (part-of location-1-3 right-side)
    (cell location-2-1 row-2 column-1) (part-of location-2-1 left-side)
    (cell location-2-2 row-2 column-2) (part-of location-2-2 centre)
    (cell location-2-3 row-2 column-3) (part-of location-2-3 right-side)
    (cell location-3-1 row-3 column-1) (part-of location-3-1 left-side)
    (cell location-3-2 row-3 column-2) (part-of location-3-2 centre)
    (cell location-3-3 row-3 column-3) (part-of location-3-3 right-side)
    (in-workspace red-cube) (in-workspace orange-cube) (in-workspace red-cylinder)
    (in-workspace orange-cylinder)
    (reachable location-1-2) (reachable location-2-1) (reachable location-2-2)
    (reachable location-2-3) (reachable location-3-1) (reachable location-3-2)
    (reachable location-3-3))

  (:goal (and
    (or
      (and
        (on-side red-cube left-side)
        (on-side red-cylinder left-side)
        (on-side orange-cube right-side)
        (on-side orange-cylinder right-side))
      (and
        (on-side red-cube left-side)
        (on-side orange-cylinder left-side)
        (on-side orange-cube right-side)
        (on-side red-cylinder right-side))
      (and
        (on-side orange-cube left-side)
        (on-side red-cylinder left-side)
        (on-side red-cube right-side)
        (on-side orange-cylinder right-side))
      (and
        (on-side orange-cube left-side)
        (on-side orange-cylinder left-side)
        (on-side red-cube right-side)
        (on-side red-cylinder right-side)))
    (hand-empty))))
