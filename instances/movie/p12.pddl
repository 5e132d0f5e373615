; Movie: 8 snacks, 4 kinds of which are wanted.
(define (problem movie-p12)
  (:domain movie-strips-complex)

  (:objects
    c1
    d1 d2
    p1
    z1 z2
    k1 k2)

  (:init
    (counter-at-zero)
    (chips c1)
    (dip d1) (dip d2)
    (pop p1)
    (cheese z1) (cheese z2)
    (crackers k1) (crackers k2))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-dip)
    (have-pop)
    (have-cheese)
    (have-crackers))))
