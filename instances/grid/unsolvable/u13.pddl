; Grid: 12 places, 5 of them locked, 3 keys, 3 goals.
(define (problem grid-u13)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 node3-0 - place
    node0-1 node1-1 node2-1 node3-1 - place
    node0-2 node1-2 node2-2 node3-2 - place
    key1 key2 key3 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node3-2) (arm-empty)
    (key-shape key1 shape1) (at key1 node1-1)
    (key-shape key2 shape1) (at key2 node3-0)
    (key-shape key3 shape2) (at key3 node0-2)
    (locked node1-0) (lock-shape node1-0 shape1)
    (locked node3-0) (lock-shape node3-0 shape1)
    (locked node0-1) (lock-shape node0-1 shape2)
    (locked node2-1) (lock-shape node2-1 shape2)
    (locked node3-1) (lock-shape node3-1 shape1)
    (open node0-0) (open node2-0)
    (open node1-1)
    (open node0-2) (open node1-2) (open node2-2) (open node3-2)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node3-0) (conn node2-0 node2-1) (conn node2-0 node1-0)
    (conn node3-0 node3-1) (conn node3-0 node2-0)
    (conn node0-1 node1-1) (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node3-1) (conn node2-1 node2-0)
    (conn node3-1 node2-1) (conn node3-1 node3-0)
    (conn node0-2 node1-2) (conn node0-2 node0-1)
    (conn node1-2 node2-2) (conn node1-2 node0-2) (conn node1-2 node1-1)
    (conn node2-2 node3-2) (conn node2-2 node1-2) (conn node2-2 node2-1)
    (conn node3-2 node2-2))

  (:goal (and
    (at key1 node2-0)
    (at key2 node1-2)
    (at key3 node3-0))))
