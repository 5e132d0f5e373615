; Rovers: 2 rovers, 6 waypoints, 1 camera, 1 objective, 4 goals.
(define (problem rovers-p11)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 rover1 - rover
    rover0store rover1store - store
    waypoint0 waypoint1 waypoint2 waypoint3 waypoint4 waypoint5 - waypoint
    camera0 - camera
    objective0 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint2) (visible waypoint0 waypoint4)
    (visible waypoint1 waypoint0) (visible waypoint1 waypoint2) (visible waypoint1 waypoint3)
    (visible waypoint1 waypoint5)
    (visible waypoint2 waypoint0) (visible waypoint2 waypoint1)
    (visible waypoint3 waypoint1) (visible waypoint3 waypoint5)
    (visible waypoint4 waypoint0)
    (visible waypoint5 waypoint1) (visible waypoint5 waypoint3)
    (at_soil_sample waypoint1) (at_soil_sample waypoint2) (at_rock_sample waypoint1)
    (at_rock_sample waypoint2)
    (at_lander general waypoint2) (channel_free general)
    (at rover0 waypoint2) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_soil_analysis rover0) (equipped_for_rock_analysis rover0)
    (can_traverse rover0 waypoint1 waypoint2) (can_traverse rover0 waypoint2 waypoint1)
    (at rover1 waypoint4) (available rover1)
    (store_of rover1store rover1) (empty rover1store)
    (equipped_for_soil_analysis rover1) (equipped_for_rock_analysis rover1)
    (can_traverse rover1 waypoint2 waypoint0) (can_traverse rover1 waypoint0 waypoint2)
    (can_traverse rover1 waypoint2 waypoint1) (can_traverse rover1 waypoint1 waypoint2)
    (can_traverse rover1 waypoint1 waypoint5) (can_traverse rover1 waypoint5 waypoint1)
    (can_traverse rover1 waypoint0 waypoint4) (can_traverse rover1 waypoint4 waypoint0)
    (on_board camera0 rover1) (calibration_target camera0 objective0) (supports camera0 high_res)
    (visible_from objective0 waypoint1) (visible_from objective0 waypoint3)
    (visible_from objective0 waypoint4) (visible_from objective0 waypoint5))

  (:goal (and
    (communicated_soil_data waypoint1)
    (communicated_soil_data waypoint2)
    (communicated_rock_data waypoint1)
    (communicated_rock_data waypoint2))))
