; Rovers: 1 rover, 4 waypoints, 2 cameras, 3 objectives, 5 goals.
(define (problem rovers-p18)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 - rover
    rover0store - store
    waypoint0 waypoint1 waypoint2 waypoint3 - waypoint
    camera0 camera1 - camera
    objective0 objective1 objective2 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint2)
    (visible waypoint1 waypoint0)
    (visible waypoint2 waypoint0) (visible waypoint2 waypoint3)
    (visible waypoint3 waypoint2)
    (at_soil_sample waypoint0) (at_soil_sample waypoint1) (at_soil_sample waypoint2)
    (at_rock_sample waypoint0) (at_rock_sample waypoint1)
    (at_lander general waypoint3) (channel_free general)
    (at rover0 waypoint2) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_soil_analysis rover0) (equipped_for_rock_analysis rover0)
    (equipped_for_imaging rover0)
    (can_traverse rover0 waypoint2 waypoint0) (can_traverse rover0 waypoint0 waypoint2)
    (can_traverse rover0 waypoint0 waypoint1) (can_traverse rover0 waypoint1 waypoint0)
    (on_board camera0 rover0) (calibration_target camera0 objective2) (supports camera0 colour)
    (supports camera0 high_res) (supports camera0 low_res)
    (on_board camera1 rover0) (calibration_target camera1 objective0) (supports camera1 colour)
    (visible_from objective0 waypoint0) (visible_from objective0 waypoint2)
    (visible_from objective1 waypoint1)
    (visible_from objective2 waypoint1))

  (:goal (and
    (communicated_soil_data waypoint0)
    (communicated_soil_data waypoint2)
    (communicated_rock_data waypoint0)
    (communicated_rock_data waypoint1)
    (communicated_image_data objective2 high_res))))
