; Floortile: 1 robot, 12 tiles, 7 of them to paint.
(define (problem floortile-u19)
  (:domain floor-tile)

  (:objects
    robot1 - robot
    tile-0-1 tile-0-2 tile-0-3 tile-0-4 - tile
    tile-1-1 tile-1-2 tile-1-3 tile-1-4 - tile
    tile-2-1 tile-2-2 tile-2-3 tile-2-4 - tile
    black white - color)

  (:init
    (robot-at robot1 tile-2-2) (robot-has robot1 black)
    (available-color black) (available-color white)
    (clear tile-0-1) (clear tile-0-2) (clear tile-0-3) (clear tile-0-4) (clear tile-1-1)
    (clear tile-1-2) (clear tile-1-3) (clear tile-1-4) (clear tile-2-1) (clear tile-2-3)
    (clear tile-2-4)
    (up tile-1-1 tile-0-1) (up tile-1-2 tile-0-2) (up tile-1-3 tile-0-3) (up tile-1-4 tile-0-4)
    (up tile-2-1 tile-1-1) (up tile-2-2 tile-1-2) (up tile-2-3 tile-1-3) (up tile-2-4 tile-1-4)
    (down tile-0-1 tile-1-1) (down tile-0-2 tile-1-2) (down tile-0-3 tile-1-3)
    (down tile-0-4 tile-1-4) (down tile-1-1 tile-2-1) (down tile-1-2 tile-2-2)
    (down tile-1-3 tile-2-3) (down tile-1-4 tile-2-4)
    (right tile-0-2 tile-0-1) (right tile-0-3 tile-0-2) (right tile-0-4 tile-0-3)
    (right tile-1-2 tile-1-1) (right tile-1-3 tile-1-2) (right tile-1-4 tile-1-3)
    (right tile-2-2 tile-2-1) (right tile-2-3 tile-2-2) (right tile-2-4 tile-2-3)
    (left tile-0-1 tile-0-2) (left tile-0-2 tile-0-3) (left tile-0-3 tile-0-4)
    (left tile-1-1 tile-1-2) (left tile-1-2 tile-1-3) (left tile-1-3 tile-1-4)
    (left tile-2-1 tile-2-2) (left tile-2-2 tile-2-3) (left tile-2-3 tile-2-4))

  (:goal (and
    (painted tile-0-1 black)
    (painted tile-0-2 white)
    (painted tile-0-4 white)
    (painted tile-1-2 black)
    (painted tile-2-1 black)
    (painted tile-2-2 white)
    (painted tile-2-3 black))))
