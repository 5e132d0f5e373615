; Movie: get snacks, and leave the movie rewound with the counter at zero.
; Snacks are bought only while the counter is at zero and the movie is not rewound.
(define (domain movie-strips-complex)
  (:requirements :strips :negative-preconditions)

  (:predicates
    (movie-rewound)
    (counter-at-other-than-zero)
    (counter-at-zero)
    (have-chips)
    (have-dip)
    (have-pop)
    (have-cheese)
    (have-crackers)
    (chips ?x)      ; ?x is a portion of chips; the others likewise
    (dip ?x)
    (pop ?x)
    (cheese ?x)
    (crackers ?x))

  ; At zero there is nothing to rewind: the movie has to be started first.
  (:action rewind-movie
    :parameters ()
    :precondition (and
      (counter-at-other-than-zero))
    :effect (and
      (movie-rewound)))

  (:action reset-counter
    :parameters ()
    :precondition (and
      (counter-at-other-than-zero))
    :effect (and
      (counter-at-zero)
      (not (counter-at-other-than-zero))))

  (:action start-movie
    :parameters ()
    :precondition (and
      (counter-at-zero))
    :effect (and
      (counter-at-other-than-zero)
      (not (counter-at-zero))))

  (:action undo-rewind
    :parameters ()
    :precondition (and
      (movie-rewound))
    :effect (and
      (not (movie-rewound))))

  (:action get-chips
    :parameters (?x)
    :precondition (and
      (chips ?x)
      (counter-at-zero)
      (not (movie-rewound)))
    :effect (and
      (have-chips)))

  (:action get-dip
    :parameters (?x)
    :precondition (and
      (dip ?x)
      (counter-at-zero)
      (not (movie-rewound)))
    :effect (and
      (have-dip)))

  (:action get-pop
    :parameters (?x)
    :precondition (and
      (pop ?x)
      (counter-at-zero)
      (not (movie-rewound)))
    :effect (and
      (have-pop)))

  (:action get-cheese
    :parameters (?x)
    :precondition (and
      (cheese ?x)
      (counter-at-zero)
      (not (movie-rewound)))
    :effect (and
      (have-cheese)))

  (:action get-crackers
    :parameters (?x)
    :precondition (and
      (crackers ?x)
      (counter-at-zero)
      (not (movie-rewound)))
    :effect (and
      (have-crackers))))
