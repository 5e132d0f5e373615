; Grid: 4 places, 1 of them locked, 1 key, 1 goal.
(define (problem grid-u01)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    key1 - key
    shape1 - shape)

  (:init
    (at-robot node1-0) (arm-empty)
    (key-shape key1 shape1) (at key1 node1-1)
    (locked node1-1) (lock-shape node1-1 shape1)
    (open node0-0) (open node1-0)
    (open node0-1)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node0-0)
    (conn node0-1 node1-1) (conn node0-1 node0-0)
    (conn node1-1 node0-1) (conn node1-1 node1-0))

  (:goal (and
    (at key1 node0-1))))
