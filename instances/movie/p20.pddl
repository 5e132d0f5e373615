; Movie: 8 snacks, 5 kinds of which are wanted.
(define (problem movie-p20)
  (:domain movie-strips-complex)

  (:objects
    c1 c2 c3
    d1 d2
    p1
    z1
    k1)

  (:init
    (counter-at-other-than-zero)
    (chips c1) (chips c2) (chips c3)
    (dip d1) (dip d2)
    (pop p1)
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
