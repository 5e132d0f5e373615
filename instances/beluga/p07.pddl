; Beluga: 6 jigs, 2 racks, 3 steps to do.
(define (problem beluga-p07)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 jig4 jig5 jig6 - jig
    kind-a kind-b - kind
    rack1 rack2 - rack
    length0 length1 length2 length3 length4 length5 - length
    beluga-trailer1 - beluga-trailer
    factory-trailer1 - factory-trailer
    hangar1 - hangar
    flight1-out1 flights-end - step
    line1-part1 line1-part2 line1-end - step)

  (:init
    (due flight1-out1) (then flight1-out1 flights-end) (returns kind-b flight1-out1)
    (due line1-part1) (then line1-part1 line1-part2) (then line1-part2 line1-end)
    (needed jig1 line1-part1) (needed jig4 line1-part2)
    (is-of-kind jig1 kind-b) (full jig1) (leaves jig1 length2 length0) (leaves jig1 length3 length1)
    (leaves jig1 length4 length2) (leaves jig1 length5 length3)
    (is-of-kind jig2 kind-a) (full jig2) (leaves jig2 length1 length0) (leaves jig2 length2 length1)
    (leaves jig2 length3 length2) (leaves jig2 length4 length3) (leaves jig2 length5 length4)
    (is-of-kind jig3 kind-b) (full jig3) (leaves jig3 length2 length0) (leaves jig3 length3 length1)
    (leaves jig3 length4 length2) (leaves jig3 length5 length3)
    (is-of-kind jig4 kind-b) (full jig4) (leaves jig4 length2 length0) (leaves jig4 length3 length1)
    (leaves jig4 length4 length2) (leaves jig4 length5 length3)
    (is-of-kind jig5 kind-a) (empty jig5) (leaves jig5 length1 length0)
    (leaves jig5 length2 length1) (leaves jig5 length3 length2) (leaves jig5 length4 length3)
    (leaves jig5 length5 length4)
    (is-of-kind jig6 kind-b) (empty jig6) (leaves jig6 length2 length0)
    (leaves jig6 length3 length1) (leaves jig6 length4 length2) (leaves jig6 length5 length3)
    (space rack1 length0) (before rack1 jig6) (before jig6 jig5) (before jig5 jig4)
    (before jig4 rack1)
    (space rack2 length0) (before rack2 jig2) (before jig2 jig3) (before jig3 jig1)
    (before jig1 rack2)
    (free beluga-trailer1) (free factory-trailer1)
    (vacant hangar1))

  (:goal (and
    (done flight1-out1)
    (done line1-part1)
    (done line1-part2))))
