; Movie: 12 snacks, 2 kinds of which are wanted.
(define (problem movie-example)
  (:domain movie-strips-complex)

  (:objects
    c1 c2 c3
    d1 d2 d3
    p1 p2
    z1 z2
    k1 k2)

  (:init
    (counter-at-zero)
    (chips c1) (chips c2) (chips c3)
    (dip d1) (dip d2) (dip d3)
    (pop p1) (pop p2)
    (cheese z1) (cheese z2)
    (crackers k1) (crackers k2))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips)
    (have-cheese))))
