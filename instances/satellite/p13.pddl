; Satellite: 3 satellites, 4 instruments, 3 modes, 8 directions, 5 images.
(define (problem satellite-p13)
  (:domain satellite)

  (:objects
    satellite0 satellite1 satellite2 - satellite
    instrument0 instrument1 instrument2 instrument3 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 planet6 phenomenon7 - direction)

  (:init
    (pointing satellite0 phenomenon3) (power_avail satellite0)
    (pointing satellite1 phenomenon3) (power_avail satellite1)
    (pointing satellite2 planet2) (power_avail satellite2)
    (on_board instrument0 satellite0) (calibration_target instrument0 planet6)
    (supports instrument0 infrared0)
    (on_board instrument1 satellite1) (calibration_target instrument1 phenomenon3)
    (supports instrument1 infrared0) (supports instrument1 spectrograph1)
    (on_board instrument2 satellite2) (calibration_target instrument2 planet6)
    (supports instrument2 infrared0) (supports instrument2 spectrograph1)
    (supports instrument2 thermograph2)
    (on_board instrument3 satellite0) (calibration_target instrument3 groundstation1)
    (supports instrument3 infrared0) (supports instrument3 thermograph2))

  (:goal (and
    (have_image groundstation1 spectrograph1)
    (have_image phenomenon3 spectrograph1)
    (have_image planet2 infrared0)
    (have_image phenomenon3 thermograph2)
    (have_image phenomenon7 infrared0)
    (pointing satellite0 phenomenon3)
    (pointing satellite1 groundstation5)
    (pointing satellite2 star0))))
