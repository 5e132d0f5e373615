; Rovers: 2 rovers, 3 waypoints, 1 camera, 3 objectives, 2 goals.
(define (problem rovers-p03)
  (:domain rover)

  (:objects
    general - lander
    colour high_res low_res - mode
    rover0 rover1 - rover
    rover0store rover1store - store
    waypoint0 waypoint1 waypoint2 - waypoint
    camera0 - camera
    objective0 objective1 objective2 - objective)

  (:init
    (visible waypoint0 waypoint1) (visible waypoint0 waypoint2)
    (visible waypoint1 waypoint0)
    (visible waypoint2 waypoint0)
    (at_soil_sample waypoint0) (at_soil_sample waypoint1) (at_rock_sample waypoint2)
    (at_lander general waypoint2) (channel_free general)
    (at rover0 waypoint0) (available rover0)
    (store_of rover0store rover0) (empty rover0store)
    (equipped_for_soil_analysis rover0) (equipped_for_imaging rover0)
    (at rover1 waypoint1) (available rover1)
    (store_of rover1store rover1) (empty rover1store)
    (equipped_for_soil_analysis rover1) (equipped_for_rock_analysis rover1)
    (can_traverse rover1 waypoint0 waypoint1) (can_traverse rover1 waypoint1 waypoint0)
    (on_board camera0 rover0) (calibration_target camera0 objective0) (supports camera0 high_res)
    (visible_from objective0 waypoint0)
    (visible_from objective1 waypoint0)
    (visible_from objective2 waypoint0))

  (:goal (and
    (communicated_soil_data waypoint0)
    (communicated_soil_data waypoint1))))
