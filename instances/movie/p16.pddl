; Movie: 11 snacks, 4 kinds of which are wanted.
(define (problem movie-p16)
  (:domain movie-strips-complex)

  (:objects
    c1 c2
    d1 d2
    p1 p2
    z1 z2
    k1 k2 k3)

  (:init
    (counter-at-other-than-zero)
    (chips c1) (chips c2)
    (dip d1) (dip d2)
    (pop p1) (pop p2)
    (cheese z1) (cheese z2)
    (crackers k1) (crackers k2) (crackers k3))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips)
    (have-pop)
    (have-cheese)
    (have-crackers))))
