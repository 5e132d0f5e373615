; Rovers: 2 rovers, 6 waypoints, 2 cameras, 3 objectives, 5 goals.
(define (problem rovers-p16)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 rover1 - rover
    rover0store rover1store - store
    waypoint0 waypoint1 waypoint2 waypoint3 waypoint4 waypoint5 - waypoint
    camera0 camera1 - camera
    objective0 objective1 objective2 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint3) (visible waypoint0 waypoint5)
    (visible waypoint1 waypoint0)
    (visible waypoint2 waypoint3) (visible waypoint2 waypoint5)
    (visible waypoint3 waypoint0) (visible waypoint3 waypoint2)
    (visible waypoint4 waypoint5)
    (visible waypoint5 waypoint0) (visible waypoint5 waypoint2) (visible waypoint5 waypoint4)
    (at_soil_sample waypoint1) (at_soil_sample waypoint2) (at_soil_sample waypoint4)
    (at_rock_sample waypoint0) (at_rock_sample waypoint2) (at_rock_sample waypoint4)
    (at_rock_sample waypoint5)
    (at_lander general waypoint1) (channel_free general)
    (at rover0 waypoint0) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_rock_analysis rover0) (equipped_for_imaging rover0)
    (at rover1 waypoint5) (available rover1)
    (store_of rover1store rover1) (empty rover1store)
    (equipped_for_soil_analysis rover1) (equipped_for_rock_analysis rover1)
    (equipped_for_imaging rover1)
    (can_traverse rover1 waypoint0 waypoint3) (can_traverse rover1 waypoint3 waypoint0)
    (can_traverse rover1 waypoint3 waypoint2) (can_traverse rover1 waypoint2 waypoint3)
    (can_traverse rover1 waypoint0 waypoint5) (can_traverse rover1 waypoint5 waypoint0)
    (can_traverse rover1 waypoint0 waypoint1) (can_traverse rover1 waypoint1 waypoint0)
    (on_board camera0 rover1) (calibration_target camera0 objective1) (supports camera0 colour)
    (supports camera0 high_res) (supports camera0 low_res)
    (on_board camera1 rover0) (calibration_target camera1 objective1) (supports camera1 colour)
    (visible_from objective0 waypoint0) (visible_from objective0 waypoint1)
    (visible_from objective0 waypoint3) (visible_from objective0 waypoint5)
    (visible_from objective1 waypoint0)
    (visible_from objective2 waypoint0) (visible_from objective2 waypoint3))

  (:goal (and
    (communicated_soil_data waypoint1)
    (communicated_rock_data waypoint0)
    (communicated_rock_data waypoint5)
    (communicated_image_data objective1 high_res)
    (communicated_image_data objective2 low_res))))
