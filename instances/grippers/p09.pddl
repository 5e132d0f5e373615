; Grippers: 1 robot, 2 rooms, 4 balls, 3 of which must move.
(define (problem grippers-p09)
  (:domain grippers)

  (:objects
    robot1 - robot
    lgripper1 rgripper1 - gripper
    room1 room2 - room
    ball1 ball2 ball3 ball4 - ball)

  (:init
    (at-robby robot1 room2)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (at ball1 room1) (at ball2 room2) (at ball3 room1) (at ball4 room1))

  (:goal (and
    (at ball1 room2)
    (at ball3 room2)
    (at ball4 room2))))
