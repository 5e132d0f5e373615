; Action costs and a function over roads.
(define (domain roads)
  (:requirements :typing :action-costs)
  (:types town)
  (:predicates (at ?t - town) (road ?x ?y - town))
  (:functions (total-cost) - number (length ?x ?y - town) - number)
  (:action ride
    :parameters (?x ?y - town)
    :precondition (and (at ?x) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) (length ?x ?y))))
  (:action sleep
    :effect (increase (total-cost) 2)))
