; Floortile: 1 robot, 4 tiles, 2 of them to paint.
(define (problem floortile-u01)
  (:domain floor-tile)

  (:objects
    robot1 - robot
    tile-0-1 tile-0-2 - tile
    tile-1-1 tile-1-2 - tile
    black white - color)

  (:init
    (robot-at robot1 tile-0-1) (robot-has robot1 white)
    (available-color black) (available-color white)
    (clear tile-0-2) (clear tile-1-1) (clear tile-1-2)
    (up tile-1-1 tile-0-1) (up tile-1-2 tile-0-2)
    (down tile-0-1 tile-1-1) (down tile-0-2 tile-1-2)
    (right tile-0-2 tile-0-1) (right tile-1-2 tile-1-1)
    (left tile-0-1 tile-0-2) (left tile-1-1 tile-1-2))

  (:goal (and
    (painted tile-0-2 black)
    (painted tile-1-2 white))))
