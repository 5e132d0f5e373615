; Goldminer: a robot digs its way through rock to the gold. The laser destroys rock of either
; kind, and the gold as well where there is some; a bomb opens soft rock only, and spares the gold.
(define (domain gold-miner-typed)
  (:requirements :strips :typing)

  (:types loc - object)

  (:predicates
    (robot-at ?x - loc)
    (bomb-at ?x - loc)                  ; an endless supply of bombs
    (laser-at ?x - loc)
    (soft-rock-at ?x - loc)
    (hard-rock-at ?x - loc)
    (gold-at ?x - loc)
    (arm-empty)
    (holds-bomb)
    (holds-laser)
    (holds-gold)
    (clear ?x - loc)                    ; no rock is there
    (connected ?x - loc ?y - loc))      ; ?y is a neighbour of ?x

  (:action move
    :parameters (?x - loc ?y - loc)
    :precondition (and
      (robot-at ?x)
      (connected ?x ?y)
      (clear ?y))
    :effect (and
      (robot-at ?y)
      (not (robot-at ?x))))

  (:action pickup-laser
    :parameters (?x - loc)
    :precondition (and
      (robot-at ?x)
      (laser-at ?x)
      (arm-empty))
    :effect (and
      (holds-laser)
      (not (arm-empty))
      (not (laser-at ?x))))

  (:action pickup-bomb
    :parameters (?x - loc)
    :precondition (and
      (robot-at ?x)
      (bomb-at ?x)
      (arm-empty))
    :effect (and
      (holds-bomb)
      (not (arm-empty))))

  (:action putdown-laser
    :parameters (?x - loc)
    :precondition (and
      (robot-at ?x)
      (holds-laser))
    :effect (and
      (arm-empty)
      (laser-at ?x)
      (not (holds-laser))))

  (:action detonate-bomb
    :parameters (?x - loc ?y - loc)
    :precondition (and
      (robot-at ?x)
      (holds-bomb)
      (connected ?x ?y)
      (soft-rock-at ?y))
    :effect (and
      (arm-empty)
      (clear ?y)
      (not (holds-bomb))
      (not (soft-rock-at ?y))))

  (:action fire-laser
    :parameters (?x - loc ?y - loc)
    :precondition (and
      (robot-at ?x)
      (holds-laser)
      (connected ?x ?y))
    :effect (and
      (clear ?y)
      (not (soft-rock-at ?y))
      (not (hard-rock-at ?y))
      (not (gold-at ?y))))

  (:action pick-gold
    :parameters (?x - loc)
    :precondition (and
      (robot-at ?x)
      (arm-empty)
      (gold-at ?x))
    :effect (and
      (holds-gold)
      (not (arm-empty)))))
