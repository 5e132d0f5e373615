; Movie: 9 snacks, 4 kinds of which are wanted.
(define (problem movie-p15)
  (:domain movie-strips-complex)

  (:objects
    c1 c2
    d1 d2
    p1 p2 p3
    z1
    k1)

  (:init
    (counter-at-other-than-zero)
    (chips c1) (chips c2)
    (dip d1) (dip d2)
    (pop p1) (pop p2) (pop p3)
    (cheese z1)
    (crackers k1))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips)
    (have-pop)
    (have-cheese)
    (have-crackers))))
