; A robot with one arm in a kitchen.
;
; Walking to an object brings it within reach, together with what is built into it, and gives up all that was within
; reach before, also what the arm holds: an egg is cracked where it was picked up. What holds an object takes it along.
; Slicing and cracking bring objects into being that were declared as absent.
(define (domain kitchen)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :existential-preconditions
                 :conditional-effects)
  (:types
    thing liquid - object
    fixture item - thing
    countertop dining-table shelf stove-burner stove-knob fridge cabinet drawer microwave toaster coffee-machine
    sink-basin faucet - fixture
    food ware utensil - item
    knife fork - utensil
    plate bowl pan vessel - ware
    cup mug pot kettle wine-bottle - vessel
    egg egg-cracked sliceable slice - food
    potato tomato lettuce bread apple - sliceable
    potato-slice tomato-slice lettuce-slice bread-slice apple-slice - slice
    water coffee wine - liquid)
  (:predicates
    ; where things are
    (near ?x - thing)
    (on ?x - item ?r - thing)
    (inside ?x - item ?r - thing)
    (holding ?x - item)
    (hand-empty)
    (hidden ?x - thing)
    (absent ?x - thing)
    ; their states
    (open ?r - thing)
    (running ?a - thing)
    (in-use ?x - thing)
    (dirty ?w - thing)
    (filled ?v - vessel ?l - liquid)
    (hot ?v - vessel)
    (warm ?v - vessel)
    (cooked ?f - food)
    (fried ?f - food)
    (toasted ?f - food)
    ; what never changes
    (openable ?r - thing)
    (toggleable ?a - thing)
    (surface ?r - thing)
    (container ?r - thing)
    (dish ?w - thing)
    (part-of ?x - thing ?r - thing)
    (controls ?a - thing ?r - thing)
    (delivers ?a - thing ?l - liquid)
    (comes-from ?s - food ?w - food)
    (too-large-for ?x - item ?r - thing))

  (:action navigate-to-obj
    :parameters (?o - thing)
    :precondition (not (absent ?o))
    :effect (and
      (forall (?x - thing) (not (near ?x)))
      (near ?o)
      (forall (?x - fixture) (when (part-of ?x ?o) (near ?x)))))

  (:action pick-up
    :parameters (?x - item)
    :precondition (and (near ?x) (hand-empty) (not (hidden ?x)) (not (in-use ?x)))
    :effect (and
      (holding ?x)
      (not (hand-empty))
      (forall (?r - thing) (and (not (on ?x ?r)) (not (inside ?x ?r))))))

  ; No dish goes onto a dish, and nothing onto a dish that stands inside something.
  (:action put-on
    :parameters (?x - item ?r - thing)
    :precondition (and (holding ?x) (near ?r) (surface ?r) (not (hidden ?r)) (not (in-use ?r)) (not (dirty ?r))
      (or (not (dish ?r))
          (and (not (dish ?x)) (exists (?s - thing) (on ?r ?s)))))
    :effect (and
      (not (holding ?x))
      (hand-empty)
      (on ?x ?r)
      (near ?x)
      (forall (?y - item) (when (or (on ?y ?x) (inside ?y ?x)) (near ?y)))))

  (:action put-in
    :parameters (?x - item ?r - thing)
    :precondition (and (holding ?x) (near ?r) (container ?r) (not (hidden ?r)) (not (in-use ?r)) (not (dirty ?r))
      (not (too-large-for ?x ?r))
      (or (not (openable ?r)) (open ?r))
      (or (not (dish ?r))
          (and (not (dish ?x)) (exists (?s - thing) (on ?r ?s)))))
    :effect (and
      (not (holding ?x))
      (hand-empty)
      (inside ?x ?r)
      (near ?x)
      (forall (?y - item) (when (or (on ?y ?x) (inside ?y ?x)) (near ?y)))))

  (:action open-obj
    :parameters (?r - fixture)
    :precondition (and (near ?r) (openable ?r) (hand-empty) (not (open ?r)) (not (in-use ?r)))
    :effect (and
      (open ?r)
      (forall (?x - item) (when (inside ?x ?r) (not (hidden ?x))))
      (forall (?x - ware ?y - item)
        (when (and (inside ?x ?r) (or (on ?y ?x) (inside ?y ?x))) (not (hidden ?y))))))

  (:action close-obj
    :parameters (?r - fixture)
    :precondition (and (near ?r) (openable ?r) (hand-empty) (open ?r))
    :effect (and
      (not (open ?r))
      (forall (?x - item) (when (inside ?x ?r) (hidden ?x)))
      (forall (?x - ware ?y - item)
        (when (and (inside ?x ?r) (or (on ?y ?x) (inside ?y ?x))) (hidden ?y)))))

  ; What runs has an effect at once on what is in or on the places that it controls; all that is there is in use, and
  ; can be neither taken nor filled, until it is turned off.
  (:action toggle-on
    :parameters (?a - thing)
    :precondition (and (near ?a) (toggleable ?a) (hand-empty) (not (running ?a)) (not (open ?a)) (not (hidden ?a))
      (or (not (dish ?a)) (exists (?s - thing) (on ?a ?s))))
    :effect (and
      (running ?a)
      (forall (?r - thing) (when (controls ?a ?r) (in-use ?r)))
      (forall (?r - fixture ?x - item)
        (when (and (controls ?a ?r) (or (on ?x ?r) (inside ?x ?r))) (in-use ?x)))
      (forall (?r - fixture ?x - ware ?y - item)
        (when (and (controls ?a ?r) (or (on ?x ?r) (inside ?x ?r)) (or (on ?y ?x) (inside ?y ?x))) (in-use ?y)))
      ; a faucet and a coffee machine fill what is clean, and a faucet cleans what is dirty
      (forall (?r - fixture ?v - vessel ?l - liquid)
        (when (and (controls ?a ?r) (delivers ?a ?l) (inside ?v ?r) (not (dirty ?v))) (filled ?v ?l)))
      (forall (?r - sink-basin ?w - ware)
        (when (and (controls ?a ?r) (inside ?w ?r)) (not (dirty ?w))))
      ; a stove heats what a pot holds and fries what is inside a pan
      (forall (?r - stove-burner ?p - pan ?f - food)
        (when (and (controls ?a ?r) (on ?p ?r) (inside ?f ?p)) (fried ?f)))
      (forall (?r - stove-burner ?p - pot ?l - liquid)
        (when (and (controls ?a ?r) (on ?p ?r) (filled ?p ?l)) (hot ?p)))
      (forall (?k - kettle ?l - liquid) (when (and (controls ?a ?k) (filled ?k ?l)) (hot ?k)))
      ; a microwave warms liquids and cooks food, in a dish or not; a toaster toasts bread
      (forall (?r - microwave ?v - vessel ?l - liquid)
        (when (and (controls ?a ?r) (inside ?v ?r) (filled ?v ?l)) (warm ?v)))
      (forall (?r - microwave ?f - food)
        (when (and (controls ?a ?r)
                   (or (inside ?f ?r) (exists (?w - ware) (and (inside ?w ?r) (or (on ?f ?w) (inside ?f ?w))))))
          (cooked ?f)))
      (forall (?r - toaster ?f - bread-slice)
        (when (and (controls ?a ?r) (inside ?f ?r)) (toasted ?f)))))

  (:action toggle-off
    :parameters (?a - thing)
    :precondition (and (near ?a) (hand-empty) (running ?a))
    :effect (and
      (not (running ?a))
      (forall (?r - thing) (when (controls ?a ?r) (not (in-use ?r))))
      (forall (?r - fixture ?x - item)
        (when (and (controls ?a ?r) (or (on ?x ?r) (inside ?x ?r))) (not (in-use ?x))))
      (forall (?r - fixture ?x - ware ?y - item)
        (when (and (controls ?a ?r) (or (on ?x ?r) (inside ?x ?r)) (or (on ?y ?x) (inside ?y ?x)))
          (not (in-use ?y))))))

  ; With a knife in the arm, on a countertop: in the place of the whole lie its slices.
  (:action slice-obj
    :parameters (?w - sliceable)
    :precondition (and (near ?w) (exists (?k - knife) (holding ?k)) (exists (?c - countertop) (on ?w ?c)))
    :effect (and
      (absent ?w)
      (not (near ?w))
      (forall (?c - countertop) (not (on ?w ?c)))
      (forall (?s - slice) (when (comes-from ?s ?w) (and (not (absent ?s)) (near ?s))))
      (forall (?s - slice ?c - countertop) (when (and (comes-from ?s ?w) (on ?w ?c)) (on ?s ?c)))))

  ; In the arm: what comes out of the egg is held instead of it.
  (:action crack-obj
    :parameters (?e - egg)
    :precondition (and (holding ?e) (near ?e))
    :effect (and
      (absent ?e)
      (not (near ?e))
      (not (holding ?e))
      (forall (?c - egg-cracked) (when (comes-from ?c ?e) (and (not (absent ?c)) (near ?c) (holding ?c))))))

  ; The source keeps a rest.
  (:action pour
    :parameters (?from - vessel ?to - vessel)
    :precondition (and (holding ?from) (near ?to) (not (hidden ?to)) (not (in-use ?to)) (not (dirty ?to))
      (exists (?l - liquid) (filled ?from ?l))
      (exists (?s - thing) (on ?to ?s)))
    :effect (and
      (forall (?l - liquid) (when (filled ?from ?l) (filled ?to ?l)))
      (when (hot ?from) (hot ?to))
      (when (warm ?from) (warm ?to)))))
