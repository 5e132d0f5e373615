; Movie: 12 snacks, 1 kind of which is wanted.
(define (problem movie-p03)
  (:domain movie-strips-complex)

  (:objects
    c1 c2
    d1 d2
    p1 p2 p3
    z1 z2 z3
    k1 k2)

  (:init
    (counter-at-zero)
    (chips c1) (chips c2)
    (dip d1) (dip d2)
    (pop p1) (pop p2) (pop p3)
    (cheese z1) (cheese z2) (cheese z3)
    (crackers k1) (crackers k2))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-crackers))))
