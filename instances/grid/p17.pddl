; Grid: 10 places, 2 of them locked, 3 keys, 3 goals.
(define (problem grid-p17)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 node3-0 node4-0 - place
    node0-1 node1-1 node2-1 node3-1 node4-1 - place
    key1 key2 key3 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node0-0) (arm-empty)
    (key-shape key1 shape2) (at key1 node1-1)
    (key-shape key2 shape2) (at key2 node1-1)
    (key-shape key3 shape2) (at key3 node2-0)
    (locked node2-1) (lock-shape node2-1 shape1)
    (locked node3-1) (lock-shape node3-1 shape1)
    (open node0-0) (open node1-0) (open node2-0) (open node3-0) (open node4-0)
    (open node0-1) (open node1-1) (open node4-1)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node3-0) (conn node2-0 node2-1) (conn node2-0 node1-0)
    (conn node3-0 node4-0) (conn node3-0 node3-1) (conn node3-0 node2-0)
    (conn node4-0 node4-1) (conn node4-0 node3-0)
    (conn node0-1 node1-1) (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node3-1) (conn node2-1 node1-1) (conn node2-1 node2-0)
    (conn node3-1 node4-1) (conn node3-1 node2-1) (conn node3-1 node3-0)
    (conn node4-1 node3-1) (conn node4-1 node4-0))

  (:goal (and
    (at key1 node4-0)
    (at key2 node1-0)
    (at key3 node3-0))))
