; Derived predicates, one of them recursive, and numeric fluents in conditions, effects and the metric.
(define (domain gardens)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types spring bed - basin plant)
  (:predicates (hose ?from ?to - basin) (kinked ?b - basin) (fed ?b - basin) (grows ?p - plant ?b - bed)
               (watered ?p - plant) (flourishing))
  (:functions (water ?b - bed) (thirst ?p - plant) (toil))
  (:derived (fed ?b - basin)
    (exists (?from - basin) (and (hose ?from ?b) (not (kinked ?b))
                                 (or (exists (?s - spring) (= ?from ?s)) (fed ?from)))))
  (:derived (flourishing)
    (forall (?p - plant) (watered ?p)))
  (:action untwist
    :parameters (?b - basin)
    :precondition (kinked ?b)
    :effect (and (not (kinked ?b)) (increase (toil) 1)))
  (:action fill
    :parameters (?b - bed)
    :precondition (and (fed ?b) (<= (water ?b) 7.5))
    :effect (and (increase (water ?b) 2.5) (increase (toil) 1)))
  (:action water
    :parameters (?p - plant ?b - bed)
    :precondition (and (grows ?p ?b) (>= (water ?b) (* 2 (thirst ?p))) (not (watered ?p)) (not (< (water ?b) 1)))
    :effect (and (watered ?p) (decrease (water ?b) (thirst ?p)) (increase (toil) 3)))
  (:action level
    :parameters (?from ?to - bed)
    :precondition (and (hose ?from ?to) (not (= ?from ?to)) (> (water ?from) (+ (water ?to) 1)))
    :effect (and (assign (water ?to) (- (water ?from) 1)) (scale-down (water ?from) 2)))
  (:action rain
    :effect (and (forall (?b - bed) (scale-up (water ?b) 2)) (assign (toil) 0))))
