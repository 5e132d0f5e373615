; Floortile: 1 robot, 12 tiles, 4 of them to paint.
(define (problem floortile-u18)
  (:domain floor-tile)

  (:objects
    robot1 - robot
    tile-0-1 tile-0-2 tile-0-3 - tile
    tile-1-1 tile-1-2 tile-1-3 - tile
    tile-2-1 tile-2-2 tile-2-3 - tile
    tile-3-1 tile-3-2 tile-3-3 - tile
    black white - color)

  (:init
    (robot-at robot1 tile-0-3) (robot-has robot1 black)
    (available-color black) (available-color white)
    (clear tile-0-1) (clear tile-0-2) (clear tile-1-1) (clear tile-1-2) (clear tile-1-3)
    (clear tile-2-1) (clear tile-2-2) (clear tile-2-3) (clear tile-3-1) (clear tile-3-2)
    (clear tile-3-3)
    (up tile-1-1 tile-0-1) (up tile-1-2 tile-0-2) (up tile-1-3 tile-0-3) (up tile-2-1 tile-1-1)
    (up tile-2-2 tile-1-2) (up tile-2-3 tile-1-3) (up tile-3-1 tile-2-1) (up tile-3-2 tile-2-2)
    (up tile-3-3 tile-2-3)
    (down tile-0-1 tile-1-1) (down tile-0-2 tile-1-2) (down tile-0-3 tile-1-3)
    (down tile-1-1 tile-2-1) (down tile-1-2 tile-2-2) (down tile-1-3 tile-2-3)
    (down tile-2-1 tile-3-1) (down tile-2-2 tile-3-2) (down tile-2-3 tile-3-3)
    (right tile-0-2 tile-0-1) (right tile-0-3 tile-0-2) (right tile-1-2 tile-1-1)
    (right tile-1-3 tile-1-2) (right tile-2-2 tile-2-1) (right tile-2-3 tile-2-2)
    (right tile-3-2 tile-3-1) (right tile-3-3 tile-3-2)
    (left tile-0-1 tile-0-2) (left tile-0-2 tile-0-3) (left tile-1-1 tile-1-2)
    (left tile-1-2 tile-1-3) (left tile-2-1 tile-2-2) (left tile-2-2 tile-2-3)
    (left tile-3-1 tile-3-2) (left tile-3-2 tile-3-3))

  (:goal (and
    (painted tile-0-1 black)
    (painted tile-1-1 white)
    (painted tile-2-1 black)
    (painted tile-3-1 white))))
