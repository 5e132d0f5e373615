; Grid: 4 places, 2 of them locked, 2 keys, 1 goal.
(define (problem grid-p02)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    key1 key2 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node1-0) (arm-empty)
    (key-shape key1 shape2) (at key1 node0-0)
    (key-shape key2 shape2) (at key2 node1-0)
    (locked node0-0) (lock-shape node0-0 shape1)
    (locked node1-1) (lock-shape node1-1 shape2)
    (open node1-0)
    (open node0-1)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node0-1 node1-1) (conn node0-1 node0-0)
    (conn node1-1 node0-1) (conn node1-1 node1-0))

  (:goal (and
    (at key2 node1-1))))
