; several things wrong at once
(define (domain several)
  (:requirements :strips :typnig)
  (:types block - thing)
  (:predicates (on ?x - block ?y - blok) (clear ?x - block))
  (:action stack
    :parameters (?x ?y - block)
    :precondition (and (clear ?x) (claer ?y) (on ?x))
    :effect (and (on ?x ?z) (clear ?x ?y) (or (clear ?x) (clear ?y))))
	(:action tab :parameters (?x) :effect (and	(clear x))))
