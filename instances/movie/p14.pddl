; Movie: 7 snacks, 5 kinds of which are wanted.
(define (problem movie-p14)
  (:domain movie-strips-complex)

  (:objects
    c1 c2
    d1
    p1 p2
    z1
    k1)

  (:init
    (counter-at-zero)
    (chips c1) (chips c2)
    (dip d1)
    (pop p1) (pop p2)
    (cheese z1)
    (crackers k1))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips)
    (have-dip)
    (have-pop)
    (have-cheese)
    (have-crackers))))
