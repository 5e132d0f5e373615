; Grippers: 1 robot, 4 rooms, 5 balls, all of which must move.
(define (problem grippers-p14)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 room3 room4 - room
    ball1 ball2 ball3 ball4 ball5 - ball)

  (:init
    (at-robby robot1 room1)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room3) (at ball2 room4) (at ball3 room4) (at ball4 room4) (at ball5 room2))

  (:goal (and
    (at ball1 room1)
    (at ball2 room2)
    (at ball3 room2)
    (at ball4 room3)
    (at ball5 room4))))
