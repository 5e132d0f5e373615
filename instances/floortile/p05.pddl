; Floortile: 1 robot, 8 tiles, 3 of them to paint.
(define (problem floortile-p05)
  (:domain floor-tile)

  (:objects
    robot1 - robot
    tile-0-1 tile-0-2 tile-0-3 tile-0-4 - tile
    tile-1-1 tile-1-2 tile-1-3 tile-1-4 - tile
    black white - color)

  (:init
    (robot-at robot1 tile-0-1) (robot-has robot1 white)
    (available-color black) (available-color white)
    (clear tile-0-2) (clear tile-0-3) (clear tile-0-4) (clear tile-1-1) (clear tile-1-2)
    (clear tile-1-3) (clear tile-1-4)
    (up tile-1-1 tile-0-1) (up tile-1-2 tile-0-2) (up tile-1-3 tile-0-3) (up tile-1-4 tile-0-4)
    (down tile-0-1 tile-1-1) (down tile-0-2 tile-1-2) (down tile-0-3 tile-1-3)
    (down tile-0-4 tile-1-4)
    (right tile-0-2 tile-0-1) (right tile-0-3 tile-0-2) (right tile-0-4 tile-0-3)
    (right tile-1-2 tile-1-1) (right tile-1-3 tile-1-2) (right tile-1-4 tile-1-3)
    (left tile-0-1 tile-0-2) (left tile-0-2 tile-0-3) (left tile-0-3 tile-0-4)
    (left tile-1-1 tile-1-2) (left tile-1-2 tile-1-3) (left tile-1-3 tile-1-4))

  (:goal (and
    (painted tile-1-1 white)
    (painted tile-1-2 black)
    (painted tile-1-3 white))))
