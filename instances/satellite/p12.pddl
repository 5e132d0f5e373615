; Satellite: 1 satellite, 2 instruments, 1 mode, 6 directions, 6 images.
(define (problem satellite-p12)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 instrument1 - instrument
    infrared0 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 groundstation1)
    (supports instrument0 infrared0)
    (on_board instrument1 satellite0) (calibration_target instrument1 star4)
    (supports instrument1 infrared0))

  (:goal (and
    (have_image star0 infrared0)
    (have_image planet2 infrared0)
    (have_image star4 infrared0)
    (have_image groundstation1 infrared0)
    (have_image groundstation5 infrared0)
    (have_image phenomenon3 infrared0)
    (pointing satellite0 star4))))
