; Rovers: 1 rover, 4 waypoints, 2 cameras, 1 objective, 4 goals.
(define (problem rovers-p10)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 - rover
    rover0store - store
    waypoint0 waypoint1 waypoint2 waypoint3 - waypoint
    camera0 camera1 - camera
    objective0 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint3)
    (visible waypoint1 waypoint0) (visible waypoint1 waypoint2) (visible waypoint1 waypoint3)
    (visible waypoint2 waypoint1)
    (visible waypoint3 waypoint0) (visible waypoint3 waypoint1)
    (at_soil_sample waypoint1) (at_rock_sample waypoint1)
    (at_lander general waypoint2) (channel_free general)
    (at rover0 waypoint1) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_soil_analysis rover0) (equipped_for_rock_analysis rover0)
    (equipped_for_imaging rover0)
    (on_board camera0 rover0) (calibration_target camera0 objective0) (supports camera0 colour)
    (supports camera0 high_res) (supports camera0 low_res)
    (on_board camera1 rover0) (calibration_target camera1 objective0) (supports camera1 high_res)
    (supports camera1 low_res)
    (visible_from objective0 waypoint1) (visible_from objective0 waypoint2)
    (visible_from objective0 waypoint3))

  (:goal (and
    (communicated_soil_data waypoint1)
    (communicated_rock_data waypoint1)
    (communicated_image_data objective0 colour)
    (communicated_image_data objective0 high_res))))
