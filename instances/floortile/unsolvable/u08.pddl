; Floortile: 2 robots, 6 tiles, 3 of them to paint.
(define (problem floortile-u08)
  (:domain floor-tile)

  (:objects
    robot1 robot2 - robot
    tile-0-1 tile-0-2 - tile
    tile-1-1 tile-1-2 - tile
    tile-2-1 tile-2-2 - tile
    black white - color)

  (:init
    (robot-at robot1 tile-1-2) (robot-has robot1 black)
    (robot-at robot2 tile-0-2) (robot-has robot2 black)
    (available-color black) (available-color white)
    (clear tile-0-1) (clear tile-1-1) (clear tile-2-1) (clear tile-2-2)
    (up tile-1-1 tile-0-1) (up tile-1-2 tile-0-2) (up tile-2-1 tile-1-1) (up tile-2-2 tile-1-2)
    (down tile-0-1 tile-1-1) (down tile-0-2 tile-1-2) (down tile-1-1 tile-2-1)
    (down tile-1-2 tile-2-2)
    (right tile-0-2 tile-0-1) (right tile-1-2 tile-1-1) (right tile-2-2 tile-2-1)
    (left tile-0-1 tile-0-2) (left tile-1-1 tile-1-2) (left tile-2-1 tile-2-2))

  (:goal (and
    (painted tile-0-1 black)
    (painted tile-1-1 white)
    (painted tile-2-1 black))))
