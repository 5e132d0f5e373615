; A mobile robot with one gripper in a building: rooms that are joined by poses, assets in rooms, items on and in assets.
;
; It goes from place to place, accesses one asset of its room at a time, and handles what is on or inside that asset.
; Doors can be opened and closed with a full gripper.
(define (domain building)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :existential-preconditions
                 :conditional-effects)
  (:types
    place thing attribute floor - object
    room pose - place
    asset item - thing)
  (:predicates
    ; where the robot and things are
    (at ?p - place)
    (linked ?p - place ?q - place)
    (on-floor ?r - room ?f - floor)
    (in-room ?a - asset ?r - room)
    (on-top-of ?o - item ?a - asset)
    (inside-of ?o - item ?a - asset)
    (in-hand ?o - item)
    (hand-empty)
    (accessed ?a - asset)
    ; their states
    (shut ?a - asset)
    (running ?a - asset)
    (tested ?a - asset)
    (dirty ?o - item)
    (heated ?o - item)
    (coffee-in ?o - item)
    ; what never changes
    (openable ?a - asset)
    (switchable ?a - asset)
    (takes-on ?a - asset)
    (takes-in ?a - asset)
    (heats ?a - asset)
    (washes ?a - asset)
    (brews ?a - asset)
    (vessel ?o - item)
    (has ?x - thing ?v - attribute))

  (:action goto
    :parameters (?from - place ?to - place)
    :precondition (and (at ?from) (linked ?from ?to))
    :effect (and (not (at ?from)) (at ?to) (forall (?a - asset) (not (accessed ?a)))))

  (:action access
    :parameters (?a - asset ?r - room)
    :precondition (and (at ?r) (in-room ?a ?r))
    :effect (and (forall (?b - asset) (not (accessed ?b))) (accessed ?a)))

  (:action pickup-from-top
    :parameters (?o - item ?a - asset)
    :precondition (and (hand-empty) (accessed ?a) (on-top-of ?o ?a))
    :effect (and (in-hand ?o) (not (hand-empty)) (not (on-top-of ?o ?a))))

  (:action pickup-from-inside
    :parameters (?o - item ?a - asset)
    :precondition (and (hand-empty) (accessed ?a) (inside-of ?o ?a) (not (shut ?a)))
    :effect (and (in-hand ?o) (not (hand-empty)) (not (inside-of ?o ?a))))

  (:action release-onto
    :parameters (?o - item ?a - asset)
    :precondition (and (in-hand ?o) (accessed ?a) (takes-on ?a))
    :effect (and (not (in-hand ?o)) (hand-empty) (on-top-of ?o ?a)))

  (:action release-into
    :parameters (?o - item ?a - asset)
    :precondition (and (in-hand ?o) (accessed ?a) (takes-in ?a) (not (shut ?a)))
    :effect (and (not (in-hand ?o)) (hand-empty) (inside-of ?o ?a)))

  (:action open-asset
    :parameters (?a - asset)
    :precondition (and (accessed ?a) (openable ?a) (shut ?a) (not (running ?a)))
    :effect (not (shut ?a)))

  (:action close-asset
    :parameters (?a - asset)
    :precondition (and (accessed ?a) (openable ?a) (not (shut ?a)))
    :effect (shut ?a))

  ; What has a door only runs with the door shut.
  (:action turn-on
    :parameters (?a - asset)
    :precondition (and (accessed ?a) (switchable ?a) (not (running ?a)) (or (not (openable ?a)) (shut ?a)))
    :effect (and
      (running ?a)
      (forall (?o - item) (when (and (heats ?a) (inside-of ?o ?a)) (heated ?o)))
      (forall (?o - item) (when (and (washes ?a) (inside-of ?o ?a)) (not (dirty ?o))))
      (forall (?o - item) (when (and (brews ?a) (vessel ?o) (on-top-of ?o ?a)) (coffee-in ?o)))))

  (:action turn-off
    :parameters (?a - asset)
    :precondition (and (accessed ?a) (running ?a))
    :effect (and (not (running ?a)) (tested ?a))))
