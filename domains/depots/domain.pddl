; Depots: crates are stacked on pallets and on each other, hoists lift them,
; and trucks carry them between depots and distributors.
(define (domain depot)
  (:requirements :strips :typing)

  (:types
    place locatable - object
    depot distributor - place
    truck hoist surface - locatable
    pallet crate - surface)

  (:predicates
    (at ?x - locatable ?y - place)    ; not of a crate that is lifted or in a truck
    (on ?x - crate ?y - surface)      ; directly on it
    (in ?x - crate ?y - truck)
    (lifting ?x - hoist ?y - crate)
    (available ?x - hoist)            ; the hoist lifts nothing
    (clear ?x - surface))             ; nothing is on it; never of a crate that is lifted or in a truck

  ; Every place can be reached from every other.
  (:action drive
    :parameters (?x - truck ?y - place ?z - place)
    :precondition (and
      (at ?x ?y))
    :effect (and
      (at ?x ?z)
      (not (at ?x ?y))))

  (:action lift
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and
      (at ?x ?p)
      (available ?x)
      (at ?y ?p)
      (on ?y ?z)
      (clear ?y))
    :effect (and
      (lifting ?x ?y)
      (clear ?z)
      (not (at ?y ?p))
      (not (clear ?y))
      (not (available ?x))
      (not (on ?y ?z))))

  (:action drop
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (clear ?z)
      (lifting ?x ?y))
    :effect (and
      (available ?x)
      (at ?y ?p)
      (clear ?y)
      (on ?y ?z)
      (not (lifting ?x ?y))
      (not (clear ?z))))

  ; A truck holds any number of crates, in no order.
  (:action load
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (lifting ?x ?y))
    :effect (and
      (in ?y ?z)
      (available ?x)
      (not (lifting ?x ?y))))

  (:action unload
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and
      (at ?x ?p)
      (at ?z ?p)
      (available ?x)
      (in ?y ?z))
    :effect (and
      (lifting ?x ?y)
      (not (in ?y ?z))
      (not (available ?x)))))
