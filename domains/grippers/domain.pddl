; Grippers: robots with grippers of their own carry balls from room to room.
(define (domain grippers)
  (:requirements :strips :typing)

  (:types robot ball room gripper - object)

  (:predicates
    (at-robby ?r - robot ?x - room)
    (at ?o - ball ?x - room)
    (free ?r - robot ?g - gripper)              ; gripper ?g belongs to ?r and holds nothing
    (carry ?r - robot ?o - ball ?g - gripper))

  (:action move
    :parameters (?r - robot ?from - room ?to - room)
    :precondition (and
      (at-robby ?r ?from))
    :effect (and
      (at-robby ?r ?to)
      (not (at-robby ?r ?from))))

  (:action pick
    :parameters (?r - robot ?obj - ball ?room - room ?g - gripper)
    :precondition (and
      (at ?obj ?room)
      (at-robby ?r ?room)
      (free ?r ?g))
    :effect (and
      (carry ?r ?obj ?g)
      (not (at ?obj ?room))
      (not (free ?r ?g))))

  (:action drop
    :parameters (?r - robot ?obj - ball ?room - room ?g - gripper)
    :precondition (and
      (carry ?r ?obj ?g)
      (at-robby ?r ?room))
    :effect (and
      (at ?obj ?room)
      (free ?r ?g)
      (not (carry ?r ?obj ?g)))))
