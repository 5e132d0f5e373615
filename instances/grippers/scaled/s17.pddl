; Grippers: 1 robot, 2 rooms, 16 balls, all of which must move.
(define (problem grippers-s17)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 - room
    ball1 ball2 ball3 ball4 ball5 ball6 ball7 ball8 ball9 ball10 ball11 ball12 ball13 ball14 ball15
    ball16 - ball)

  (:init
    (at-robby robot1 room2)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room1) (at ball2 room1) (at ball3 room1) (at ball4 room1) (at ball5 room2)
    (at ball6 room1) (at ball7 room2) (at ball8 room1) (at ball9 room1) (at ball10 room1)
    (at ball11 room1) (at ball12 room2) (at ball13 room1) (at ball14 room1) (at ball15 room1)
    (at ball16 room2))

  (:goal (and
    (at ball1 room2)
    (at ball2 room2)
    (at ball3 room2)
    (at ball4 room2)
    (at ball5 room1)
    (at ball6 room2)
    (at ball7 room1)
    (at ball8 room2)
    (at ball9 room2)
    (at ball10 room2)
    (at ball11 room2)
    (at ball12 room1)
    (at ball13 room2)
    (at ball14 room2)
    (at ball15 room2)
    (at ball16 room1))))
