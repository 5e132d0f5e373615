; Grid: 8 places, 4 of them locked, 3 keys, 2 goals.
(define (problem grid-p07)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 node3-0 - place
    node0-1 node1-1 node2-1 node3-1 - place
    key1 key2 key3 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node1-1) (arm-empty)
    (key-shape key1 shape1) (at key1 node2-1)
    (key-shape key2 shape1) (at key2 node3-0)
    (key-shape key3 shape1) (at key3 node1-1)
    (locked node0-0) (lock-shape node0-0 shape1)
    (locked node1-0) (lock-shape node1-0 shape1)
    (locked node2-0) (lock-shape node2-0 shape1)
    (locked node0-1) (lock-shape node0-1 shape1)
    (open node3-0)
    (open node1-1) (open node2-1) (open node3-1)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node3-0) (conn node2-0 node2-1)
    (conn node3-0 node3-1) (conn node3-0 node2-0)
    (conn node0-1 node1-1) (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node3-1) (conn node2-1 node1-1) (conn node2-1 node2-0)
    (conn node3-1 node2-1) (conn node3-1 node3-0))

  (:goal (and
    (at key2 node2-1)
    (at key3 node3-0))))
