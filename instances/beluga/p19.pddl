; Beluga: 7 jigs, 2 racks, 5 steps to do.
(define (problem beluga-p19)
  (:domain beluga)

  (:objects
    jig1 jig2 jig3 jig4 jig5 jig6 jig7 - jig
    kind-a kind-b - kind
    rack1 rack2 - rack
    length0 length1 length2 length3 length4 - length
    beluga-trailer1 - beluga-trailer
    factory-trailer1 - factory-trailer
    hangar1 - hangar
    flight1-in1 flight1-out1 flights-end - step
    line1-part1 line1-part2 line1-end - step
    line2-part1 line2-end - step)

  (:init
    (due flight1-in1) (then flight1-in1 flight1-out1) (then flight1-out1 flights-end)
    (arrives jig1 flight1-in1) (returns kind-b flight1-out1)
    (due line1-part1) (then line1-part1 line1-part2) (then line1-part2 line1-end)
    (needed jig2 line1-part1) (needed jig1 line1-part2)
    (due line2-part1) (then line2-part1 line2-end) (needed jig3 line2-part1)
    (is-of-kind jig1 kind-a) (full jig1) (in-plane jig1) (leaves jig1 length1 length0)
    (leaves jig1 length2 length1) (leaves jig1 length3 length2) (leaves jig1 length4 length3)
    (is-of-kind jig2 kind-a) (full jig2) (leaves jig2 length1 length0) (leaves jig2 length2 length1)
    (leaves jig2 length3 length2) (leaves jig2 length4 length3)
    (is-of-kind jig3 kind-b) (full jig3) (leaves jig3 length2 length0) (leaves jig3 length3 length1)
    (leaves jig3 length4 length2)
    (is-of-kind jig4 kind-a) (full jig4) (leaves jig4 length1 length0) (leaves jig4 length2 length1)
    (leaves jig4 length3 length2) (leaves jig4 length4 length3)
    (is-of-kind jig5 kind-a) (full jig5) (leaves jig5 length1 length0) (leaves jig5 length2 length1)
    (leaves jig5 length3 length2) (leaves jig5 length4 length3)
    (is-of-kind jig6 kind-a) (empty jig6) (leaves jig6 length1 length0)
    (leaves jig6 length2 length1) (leaves jig6 length3 length2) (leaves jig6 length4 length3)
    (is-of-kind jig7 kind-b) (empty jig7) (leaves jig7 length2 length0)
    (leaves jig7 length3 length1) (leaves jig7 length4 length2)
    (space rack1 length0) (before rack1 jig7) (before jig7 jig3) (before jig3 rack1)
    (space rack2 length0) (before rack2 jig4) (before jig4 jig5) (before jig5 jig6)
    (before jig6 jig2) (before jig2 rack2)
    (free beluga-trailer1) (free factory-trailer1)
    (vacant hangar1))

  (:goal (and
    (done flight1-in1)
    (done flight1-out1)
    (done line1-part1)
    (done line1-part2)
    (done line2-part1))))
