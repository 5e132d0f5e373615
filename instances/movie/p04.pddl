; Movie: 9 snacks, 1 kind of which is wanted.
(define (problem movie-p04)
  (:domain movie-strips-complex)

  (:objects
    c1
    d1 d2
    p1 p2 p3
    z1
    k1 k2)

  (:init
    (counter-at-other-than-zero)
    (chips c1)
    (dip d1) (dip d2)
    (pop p1) (pop p2) (pop p3)
    (cheese z1)
    (crackers k1) (crackers k2))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips))))
