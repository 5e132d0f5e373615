; Grid: 8 places, 5 of them locked, 2 keys, 2 goals.
(define (problem grid-u08)
  (:domain grid)

  (:objects
    node0-0 node1-0 - place
    node0-1 node1-1 - place
    node0-2 node1-2 - place
    node0-3 node1-3 - place
    key1 key2 - key
    shape1 shape2 - shape)

  (:init
    (at-robot node1-0) (arm-empty)
    (key-shape key1 shape2) (at key1 node1-0)
    (key-shape key2 shape1) (at key2 node1-2)
    (locked node0-1) (lock-shape node0-1 shape2)
    (locked node1-1) (lock-shape node1-1 shape2)
    (locked node0-2) (lock-shape node0-2 shape2)
    (locked node1-2) (lock-shape node1-2 shape2)
    (locked node1-3) (lock-shape node1-3 shape1)
    (open node0-0) (open node1-0)
    (open node0-3)
    (conn node0-0 node1-0) (conn node0-0 node0-1)
    (conn node1-0 node1-1) (conn node1-0 node0-0)
    (conn node0-1 node1-1) (conn node0-1 node0-2)
    (conn node1-1 node1-2) (conn node1-1 node0-1)
    (conn node0-2 node1-2) (conn node0-2 node0-3) (conn node0-2 node0-1)
    (conn node1-2 node1-3) (conn node1-2 node0-2) (conn node1-2 node1-1)
    (conn node0-3 node0-2)
    (conn node1-3 node0-3) (conn node1-3 node1-2))

  (:goal (and
    (at key1 node0-3)
    (at key2 node1-0))))
