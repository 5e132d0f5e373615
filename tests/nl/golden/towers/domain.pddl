; Untyped STRIPS, told with the template.
(define (domain towers)
  (:requirements :strips)
  (:predicates (on ?x ?y) (clear ?x) (free) (between ?x ?y ?z))
  (:action move
    :parameters (?x ?from ?to)
    :precondition (and (on ?x ?from) (clear ?x) (clear ?to) (free))
    :effect (and (on ?x ?to) (clear ?from) (not (on ?x ?from)) (not (clear ?to))))
  (:action rest))
