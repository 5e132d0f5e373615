; Grid: 6 places, 3 of them locked, 2 keys, 2 goals.
(define (problem grid-p10)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    node0-2 node1-2 - place
    key1 key2 - key
    shape1 - shape)

  (:init
    (at-robot node1-1) (arm-empty)
    (key-shape key1 shape1) (at key1 node0-1)
    (key-shape key2 shape1) (at key2 node1-0)
    (locked node0-0) (lock-shape node0-0 shape1)
    (locked node0-1) (lock-shape node0-1 shape1)
    (locked node0-2) (lock-shape node0-2 shape1)
    (open node1-0)
    (open node1-1)
    (open node1-2)
    (conn node0-0 node0-1)
    (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node0-1 node1-1) (conn node0-1 node0-2) (conn node0-1 node0-0)
    (conn node1-1 node1-2) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node0-2 node1-2) (conn node0-2 node0-1)
    (conn node1-2 node0-2) (conn node1-2 node1-1))

  (:goal (and
    (at key1 node0-2)
    (at key2 node0-0))))
