; Derived predicates, told with the template.
(define (domain pipes)
  (:requirements :typing :derived-predicates :disjunctive-preconditions :existential-preconditions)
  (:types valve)
  (:predicates (linked ?x ?y - valve) (open ?x - valve) (source ?x - valve) (wet ?x - valve))
  (:derived (wet ?x - valve)
    (or (source ?x) (exists (?y - valve) (and (wet ?y) (linked ?y ?x) (open ?x)))))
  (:action turn
    :parameters (?x - valve)
    :precondition (wet ?x)
    :effect (open ?x)))
