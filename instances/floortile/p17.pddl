; Floortile: 2 robots, 8 tiles, 6 of them to paint.
(define (problem floortile-p17)
  (:domain floor-tile)

  (:objects
    robot1 robot2 - robot
    tile-0-1 tile-0-2 - tile
    tile-1-1 tile-1-2 - tile
    tile-2-1 tile-2-2 - tile
    tile-3-1 tile-3-2 - tile
    black white - color)

  (:init
    (robot-at robot1 tile-0-1) (robot-has robot1 white)
    (robot-at robot2 tile-0-2) (robot-has robot2 white)
    (available-color black) (available-color white)
    (clear tile-1-1) (clear tile-1-2) (clear tile-2-1) (clear tile-2-2) (clear tile-3-1)
    (clear tile-3-2)
    (up tile-1-1 tile-0-1) (up tile-1-2 tile-0-2) (up tile-2-1 tile-1-1) (up tile-2-2 tile-1-2)
    (up tile-3-1 tile-2-1) (up tile-3-2 tile-2-2)
    (down tile-0-1 tile-1-1) (down tile-0-2 tile-1-2) (down tile-1-1 tile-2-1)
    (down tile-1-2 tile-2-2) (down tile-2-1 tile-3-1) (down tile-2-2 tile-3-2)
    (right tile-0-2 tile-0-1) (right tile-1-2 tile-1-1) (right tile-2-2 tile-2-1)
    (right tile-3-2 tile-3-1)
    (left tile-0-1 tile-0-2) (left tile-1-1 tile-1-2) (left tile-2-1 tile-2-2)
    (left tile-3-1 tile-3-2))

  (:goal (and
    (painted tile-1-1 white)
    (painted tile-1-2 black)
    (painted tile-2-1 black)
    (painted tile-2-2 white)
    (painted tile-3-1 white)
    (painted tile-3-2 black))))
