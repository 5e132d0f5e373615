; A household robot with two hands: VirtualHome's actions and conditions, with explicit places and hands.
(define (domain household)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :conditional-effects)
  (:types
    hand place item - object
    room furniture - place
    vessel - item)
  (:predicates
    (at ?p - place)
    (robot-in ?r - room)
    (stands-in ?p - place ?r - room)
    (way ?r - room ?q - room)
    (door ?r - room ?q - room)
    (on ?x - item ?p - place)
    (inside ?x - item ?f - furniture)
    (in ?x - item ?v - vessel)
    (goes-into ?x - item ?v - vessel)
    (holds ?h - hand ?x - item)
    (free ?h - hand)
    (sitting)
    (seated-on ?f - furniture)
    (is-open ?f - furniture)
    (switched-on ?f - furniture)
    (can-open ?f - furniture)
    (has-switch ?f - furniture)
    (unplugged ?f - furniture)
    (surface ?p - place)
    (container ?f - furniture)
    (sittable ?f - furniture)
    (grabbable ?x - item)
    (drinkable ?x - item)
    (toasts ?f - furniture)
    (heats ?f - furniture)
    (runs-into ?f - furniture ?s - furniture)
    (detergent ?x - item)
    (soapy ?f - furniture)
    (toasted ?x - item)
    (warmed ?x - item)
    (washed ?x - item)
    (drunk ?x - item)
    (touched ?x - object)
    (looked-at ?x - object))

  (:action walk
    :parameters (?to - place ?from - place ?r - room ?q - room)
    :precondition (and (not (sitting)) (at ?from) (robot-in ?q) (stands-in ?from ?q) (stands-in ?to ?r) (way ?q ?r))
    :effect (and (not (at ?from)) (at ?to) (not (robot-in ?q)) (robot-in ?r)))
  (:action open-door
    :parameters (?r - room ?q - room ?h - hand)
    :precondition (and (door ?q ?r) (robot-in ?q) (free ?h) (not (sitting)))
    :effect (and (way ?r ?q) (way ?q ?r)))
  (:action grab
    :parameters (?x - item ?p - place ?h - hand)
    :precondition (and (grabbable ?x) (at ?p) (on ?x ?p) (free ?h))
    :effect (and (holds ?h ?x) (not (free ?h)) (not (on ?x ?p))))
  (:action take-out
    :parameters (?x - item ?f - furniture ?h - hand)
    :precondition (and (grabbable ?x) (at ?f) (inside ?x ?f) (free ?h) (or (not (can-open ?f)) (is-open ?f)))
    :effect (and (holds ?h ?x) (not (free ?h)) (not (inside ?x ?f))))
  (:action put
    :parameters (?x - item ?p - place ?h - hand)
    :precondition (and (holds ?h ?x) (at ?p) (surface ?p))
    :effect (and (on ?x ?p) (not (holds ?h ?x)) (free ?h)))
  (:action putin
    :parameters (?x - item ?f - furniture ?h - hand)
    :precondition (and (holds ?h ?x) (at ?f) (container ?f) (or (not (can-open ?f)) (is-open ?f)))
    :effect (and (inside ?x ?f) (not (holds ?h ?x)) (free ?h) (when (detergent ?x) (soapy ?f))))
  (:action fill
    :parameters (?x - item ?v - vessel ?h - hand ?g - hand)
    :precondition (and (goes-into ?x ?v) (holds ?h ?x) (holds ?g ?v))
    :effect (and (in ?x ?v) (not (holds ?h ?x)) (free ?h)))
  (:action open
    :parameters (?f - furniture ?h - hand)
    :precondition (and (can-open ?f) (at ?f) (free ?h) (not (is-open ?f)) (not (switched-on ?f)))
    :effect (is-open ?f))
  (:action close
    :parameters (?f - furniture ?h - hand)
    :precondition (and (can-open ?f) (at ?f) (free ?h) (is-open ?f))
    :effect (not (is-open ?f)))
  (:action switchon
    :parameters (?f - furniture)
    :precondition (and (has-switch ?f) (at ?f) (not (switched-on ?f)) (not (unplugged ?f))
      (or (not (can-open ?f)) (not (is-open ?f))))
    :effect (and (switched-on ?f)
      (forall (?x - item) (when (and (toasts ?f) (inside ?x ?f)) (toasted ?x)))
      (forall (?x - item) (when (and (heats ?f) (inside ?x ?f)) (warmed ?x)))
      (forall (?x - item ?s - furniture)
        (when (and (runs-into ?f ?s) (soapy ?s) (inside ?x ?s)) (washed ?x)))))
  (:action switchoff
    :parameters (?f - furniture)
    :precondition (and (has-switch ?f) (at ?f) (switched-on ?f))
    :effect (not (switched-on ?f)))
  (:action sit
    :parameters (?f - furniture)
    :precondition (and (sittable ?f) (at ?f) (not (sitting)))
    :effect (and (sitting) (seated-on ?f)))
  (:action standup
    :parameters (?f - furniture)
    :precondition (and (sitting) (seated-on ?f))
    :effect (and (not (sitting)) (not (seated-on ?f))))
  (:action drink
    :parameters (?x - item ?h - hand)
    :precondition (and (drinkable ?x) (holds ?h ?x))
    :effect (drunk ?x))
  (:action touch
    :parameters (?f - furniture)
    :precondition (at ?f)
    :effect (touched ?f))
  (:action touch-item
    :parameters (?x - item ?h - hand)
    :precondition (holds ?h ?x)
    :effect (touched ?x))
  (:action lookat
    :parameters (?f - furniture ?r - room)
    :precondition (and (robot-in ?r) (stands-in ?f ?r))
    :effect (looked-at ?f))
  (:action lookat-item
    :parameters (?x - item ?h - hand)
    :precondition (holds ?h ?x)
    :effect (looked-at ?x)))
