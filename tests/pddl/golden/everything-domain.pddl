(define (domain everything)
  (:requirements :adl :fluents :durative-actions :duration-inequalities :derived-predicates :timed-initial-literals :preferences :constraints :time)
  (:types
    truck - vehicle
    place vehicle - object
    cargo - (either vehicle place)
  )
  (:constants
    depot - place
  )
  (:predicates
    (at ?t - vehicle ?p - place)
    (open ?p - place)
    (busy ?t - truck)
    (near ?a ?b - place)
    (tired)
  )
  (:functions
    (dist ?a ?b - place) - number
    (fuel ?t - truck) - number
    (home ?t - truck) - place
    (total-cost) - number
  )
  (:constraints (and
                  (always (forall (?t - truck) (>= (fuel ?t) 0)))
                  (preference c1 (sometime-after (open depot) (not (open depot))))
                  (within 5.5 (open depot))
                  (hold-during 1 2 (open depot))
                  (at end (open depot))))
  (:derived (near ?a ?b - place)
    (or (< (dist ?a ?b) 1) (exists (?c - place) (and (near ?a ?c) (near ?c ?b))))
  )
  (:action leave
    :parameters (?t - truck ?p ?q - (either place cargo))
    :precondition (and
                    (not (= ?p ?q))
                    (imply (busy ?t) (tired))
                    (forall (?x - place) (open ?x))
                    (= (home ?t) ?p))
    :effect (and
              (when (tired) (and (not (tired)) (open depot)))
              (forall (?x - place) (not (open ?x)))
              (increase (total-cost) 1.5)
              (assign (fuel ?t) (- (* 2 (fuel ?t)) (/ 1 4)))
              (assign (home ?t) depot))
  )
  (:action rest
    :parameters ()
    :precondition (and)
    :effect (and)
  )
  (:durative-action drive
    :parameters (?t - truck ?a ?b - place)
    :duration (and (>= ?duration (/ (dist ?a ?b) 2)) (at end (<= ?duration (fuel ?t))))
    :condition (and
                 (at start (at ?t ?a))
                 (over all (open ?b))
                 (preference p1 (at end (open ?a)))
                 (forall (?p - place) (at start (open ?p))))
    :effect (and
              (at start (not (at ?t ?a)))
              (at end (and (at ?t ?b) (not (busy ?t))))
              (decrease (fuel ?t) (* #t 2))
              (when (at start (busy ?t)) (at end (open ?a)))
              (at start (assign (fuel ?t) ?duration)))
  )
  (:process leak
    :parameters (?t - truck)
    :precondition (> (fuel ?t) 0)
    :effect (decrease (fuel ?t) (* #t 0.25))
  )
  (:event stop
    :parameters (?t - truck)
    :precondition (= (fuel ?t) 0)
    :effect (busy ?t)
  )
)
