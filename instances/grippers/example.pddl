; Grippers: 1 robot, 3 rooms, 2 balls, all of which must move.
(define (problem grippers-example)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 room3 - room
    ball1 ball2 - ball)

  (:init
    (at-robby robot1 room2)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room2) (at ball2 room2))

  (:goal (and
    (at ball1 room1)
    (at ball2 room1))))
