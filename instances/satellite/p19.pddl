; Satellite: 1 satellite, 2 instruments, 3 modes, 4 directions, 9 images.
(define (problem satellite-p19)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 instrument1 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 planet2 phenomenon3 - direction)

  (:init
    (pointing satellite0 phenomenon3) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 infrared0)
    (on_board instrument1 satellite0) (calibration_target instrument1 phenomenon3)
    (supports instrument1 spectrograph1) (supports instrument1 thermograph2))

  (:goal (and
    (have_image star0 spectrograph1)
    (have_image planet2 thermograph2)
    (have_image phenomenon3 thermograph2)
    (have_image groundstation1 thermograph2)
    (have_image groundstation1 infrared0)
    (have_image phenomenon3 infrared0)
    (have_image planet2 spectrograph1)
    (have_image star0 thermograph2)
    (have_image groundstation1 spectrograph1)
    (pointing satellite0 groundstation1))))
