; Satellite: 3 satellites, 4 instruments, 1 mode, 5 directions, 3 images.
(define (problem satellite-p09)
  (:domain satellite)

  (:objects
    satellite0 satellite1 satellite2 - satellite
    instrument0 instrument1 instrument2 instrument3 - instrument
    infrared0 - mode
    star0 groundstation1 planet2 phenomenon3 star4 - direction)

  (:init
    (pointing satellite0 phenomenon3) (power_avail satellite0)
    (pointing satellite1 planet2) (power_avail satellite1)
    (pointing satellite2 star0) (power_avail satellite2)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 infrared0)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation1)
    (supports instrument1 infrared0)
    (on_board instrument2 satellite2) (calibration_target instrument2 star4)
    (supports instrument2 infrared0)
    (on_board instrument3 satellite2) (calibration_target instrument3 star0)
    (supports instrument3 infrared0))

  (:goal (and
    (have_image star4 infrared0)
    (have_image star0 infrared0)
    (have_image phenomenon3 infrared0)
    (pointing satellite0 planet2)
    (pointing satellite1 phenomenon3)
    (pointing satellite2 star0))))
