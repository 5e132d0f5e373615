; Grid: 4 places, 1 of them locked, 2 keys, 2 goals.
(define (problem grid-p03)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    key1 key2 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node0-1) (arm-empty)
    (key-shape key1 shape1) (at key1 node0-1)
    (key-shape key2 shape1) (at key2 node1-1)
    (locked node1-0) (lock-shape node1-0 shape2)
    (open node0-0)
    (open node0-1) (open node1-1)
    (conn node0-0 node1-0)
    (conn node1-0 node1-1)
    (conn node0-1 node1-1) (conn node0-1 node0-0)
    (conn node1-1 node0-1) (conn node1-1 node1-0))

  (:goal (and
    (at key1 node1-1)
    (at key2 node0-1))))
