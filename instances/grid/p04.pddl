; Grid: 12 places, 0 of them locked, 3 keys, 1 goal.
(define (problem grid-p04)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 - place
    node0-1 node1-1 node2-1 - place
    node0-2 node1-2 node2-2 - place
    node0-3 node1-3 node2-3 - place
    key1 key2 key3 - key
    shape1 - shape)

  (:init
    (at-robot node1-0) (arm-empty)
    (key-shape key1 shape1) (at key1 node0-1)
    (key-shape key2 shape1) (at key2 node2-2)
    (key-shape key3 shape1) (at key3 node2-0)
    (open node0-0) (open node1-0) (open node2-0)
    (open node0-1) (open node1-1) (open node2-1)
    (open node0-2) (open node1-2) (open node2-2)
    (open node0-3) (open node1-3) (open node2-3)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node2-1) (conn node2-0 node1-0)
    (conn node0-1 node1-1) (conn node0-1 node0-2) (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node1-2) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node2-2) (conn node2-1 node1-1) (conn node2-1 node2-0)
    (conn node0-2 node1-2) (conn node0-2 node0-3) (conn node0-2 node0-1)
    (conn node1-2 node2-2) (conn node1-2 node1-3) (conn node1-2 node0-2) (conn node1-2 node1-1)
    (conn node2-2 node2-3) (conn node2-2 node1-2) (conn node2-2 node2-1)
    (conn node0-3 node1-3) (conn node0-3 node0-2)
    (conn node1-3 node2-3) (conn node1-3 node0-3) (conn node1-3 node1-2)
    (conn node2-3 node1-3) (conn node2-3 node2-2))

  (:goal (and
    (at key3 node1-2))))
