; Floortile: robots paint tiles of a floor that they walk on. A robot paints the tile
; above or below the one it stands on, and nobody ever stands on a painted tile.
(define (domain floor-tile)
  (:requirements :strips :typing)

  (:types robot tile color - object)

  (:predicates
    (robot-at ?r - robot ?x - tile)
    (up ?x - tile ?y - tile)          ; ?x is the tile directly above ?y
    (down ?x - tile ?y - tile)        ; ?x is the tile directly below ?y
    (right ?x - tile ?y - tile)       ; ?x is the tile directly to the right of ?y
    (left ?x - tile ?y - tile)        ; ?x is the tile directly to the left of ?y
    (clear ?x - tile)                 ; neither painted nor stood on
    (painted ?x - tile ?c - color)
    (robot-has ?r - robot ?c - color) ; the color that the robot paints with
    (available-color ?c - color))     ; a color that robots can change to

  (:action change-color
    :parameters (?r - robot ?c - color ?c2 - color)
    :precondition (and
      (robot-has ?r ?c)
      (available-color ?c2))
    :effect (and
      (robot-has ?r ?c2)
      (not (robot-has ?r ?c))))

  (:action paint-up
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and
      (robot-has ?r ?c)
      (robot-at ?r ?x)
      (up ?y ?x)
      (clear ?y))
    :effect (and
      (painted ?y ?c)
      (not (clear ?y))))

  (:action paint-down
    :parameters (?r - robot ?y - tile ?x - tile ?c - color)
    :precondition (and
      (robot-has ?r ?c)
      (robot-at ?r ?x)
      (down ?y ?x)
      (clear ?y))
    :effect (and
      (painted ?y ?c)
      (not (clear ?y))))

  (:action up
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and
      (robot-at ?r ?x)
      (up ?y ?x)
      (clear ?y))
    :effect (and
      (robot-at ?r ?y)
      (clear ?x)
      (not (robot-at ?r ?x))
      (not (clear ?y))))

  (:action down
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and
      (robot-at ?r ?x)
      (down ?y ?x)
      (clear ?y))
    :effect (and
      (robot-at ?r ?y)
      (clear ?x)
      (not (robot-at ?r ?x))
      (not (clear ?y))))

  (:action right
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and
      (robot-at ?r ?x)
      (right ?y ?x)
      (clear ?y))
    :effect (and
      (robot-at ?r ?y)
      (clear ?x)
      (not (robot-at ?r ?x))
      (not (clear ?y))))

  (:action left
    :parameters (?r - robot ?x - tile ?y - tile)
    :precondition (and
      (robot-at ?r ?x)
      (left ?y ?x)
      (clear ?y))
    :effect (and
      (robot-at ?r ?y)
      (clear ?x)
      (not (robot-at ?r ?x))
      (not (clear ?y)))))
