; Rovers: 2 rovers, 5 waypoints, 2 cameras, 2 objectives, 3 goals.
(define (problem rovers-p07)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 rover1 - rover
    rover0store rover1store - store
    waypoint0 waypoint1 waypoint2 waypoint3 waypoint4 - waypoint
    camera0 camera1 - camera
    objective0 objective1 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint4)
    (visible waypoint1 waypoint0)
    (visible waypoint2 waypoint4)
    (visible waypoint3 waypoint4)
    (visible waypoint4 waypoint0) (visible waypoint4 waypoint2) (visible waypoint4 waypoint3)
    (at_rock_sample waypoint2) (at_rock_sample waypoint4)
    (at_lander general waypoint0) (channel_free general)
    (at rover0 waypoint4) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_soil_analysis rover0) (equipped_for_rock_analysis rover0)
    (can_traverse rover0 waypoint4 waypoint3) (can_traverse rover0 waypoint3 waypoint4)
    (at rover1 waypoint2) (available rover1)
    (store_of rover1store rover1) (empty rover1store)
    (equipped_for_rock_analysis rover1) (equipped_for_imaging rover1)
    (can_traverse rover1 waypoint4 waypoint0) (can_traverse rover1 waypoint0 waypoint4)
    (can_traverse rover1 waypoint0 waypoint1) (can_traverse rover1 waypoint1 waypoint0)
    (can_traverse rover1 waypoint4 waypoint2) (can_traverse rover1 waypoint2 waypoint4)
    (on_board camera0 rover1) (calibration_target camera0 objective1) (supports camera0 colour)
    (supports camera0 high_res) (supports camera0 low_res)
    (on_board camera1 rover1) (calibration_target camera1 objective0) (supports camera1 high_res)
    (supports camera1 low_res)
    (visible_from objective0 waypoint4)
    (visible_from objective1 waypoint0) (visible_from objective1 waypoint1)
    (visible_from objective1 waypoint2))

  (:goal (and
    (communicated_rock_data waypoint2)
    (communicated_rock_data waypoint4)
    (communicated_image_data objective1 high_res))))
