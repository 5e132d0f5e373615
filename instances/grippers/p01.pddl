; Grippers: 2 robots, 2 rooms, 5 balls, 1 of which must move.
(define (problem grippers-p01)
  (:domain grippers)

  (:objects
    robot1 robot2 - robot
    lgripper1 rgripper1 lgripper2 rgripper2 - gripper
    room1 room2 - room
    ball1 ball2 ball3 ball4 ball5 - ball)

  (:init
    (at-robby robot1 room1) (at-robby robot2 room1)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (free robot2 lgripper2) (free robot2 rgripper2)
    (at ball1 room1) (at ball2 room2) (at ball3 room1) (at ball4 room1) (at ball5 room1))

  (:goal (and
    (at ball2 room2)
    (at ball4 room2)
    (at ball5 room1))))
