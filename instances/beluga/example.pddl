; Beluga: 3 jigs, 3 racks, 3 steps to do.
(define (problem beluga-example)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 - jig
    kind-a kind-b - kind
    rack1 rack2 rack3 - rack
    length0 length1 length2 length3 length4 - length
    beluga-trailer1 - beluga-trailer
    factory-trailer1 - factory-trailer
    hangar1 - hangar
    flight1-in1 flight1-in2 flights-end - step
    line1-part1 line1-end - step)

  (:init
    (due flight1-in1) (then flight1-in1 flight1-in2) (then flight1-in2 flights-end)
    (arrives jig1 flight1-in1) (arrives jig2 flight1-in2)
    (due line1-part1) (then line1-part1 line1-end) (needed jig3 line1-part1)
    (is-of-kind jig1 kind-a) (full jig1) (in-plane jig1) (leaves jig1 length1 length0)
    (leaves jig1 length2 length1) (leaves jig1 length3 length2) (leaves jig1 length4 length3)
    (is-of-kind jig2 kind-b) (full jig2) (in-plane jig2) (leaves jig2 length2 length0)
    (leaves jig2 length3 length1) (leaves jig2 length4 length2)
    (is-of-kind jig3 kind-b) (full jig3) (leaves jig3 length2 length0) (leaves jig3 length3 length1)
    (leaves jig3 length4 length2)
    (space rack1 length4) (before rack1 rack1)
    (space rack2 length2) (before rack2 jig3) (before jig3 rack2)
    (space rack3 length4) (before rack3 rack3)
    (free beluga-trailer1) (free factory-trailer1)
    (vacant hangar1))

  (:goal (and
    (done flight1-in1)
    (done flight1-in2)
    (done line1-part1))))
