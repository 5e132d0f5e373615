; An arm that moves blocks on a table; what it cannot reach is true in the world and told by errors only.
(define (domain tabletop)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :existential-preconditions)
  (:types
    block location side row column colour - object
    cube cylinder - block)
  (:predicates
    (at ?b - block ?l - location)
    (on-side ?b - block ?s - side)
    (occupied ?l - location)
    (holding ?b - block)
    (hand-empty)
    (at-base)
    (in-workspace ?b - block)
    (reachable ?l - location)
    (coloured ?b - block ?c - colour)
    (cell ?l - location ?r - row ?c - column)
    (part-of ?l - location ?s - side))

  (:action grasp
    :parameters (?b - block ?from - location ?s - side)
    :precondition (and (at ?b ?from) (part-of ?from ?s) (hand-empty) (in-workspace ?b))
    :effect (and (holding ?b) (not (hand-empty)) (not (at-base))
      (not (at ?b ?from)) (not (on-side ?b ?s)) (not (occupied ?from))))
  (:action move
    :parameters (?b - block ?to - location ?s - side)
    :precondition (and (holding ?b) (part-of ?to ?s) (not (occupied ?to)) (reachable ?to))
    :effect (and (at ?b ?to) (on-side ?b ?s) (occupied ?to) (not (holding ?b)) (hand-empty)))
  (:action return-to-base
    :parameters ()
    :precondition (hand-empty)
    :effect (at-base)))
