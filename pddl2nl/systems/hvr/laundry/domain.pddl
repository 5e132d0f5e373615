; What the examples of hierarchical policies are about where a domain has no solved tasks of its own.
(define (domain laundry)
  (:requirements :typing :negative-preconditions :conditional-effects)
  (:types place item - object machine - place)
  (:predicates (at ?p - place) (in ?x - item ?p - place) (holding ?x - item) (hand-empty)
               (closed ?p - place) (clean ?x - item))
  (:action go-to
    :parameters (?p - place)
    :precondition (not (at ?p))
    :effect (and (forall (?q - place) (not (at ?q))) (at ?p)))
  (:action take
    :parameters (?x - item ?p - place)
    :precondition (and (at ?p) (in ?x ?p) (hand-empty) (not (closed ?p)))
    :effect (and (holding ?x) (not (in ?x ?p)) (not (hand-empty))))
  (:action put
    :parameters (?x - item ?p - place)
    :precondition (and (at ?p) (holding ?x) (not (closed ?p)))
    :effect (and (in ?x ?p) (hand-empty) (not (holding ?x))))
  (:action open
    :parameters (?m - machine)
    :precondition (and (at ?m) (closed ?m) (hand-empty))
    :effect (not (closed ?m)))
  (:action close
    :parameters (?m - machine)
    :precondition (and (at ?m) (not (closed ?m)) (hand-empty))
    :effect (closed ?m))
  (:action run
    :parameters (?m - machine)
    :precondition (and (at ?m) (closed ?m))
    :effect (forall (?x - item) (when (in ?x ?m) (clean ?x)))))
