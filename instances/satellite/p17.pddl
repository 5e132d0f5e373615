; Satellite: 2 satellites, 2 instruments, 2 modes, 5 directions, 5 images.
(define (problem satellite-p17)
  (:domain satellite)

  (:objects
    satellite0 satellite1 - satellite
    instrument0 instrument1 - instrument
    infrared0 spectrograph1 - mode
    star0 groundstation1 planet2 phenomenon3 star4 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (pointing satellite1 planet2) (power_avail satellite1)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 spectrograph1)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation1)
    (supports instrument1 infrared0))

  (:goal (and
    (have_image star4 spectrograph1)
    (have_image groundstation1 infrared0)
    (have_image phenomenon3 spectrograph1)
    (have_image star4 infrared0)
    (have_image star0 infrared0)
    (pointing satellite0 star0)
    (pointing satellite1 planet2))))
