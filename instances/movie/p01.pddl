; Movie: 5 snacks, 1 kind of which is wanted.
(define (problem movie-p01)
  (:domain movie-strips-complex)

  (:objects
    c1
    d1
    p1
    z1
    k1)

  (:init
    (counter-at-zero)
    (chips c1)
    (dip d1)
    (pop p1)
    (cheese z1)
    (crackers k1))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-dip))))
