; Grippers: 2 robots, 4 rooms, 1 ball, which must move.
(define (problem grippers-p02)
  (:domain grippers)

  (:objects
    robot1 robot2 - robot
    lgripper1 rgripper1 lgripper2 rgripper2 - gripper
    room1 room2 room3 room4 - room
    ball1 - ball)

  (:init
    (at-robby robot1 room1) (at-robby robot2 room3)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (free robot2 lgripper2) (free robot2 rgripper2)
    (at ball1 room4))

  (:goal (and
    (at ball1 room1))))
