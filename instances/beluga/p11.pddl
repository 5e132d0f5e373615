; Beluga: 3 jigs, 3 racks, 4 steps to do.
(define (problem beluga-p11)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 - jig
    kind-a kind-b kind-c - kind
    rack1 rack2 rack3 - rack
    length0 length1 length2 length3 length4 - length
    beluga-trailer1 - beluga-trailer
    factory-trailer1 - factory-trailer
    hangar1 - hangar
    flight1-in1 flights-end - step
    line2-part1 line2-part2 line2-part3 line2-end - step)

  (:init
    (due flight1-in1) (then flight1-in1 flights-end) (arrives jig1 flight1-in1)
    (due line2-part1) (then line2-part1 line2-part2) (then line2-part2 line2-part3)
    (then line2-part3 line2-end) (needed jig2 line2-part1) (needed jig3 line2-part2)
    (needed jig1 line2-part3)
    (is-of-kind jig1 kind-a) (full jig1) (in-plane jig1) (leaves jig1 length1 length0)
    (leaves jig1 length2 length1) (leaves jig1 length3 length2) (leaves jig1 length4 length3)
    (is-of-kind jig2 kind-b) (full jig2) (leaves jig2 length2 length0) (leaves jig2 length3 length1)
    (leaves jig2 length4 length2)
    (is-of-kind jig3 kind-c) (full jig3) (leaves jig3 length3 length0) (leaves jig3 length4 length1)
    (space rack1 length2) (before rack1 jig2) (before jig2 rack1)
    (space rack2 length4) (before rack2 rack2)
    (space rack3 length1) (before rack3 jig3) (before jig3 rack3)
    (free beluga-trailer1) (free factory-trailer1)
    (vacant hangar1))

  (:goal (and
    (done flight1-in1)
    (done line2-part1)
    (done line2-part2)
    (done line2-part3))))
