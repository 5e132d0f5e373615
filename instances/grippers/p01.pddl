; Grippers: 1 robot, 4 rooms, 1 ball.
(define (problem grippers-p01)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 room3 room4 - room
    ball1 - ball)

  (:init
    (at-robby robot1 room3)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room4))

  (:goal (and
    (at ball1 room1))))
