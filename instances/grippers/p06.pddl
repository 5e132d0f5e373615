; Grippers: 1 robot, 4 rooms, 3 balls, 2 of which must move.
(define (problem grippers-p06)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 room3 room4 - room
    ball1 ball2 ball3 - ball)

  (:init
    (at-robby robot1 room1)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room4) (at ball2 room3) (at ball3 room4))

  (:goal (and
    (at ball1 room3)
    (at ball2 room2)
    (at ball3 room4))))
