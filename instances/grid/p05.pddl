; Grid: 10 places, 5 of them locked, 1 key, 1 goal.
(define (problem grid-p05)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 node3-0 node4-0 - place
    node0-1 node1-1 node2-1 node3-1 node4-1 - place
    key1 - key
    shape1 - shape)

  (:init
    (at-robot node3-0) (arm-empty)
    (key-shape key1 shape1) (at key1 node2-0)
    (locked node0-0) (lock-shape node0-0 shape1)
    (locked node4-0) (lock-shape node4-0 shape1)
    (locked node0-1) (lock-shape node0-1 shape1)
    (locked node1-1) (lock-shape node1-1 shape1)
    (locked node3-1) (lock-shape node3-1 shape1)
    (open node1-0) (open node2-0) (open node3-0)
    (open node2-1) (open node4-1)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node3-0) (conn node2-0 node1-0)
    (conn node3-0 node4-0) (conn node3-0 node3-1) (conn node3-0 node2-0)
    (conn node4-0 node4-1) (conn node4-0 node3-0)
    (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node3-1) (conn node2-1 node1-1) (conn node2-1 node2-0)
    (conn node3-1 node4-1) (conn node3-1 node2-1) (conn node3-1 node3-0)
    (conn node4-1 node3-1) (conn node4-1 node4-0))

  (:goal (and
    (at key1 node4-1))))
