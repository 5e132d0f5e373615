; Beluga: 3 jigs, 2 racks, 4 steps to do.
(define (problem beluga-p09)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 - jig
    kind-a kind-b kind-c - kind
    rack1 rack2 - rack
    length0 length1 length2 length3 length4 - length
    beluga-trailer1 - beluga-trailer
    factory-trailer1 - factory-trailer
    hangar1 - hangar
    flight1-out1 flight1-out2 flights-end - step
    line1-part1 line1-part2 line1-end - step)

  (:init
    (due flight1-out1) (then flight1-out1 flight1-out2) (then flight1-out2 flights-end)
    (returns kind-a flight1-out1) (returns kind-a flight1-out2)
    (due line1-part1) (then line1-part1 line1-part2) (then line1-part2 line1-end)
    (needed jig1 line1-part1) (needed jig2 line1-part2)
    (is-of-kind jig1 kind-a) (full jig1) (leaves jig1 length1 length0) (leaves jig1 length2 length1)
    (leaves jig1 length3 length2) (leaves jig1 length4 length3)
    (is-of-kind jig2 kind-c) (full jig2) (leaves jig2 length3 length0) (leaves jig2 length4 length1)
    (is-of-kind jig3 kind-a) (empty jig3) (leaves jig3 length1 length0)
    (leaves jig3 length2 length1) (leaves jig3 length3 length2) (leaves jig3 length4 length3)
    (space rack1 length3) (before rack1 jig3) (before jig3 rack1)
    (space rack2 length0) (before rack2 jig2) (before jig2 jig1) (before jig1 rack2)
    (free beluga-trailer1) (free factory-trailer1)
    (vacant hangar1))

  (:goal (and
    (done flight1-out1)
    (done flight1-out2)
    (done line1-part1)
    (done line1-part2))))
