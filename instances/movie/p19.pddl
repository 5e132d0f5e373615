; Movie: 7 snacks, 5 kinds of which are wanted.
(define (problem movie-p19)
  (:domain movie-strips-complex)

  (:objects
    c1 c2
    d1
    p1
    z1 z2
    k1)

  (:init
    (counter-at-other-than-zero)
    (chips c1) (chips c2)
    (dip d1)
    (pop p1)
    (cheese z1) (cheese z2)
    (crackers k1))

  (:goal (and
    (movie-rewound)
    (counter-at-zero)
    (have-chips)
    (have-dip)
    (have-pop)
    (have-cheese)
    (have-crackers))))
