; Grid: 9 places, 3 of them locked, 2 keys, 2 goals.
(define (problem grid-u09)
  (:domain grid)

  (:objects
    node0-0 node1-0 node2-0 - place
    node0-1 node1-1 node2-1 - place
    node0-2 node1-2 node2-2 - place
    key1 key2 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node0-0) (arm-empty)
    (key-shape key1 shape2) (at key1 node0-0)
    (key-shape key2 shape1) (at key2 node2-1)
    (locked node1-1) (lock-shape node1-1 shape2)
    (locked node2-1) (lock-shape node2-1 shape1)
    (locked node2-2) (lock-shape node2-2 shape1)
    (open node0-0) (open node1-0) (open node2-0)
    (open node0-1)
    (open node0-2) (open node1-2)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node2-0) (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node2-0 node2-1) (conn node2-0 node1-0)
    (conn node0-1 node1-1) (conn node0-1 node0-2) (conn node0-1 node0-0)
    (conn node1-1 node2-1) (conn node1-1 node1-2) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node2-1 node2-2) (conn node2-1 node1-1) (conn node2-1 node2-0)
    (conn node0-2 node1-2) (conn node0-2 node0-1)
    (conn node1-2 node2-2) (conn node1-2 node0-2) (conn node1-2 node1-1)
    (conn node2-2 node1-2) (conn node2-2 node2-1))

  (:goal (and
    (at key1 node0-1)
    (at key2 node1-0))))
