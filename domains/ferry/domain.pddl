; Ferry: a boat that holds one car takes cars from shore to shore.
(define (domain ferry)
  (:requirements :strips :typing)

  (:types car location - object)

  (:predicates
    (at-ferry ?l - location)      ; where the ferry lies
    (at ?c - car ?l - location)   ; where a car stands ashore
    (empty-ferry)                 ; no car is aboard
    (on ?c - car))                ; the car is aboard

  (:action sail
    :parameters (?from - location ?to - location)
    :precondition (and
      (at-ferry ?from))
    :effect (and
      (at-ferry ?to)
      (not (at-ferry ?from))))

  (:action board
    :parameters (?car - car ?loc - location)
    :precondition (and
      (at ?car ?loc)
      (at-ferry ?loc)
      (empty-ferry))
    :effect (and
      (on ?car)
      (not (at ?car ?loc))
      (not (empty-ferry))))

  (:action debark
    :parameters (?car - car ?loc - location)
    :precondition (and
      (on ?car)
      (at-ferry ?loc))
    :effect (and
      (at ?car ?loc)
      (empty-ferry)
      (not (on ?car)))))
