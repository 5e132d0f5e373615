; Beluga: 6 jigs, 2 racks, 6 steps to do.
(define (problem beluga-p16)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 jig4 jig5 jig6 - jig
    kind-a kind-b kind-c - kind
    rack1 rack2 - rack
    length0 length1 length2 length3 length4 length5 - length
    beluga-trailer1 beluga-trailer2 - beluga-trailer
    factory-trailer1 factory-trailer2 - factory-trailer
    hangar1 - hangar
    flight1-in1 flight1-in2 flight1-in3 flights-end - step
    line1-part1 line1-part2 line1-end - step
    line2-part1 line2-end - step)

  (:init
    (due flight1-in1) (then flight1-in1 flight1-in2) (then flight1-in2 flight1-in3)
    (then flight1-in3 flights-end) (arrives jig1 flight1-in1) (arrives jig2 flight1-in2)
    (arrives jig3 flight1-in3)
    (due line1-part1) (then line1-part1 line1-part2) (then line1-part2 line1-end)
    (needed jig3 line1-part1) (needed jig2 line1-part2)
    (due line2-part1) (then line2-part1 line2-end) (needed jig1 line2-part1)
    (is-of-kind jig1 kind-a) (full jig1) (in-plane jig1) (leaves jig1 length1 length0)
    (leaves jig1 length2 length1) (leaves jig1 length3 length2) (leaves jig1 length4 length3)
    (leaves jig1 length5 length4)
    (is-of-kind jig2 kind-b) (full jig2) (in-plane jig2) (leaves jig2 length2 length0)
    (leaves jig2 length3 length1) (leaves jig2 length4 length2) (leaves jig2 length5 length3)
    (is-of-kind jig3 kind-c) (full jig3) (in-plane jig3) (leaves jig3 length3 length0)
    (leaves jig3 length4 length1) (leaves jig3 length5 length2)
    (is-of-kind jig4 kind-b) (full jig4) (leaves jig4 length2 length0) (leaves jig4 length3 length1)
    (leaves jig4 length4 length2) (leaves jig4 length5 length3)
    (is-of-kind jig5 kind-b) (empty jig5) (leaves jig5 length2 length0)
    (leaves jig5 length3 length1) (leaves jig5 length4 length2) (leaves jig5 length5 length3)
    (is-of-kind jig6 kind-b) (empty jig6) (leaves jig6 length2 length0)
    (leaves jig6 length3 length1) (leaves jig6 length4 length2) (leaves jig6 length5 length3)
    (space rack1 length1) (before rack1 jig6) (before jig6 jig4) (before jig4 rack1)
    (space rack2 length3) (before rack2 jig5) (before jig5 rack2)
    (free beluga-trailer1) (free beluga-trailer2) (free factory-trailer1) (free factory-trailer2)
    (vacant hangar1))

  (:goal (and
    (done flight1-in1)
    (done flight1-in2)
    (done flight1-in3)
    (done line1-part1)
    (done line1-part2)
    (done line2-part1))))
