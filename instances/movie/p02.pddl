; Movie: 10 snacks, 1 kind of which is wanted.
(define (problem movie-p02)
  (:domain movie-strips-complex)

  (:objects
    c1 c2 c3
    d1
    p1 p2
    z1 z2 z3
    k1)

  (:init
    (counter-at-zero)
    (chips c1) (chips c2) (chips c3)
    (dip d1)
    (pop p1) (pop p2)
    (cheese z1) (cheese z2) (cheese z3)
    (crackers k1))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-crackers))))
