; Satellite: 2 satellites, 4 instruments, 3 modes, 8 directions, 8 images.
(define (problem satellite-p16)
  (:domain satellite)

  (:objects
    satellite0 satellite1 - satellite
    instrument0 instrument1 instrument2 instrument3 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 planet6 phenomenon7 - direction)

  (:init
    (pointing satellite0 star0) (power_avail satellite0)
    (pointing satellite1 star4) (power_avail satellite1)
    (on_board instrument0 satellite0) (calibration_target instrument0 groundstation5)
    (supports instrument0 thermograph2)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation5)
    (supports instrument1 infrared0)
    (on_board instrument2 satellite1) (calibration_target instrument2 planet2)
    (supports instrument2 infrared0) (supports instrument2 spectrograph1)
    (on_board instrument3 satellite0) (calibration_target instrument3 planet6)
    (supports instrument3 infrared0) (supports instrument3 spectrograph1)
    (supports instrument3 thermograph2))

  (:goal (and
    (have_image star4 thermograph2)
    (have_image planet6 infrared0)
    (have_image star0 spectrograph1)
    (have_image star4 infrared0)
    (have_image groundstation5 thermograph2)
    (have_image phenomenon3 infrared0)
    (have_image planet2 infrared0)
    (have_image planet2 spectrograph1))))
