; Grippers: 1 robot, 4 rooms, 7 balls, all of which must move.
(define (problem grippers-p20)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 room3 room4 - room
    ball1 ball2 ball3 ball4 ball5 ball6 ball7 - ball)

  (:init
    (at-robby robot1 room4)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room3) (at ball2 room3) (at ball3 room2) (at ball4 room3) (at ball5 room4)
    (at ball6 room2) (at ball7 room1))

  (:goal (and
    (at ball1 room2)
    (at ball2 room1)
    (at ball3 room3)
    (at ball4 room4)
    (at ball5 room2)
    (at ball6 room1)
    (at ball7 room2))))
