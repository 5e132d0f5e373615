; Actions and predicates with very many parameters, told in another order than PDDL's, one of them twice.
(define (domain bakery)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types baker oven tray dough recipe shelf hour)
  (:predicates (on ?t - tray ?s - shelf) (lies ?d - dough ?t - tray) (heated ?o - oven ?from ?to - hour)
               (makes ?r - recipe ?d - dough) (knows ?b - baker ?r - recipe) (now ?h - hour)
               (booked ?b - baker ?o - oven ?t - tray ?from ?to - hour) (baked ?d - dough) (burnt ?d - dough)
               (follows ?h ?i ?j - hour))
  (:action book
    :parameters (?b - baker ?o - oven ?t - tray ?from ?to - hour ?s - shelf)
    :precondition (and (on ?t ?s) (now ?from) (heated ?o ?from ?to) (not (= ?from ?to)))
    :effect (booked ?b ?o ?t ?from ?to))
  (:action bake
    :parameters (?b - baker ?d - dough ?r - recipe ?t - tray ?o - oven ?s1 ?s2 - shelf ?h ?i ?j - hour)
    :precondition (and (lies ?d ?t) (makes ?r ?d) (knows ?b ?r) (on ?t ?s1) (now ?h) (follows ?h ?i ?j)
                       (booked ?b ?o ?t ?h ?j) (not (baked ?d)) (not (burnt ?d)) (not (= ?s1 ?s2)))
    :effect (and (baked ?d) (on ?t ?s2) (now ?j) (not (on ?t ?s1)) (not (now ?h)) (not (booked ?b ?o ?t ?h ?j)))))
