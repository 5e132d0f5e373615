; Grid: 4 places, 0 of them locked, 3 keys, 3 goals.
(define (problem grid-p09)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    key1 key2 key3 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node1-1) (arm-empty)
    (key-shape key1 shape2) (at key1 node1-1)
    (key-shape key2 shape1) (at key2 node0-1)
    (key-shape key3 shape1) (at key3 node1-1)
    (open node0-0) (open node1-0)
    (open node0-1) (open node1-1)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node1-1)
    (conn node0-1 node1-1)
    (conn node1-1 node0-1) (conn node1-1 node1-0))

  (:goal (and
    (at key1 node1-0)
    (at key2 node1-0)
    (at key3 node0-1))))
