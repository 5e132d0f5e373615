; Grippers: 1 robot, 4 rooms, 5 balls, 3 of which must move.
(define (problem grippers-p08)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 room3 room4 - room
    ball1 ball2 ball3 ball4 ball5 - ball)

  (:init
    (at-robby robot1 room2)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room2) (at ball2 room4) (at ball3 room4) (at ball4 room1) (at ball5 room4))

  (:goal (and
    (at ball1 room3)
    (at ball2 room3)
    (at ball3 room3)
    (at ball4 room1))))
