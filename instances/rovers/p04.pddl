; Rovers: 2 rovers, 4 waypoints, 1 camera, 1 objective, 2 goals.
(define (problem rovers-p04)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 rover1 - rover
    rover0store rover1store - store
    waypoint0 waypoint1 waypoint2 waypoint3 - waypoint
    camera0 - camera
    objective0 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint2) (visible waypoint0 waypoint3)
    (visible waypoint1 waypoint0) (visible waypoint1 waypoint3)
    (visible waypoint2 waypoint0) (visible waypoint2 waypoint3)
    (visible waypoint3 waypoint0) (visible waypoint3 waypoint1) (visible waypoint3 waypoint2)
    (at_soil_sample waypoint3) (at_rock_sample waypoint0)
    (at_lander general waypoint0) (channel_free general)
    (at rover0 waypoint0) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_rock_analysis rover0) (equipped_for_imaging rover0)
    (can_traverse rover0 waypoint3 waypoint1) (can_traverse rover0 waypoint1 waypoint3)
    (can_traverse rover0 waypoint1 waypoint0) (can_traverse rover0 waypoint0 waypoint1)
    (can_traverse rover0 waypoint3 waypoint2) (can_traverse rover0 waypoint2 waypoint3)
    (at rover1 waypoint3) (available rover1)
    (store_of rover1store rover1) (empty rover1store)
    (equipped_for_soil_analysis rover1)
    (can_traverse rover1 waypoint2 waypoint3) (can_traverse rover1 waypoint3 waypoint2)
    (can_traverse rover1 waypoint3 waypoint1) (can_traverse rover1 waypoint1 waypoint3)
    (can_traverse rover1 waypoint2 waypoint0) (can_traverse rover1 waypoint0 waypoint2)
    (on_board camera0 rover0) (calibration_target camera0 objective0) (supports camera0 colour)
    (visible_from objective0 waypoint0))

  (:goal (and
    (communicated_soil_data waypoint3)
    (communicated_image_data objective0 colour))))
