; Satellite: 3 satellites, 3 instruments, 1 mode, 4 directions, 1 image.
(define (problem satellite-example)
  (:domain satellite)

  (:objects
    satellite0 satellite1 satellite2 - satellite
    instrument0 instrument1 instrument2 - instrument
    infrared0 - mode
    star0 groundstation1 planet2 phenomenon3 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (pointing satellite1 star0) (power_avail satellite1)
    (pointing satellite2 star0) (power_avail satellite2)
    (on_board instrument0 satellite0) (calibration_target instrument0 planet2)
    (supports instrument0 infrared0)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation1)
    (supports instrument1 infrared0)
    (on_board instrument2 satellite2) (calibration_target instrument2 planet2)
    (supports instrument2 infrared0))

  (:goal (and
    (have_image groundstation1 infrared0)
    (pointing satellite0 planet2)
    (pointing satellite1 groundstation1)
    (pointing satellite2 star0))))
