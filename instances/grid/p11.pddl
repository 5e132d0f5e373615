; Grid: 12 places, 5 of them locked, 3 keys, 3 goals.
(define (problem grid-p11)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 - place
    node0-1 node1-1 node2-1 - place
    node0-2 node1-2 node2-2 - place
    node0-3 node1-3 node2-3 - place
    key1 key2 key3 - key
    shape1 - shape)

  (:init
    (at-robot node0-2) (arm-empty)
    (key-shape key1 shape1) (at key1 node1-2)
    (key-shape key2 shape1) (at key2 node1-2)
    (key-shape key3 shape1) (at key3 node1-0)
    (locked node0-0) (lock-shape node0-0 shape1)
    (locked node2-0) (lock-shape node2-0 shape1)
    (locked node2-1) (lock-shape node2-1 shape1)
    (locked node2-2) (lock-shape node2-2 shape1)
    (locked node1-3) (lock-shape node1-3 shape1)
    (open node1-0)
    (open node0-1) (open node1-1)
    (open node0-2) (open node1-2)
    (open node0-3) (open node2-3)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1)
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
    (at key1 node1-0)
    (at key2 node1-0)
    (at key3 node1-1))))
