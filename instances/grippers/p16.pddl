; Grippers: 2 robots, 3 rooms, 7 balls, 6 of which must move.
(define (problem grippers-p16)
  (:domain grippers)

  (:objects
    robot1 robot2 - robot
    lgripper1 rgripper1 lgripper2 rgripper2 - gripper
    room1 room2 room3 - room
    ball1 ball2 ball3 ball4 ball5 ball6 ball7 - ball)

  (:init
    (at-robby robot1 room1) (at-robby robot2 room1)
    (free robot1 lgripper1) (free robot1 rgripper1)
    (free robot2 lgripper2) (free robot2 rgripper2)
    (at ball1 room1) (at ball2 room1) (at ball3 room1) (at ball4 room3) (at ball5 room2)
    (at ball6 room1) (at ball7 room1))

  (:goal (and
    (at ball1 room2)
    (at ball2 room3)
    (at ball3 room3)
    (at ball4 room2)
    (at ball6 room3)
    (at ball7 room3))))
