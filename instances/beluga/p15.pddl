; Beluga: 7 jigs, 3 racks, 7 steps to do.
(define (problem beluga-p15)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 jig4 jig5 jig6 jig7 - jig
    kind-a kind-b kind-c - kind
    rack1 rack2 rack3 - rack
    length0 length1 length2 length3 length4 - length
    beluga-trailer1 - beluga-trailer
    factory-trailer1 - factory-trailer
    hangar1 - hangar
    flight1-in1 flight1-in2 flight1-in3 flight1-out1 flight1-out2 flights-end - step
    line1-part1 line1-part2 line1-end - step)

  (:init
    (due flight1-in1) (then flight1-in1 flight1-in2) (then flight1-in2 flight1-in3)
    (then flight1-in3 flight1-out1) (then flight1-out1 flight1-out2) (then flight1-out2 flights-end)
    (arrives jig1 flight1-in1) (arrives jig2 flight1-in2) (arrives jig3 flight1-in3)
    (returns kind-a flight1-out1) (returns kind-c flight1-out2)
    (due line1-part1) (then line1-part1 line1-part2) (then line1-part2 line1-end)
    (needed jig5 line1-part1) (needed jig4 line1-part2)
    (is-of-kind jig1 kind-a) (full jig1) (in-plane jig1) (leaves jig1 length1 length0)
    (leaves jig1 length2 length1) (leaves jig1 length3 length2) (leaves jig1 length4 length3)
    (is-of-kind jig2 kind-c) (full jig2) (in-plane jig2) (leaves jig2 length3 length0)
    (leaves jig2 length4 length1)
    (is-of-kind jig3 kind-a) (full jig3) (in-plane jig3) (leaves jig3 length1 length0)
    (leaves jig3 length2 length1) (leaves jig3 length3 length2) (leaves jig3 length4 length3)
    (is-of-kind jig4 kind-a) (full jig4) (leaves jig4 length1 length0) (leaves jig4 length2 length1)
    (leaves jig4 length3 length2) (leaves jig4 length4 length3)
    (is-of-kind jig5 kind-c) (full jig5) (leaves jig5 length3 length0) (leaves jig5 length4 length1)
    (is-of-kind jig6 kind-c) (full jig6) (leaves jig6 length3 length0) (leaves jig6 length4 length1)
    (is-of-kind jig7 kind-a) (empty jig7) (leaves jig7 length1 length0)
    (leaves jig7 length2 length1) (leaves jig7 length3 length2) (leaves jig7 length4 length3)
    (space rack1 length1) (before rack1 jig5) (before jig5 rack1)
    (space rack2 length0) (before rack2 jig6) (before jig6 jig4) (before jig4 rack2)
    (space rack3 length3) (before rack3 jig7) (before jig7 rack3)
    (free beluga-trailer1) (free factory-trailer1)
    (vacant hangar1))

  (:goal (and
    (done flight1-in1)
    (done flight1-in2)
    (done flight1-in3)
    (done flight1-out1)
    (done flight1-out2)
    (done line1-part1)
    (done line1-part2))))
