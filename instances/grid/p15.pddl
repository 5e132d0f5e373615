; Grid: 6 places, 4 of them locked, 3 keys, 3 goals.
(define (problem grid-p15)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    node0-2 node1-2 - place
    key1 key2 key3 - key
    shape1 - shape)

  (:init
    (at-robot node0-2) (arm-empty)
    (key-shape key1 shape1) (at key1 node0-0)
    (key-shape key2 shape1) (at key2 node1-1)
    (key-shape key3 shape1) (at key3 node0-2)
    (locked node0-0) (lock-shape node0-0 shape1)
    (locked node1-0) (lock-shape node1-0 shape1)
    (locked node0-1) (lock-shape node0-1 shape1)
    (locked node1-2) (lock-shape node1-2 shape1)
    (open node1-1)
    (open node0-2)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node0-1 node1-1) (conn node0-1 node0-2) (conn node0-1 node0-0)
    (conn node1-1 node1-2) (conn node1-1 node0-1) (conn node1-1 node1-0)
    (conn node0-2 node1-2) (conn node0-2 node0-1)
    (conn node1-2 node1-1))

  (:goal (and
    (at key1 node0-2)
    (at key2 node1-2)
    (at key3 node1-1))))
