; Visitall: a robot walks along the edges of a graph until it has seen what it must see.
(define (domain grid-visit-all)
  (:requirements :strips :typing)

  (:types place - object)

  (:predicates
    (connected ?x - place ?y - place)   ; directed: the robot can walk from ?x to ?y
    (at-robot ?x - place)
    (visited ?x - place))

  (:action move
    :parameters (?curpos - place ?nextpos - place)
    :precondition (and
      (at-robot ?curpos)
      (connected ?curpos ?nextpos))
    :effect (and
      (at-robot ?nextpos)
      (visited ?nextpos)
      (not (at-robot ?curpos)))))
