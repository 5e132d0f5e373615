; Movie: 7 snacks, 3 kinds of which are wanted.
(define (problem movie-p11)
  (:domain movie-strips-complex)

  (:objects
    c1
    d1
    p1
    z1 z2
    k1 k2)

  (:init
    (counter-at-other-than-zero)
    (chips c1)
    (dip d1)
    (pop p1)
    (cheese z1) (cheese z2)
    (crackers k1) (crackers k2))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips)
    (have-dip)
    (have-cheese))))
