; Movie: 11 snacks, 3 kinds of which are wanted.
(define (problem movie-p13)
  (:domain movie-strips-complex)

  (:objects
    c1 c2 c3
    d1
    p1
    z1 z2 z3
    k1 k2 k3)

  (:init
    (counter-at-other-than-zero)
    (chips c1) (chips c2) (chips c3)
    (dip d1)
    (pop p1)
    (cheese z1) (cheese z2) (cheese z3)
    (crackers k1) (crackers k2) (crackers k3))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-dip)
    (have-pop)
    (have-cheese))))
