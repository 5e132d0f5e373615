; Satellite: 1 satellite, 2 instruments, 3 modes, 8 directions, 4 images.
(define (problem satellite-p08)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 instrument1 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 planet6 phenomenon7 - direction)

  (:init
    (pointing satellite0 star0) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 planet6)
    (supports instrument0 spectrograph1) (supports instrument0 thermograph2)
    (on_board instrument1 satellite0) (calibration_target instrument1 groundstation5)
    (supports instrument1 infrared0) (supports instrument1 spectrograph1)
    (supports instrument1 thermograph2))

  (:goal (and
    (have_image star0 thermograph2)
    (have_image phenomenon7 spectrograph1)
    (have_image star0 spectrograph1)
    (have_image groundstation5 infrared0))))
