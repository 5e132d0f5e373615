; Beluga: 2 jigs, 2 racks, 3 steps to do.
(define (problem beluga-p05)
  (:domain beluga)

  (:objects
    jig1 jig2 - jig
    kind-a kind-b kind-c - kind
    rack1 rack2 - rack
    length0 length1 length2 length3 length4 length5 - length
    beluga-trailer1 beluga-trailer2 - beluga-trailer
    factory-trailer1 factory-trailer2 - factory-trailer
    hangar1 - hangar
    flight1-in1 flight1-out1 flights-end - step
    line2-part1 line2-end - step)

  (:init
    (due flight1-in1) (then flight1-in1 flight1-out1) (then flight1-out1 flights-end)
    (arrives jig1 flight1-in1) (returns kind-b flight1-out1)
    (due line2-part1) (then line2-part1 line2-end) (needed jig2 line2-part1)
    (is-of-kind jig1 kind-b) (full jig1) (in-plane jig1) (leaves jig1 length2 length0)
    (leaves jig1 length3 length1) (leaves jig1 length4 length2) (leaves jig1 length5 length3)
    (is-of-kind jig2 kind-b) (full jig2) (leaves jig2 length2 length0) (leaves jig2 length3 length1)
    (leaves jig2 length4 length2) (leaves jig2 length5 length3)
    (space rack1 length5) (before rack1 rack1)
    (space rack2 length3) (before rack2 jig2) (before jig2 rack2)
    (free beluga-trailer1) (free beluga-trailer2) (free factory-trailer1) (free factory-trailer2)
    (vacant hangar1))

  (:goal (and
    (done flight1-in1)
    (done flight1-out1)
    (done line2-part1))))
