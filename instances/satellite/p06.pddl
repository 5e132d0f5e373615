; Satellite: 3 satellites, 3 instruments, 1 mode, 5 directions, 2 images.
(define (problem satellite-p06)
  (:domain satellite)

  (:objects
    satellite0 satellite1 satellite2 - satellite
    instrument0 instrument1 instrument2 - instrument
    infrared0 - mode
    star0 groundstation1 planet2 phenomenon3 star4 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (pointing satellite1 groundstation1) (power_avail satellite1)
    (pointing satellite2 star4) (power_avail satellite2)
    (on_board instrument0 satellite0) (calibration_target instrument0 planet2)
    (supports instrument0 infrared0)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation1)
    (supports instrument1 infrared0)
    (on_board instrument2 satellite2) (calibration_target instrument2 groundstation1)
    (supports instrument2 infrared0))

  (:goal (and
    (have_image star0 infrared0)
    (have_image phenomenon3 infrared0)
    (pointing satellite0 groundstation1)
    (pointing satellite1 star4))))
