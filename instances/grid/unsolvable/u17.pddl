; Grid: 20 places, 3 of them locked, 1 key, 1 goal.
(define (problem grid-u17)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 node3-0 node4-0 - place
    node0-1 node1-1 node2-1 node3-1 node4-1 - place
    node0-2 node1-2 node2-2 node3-2 node4-2 - place
    node0-3 node1-3 node2-3 node3-3 node4-3 - place
    key1 - key
    shape1 - shape)

  (:init
    (at-robot node4-1) (arm-empty)
    (key-shape key1 shape1) (at key1 node1-2)
    (locked node4-0) (lock-shape node4-0 shape1)
    (locked node3-1) (lock-shape node3-1 shape1)
    (locked node3-3) (lock-shape node3-3 shape1)
    (open node0-0) (open node1-0) (open node2-0) (open node3-0)
    (open node0-1) (open node1-1) (open node2-1) (open node4-1)
    (open node0-2) (open node1-2) (open node2-2) (open node3-2) (open node4-2)
    (open node0-3) (open node1-3) (open node2-3) (open node4-3)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node3-0) (conn node2-0 node2-1) (conn node2-0 node1-0)
    (conn node3-0 node3-1) (conn node3-0 node2-0)
    (conn node4-0 node4-1) (conn node4-0 node3-0)
    (conn node0-1 node1-1) (conn node0-1 node0-2) (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node1-2) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node3-1) (conn node2-1 node2-2) (conn node2-1 node1-1) (conn node2-1 node2-0)
    (conn node3-1 node3-2) (conn node3-1 node2-1) (conn node3-1 node3-0)
    (conn node4-1 node4-2) (conn node4-1 node3-1) (conn node4-1 node4-0)
    (conn node0-2 node1-2) (conn node0-2 node0-3) (conn node0-2 node0-1)
    (conn node1-2 node2-2) (conn node1-2 node1-3) (conn node1-2 node0-2) (conn node1-2 node1-1)
    (conn node2-2 node3-2) (conn node2-2 node2-3) (conn node2-2 node1-2) (conn node2-2 node2-1)
    (conn node3-2 node3-3) (conn node3-2 node2-2) (conn node3-2 node3-1)
    (conn node4-2 node3-2) (conn node4-2 node4-1)
    (conn node0-3 node1-3) (conn node0-3 node0-2)
    (conn node1-3 node2-3) (conn node1-3 node0-3) (conn node1-3 node1-2)
    (conn node2-3 node3-3) (conn node2-3 node1-3) (conn node2-3 node2-2)
    (conn node3-3 node2-3) (conn node3-3 node3-2)
    (conn node4-3 node3-3) (conn node4-3 node4-2))

  (:goal (and
    (at key1 node4-2))))
