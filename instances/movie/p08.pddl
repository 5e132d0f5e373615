; Movie: 10 snacks, 3 kinds of which are wanted.
(define (problem movie-p08)
  (:domain movie-strips-complex)

  (:objects
    c1 c2
    d1 d2
    p1 p2
    z1
    k1 k2 k3)

  (:init
    (counter-at-zero)
    (chips c1) (chips c2)
    (dip d1) (dip d2)
    (pop p1) (pop p2)
    (cheese z1)
    (crackers k1) (crackers k2) (crackers k3))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-dip)
    (have-pop)
    (have-crackers))))
