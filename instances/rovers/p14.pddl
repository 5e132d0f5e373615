; Rovers: 1 rover, 6 waypoints, 1 camera, 2 objectives, 4 goals.
(define (problem rovers-p14)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 - rover
    rover0store - store
    waypoint0 waypoint1 waypoint2 waypoint3 waypoint4 waypoint5 - waypoint
    camera0 - camera
    objective0 objective1 - objective)

  (:init
    (visible waypoint0 waypoint5)
    (visible waypoint1 waypoint2) (visible waypoint1 waypoint4)
    (visible waypoint2 waypoint1)
    (visible waypoint3 waypoint4) (visible waypoint3 waypoint5)
    (visible waypoint4 waypoint1) (visible waypoint4 waypoint3) (visible waypoint4 waypoint5)
    (visible waypoint5 waypoint0) (visible waypoint5 waypoint3) (visible waypoint5 waypoint4)
    (at_soil_sample waypoint1) (at_soil_sample waypoint2) (at_soil_sample waypoint3)
    (at_soil_sample waypoint4) (at_soil_sample waypoint5) (at_rock_sample waypoint4)
    (at_lander general waypoint1) (channel_free general)
    (at rover0 waypoint4) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_soil_analysis rover0) (equipped_for_rock_analysis rover0)
    (equipped_for_imaging rover0)
    (can_traverse rover0 waypoint4 waypoint1) (can_traverse rover0 waypoint1 waypoint4)
    (can_traverse rover0 waypoint4 waypoint3) (can_traverse rover0 waypoint3 waypoint4)
    (can_traverse rover0 waypoint1 waypoint2) (can_traverse rover0 waypoint2 waypoint1)
    (on_board camera0 rover0) (calibration_target camera0 objective0) (supports camera0 colour)
    (supports camera0 low_res)
    (visible_from objective0 waypoint1) (visible_from objective0 waypoint4)
    (visible_from objective1 waypoint2) (visible_from objective1 waypoint4))

  (:goal (and
    (communicated_soil_data waypoint1)
    (communicated_soil_data waypoint3)
    (communicated_rock_data waypoint4)
    (communicated_image_data objective0 low_res))))
