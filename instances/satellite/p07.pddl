; Satellite: 3 satellites, 3 instruments, 3 modes, 6 directions, 3 images.
(define (problem satellite-p07)
  (:domain satellite)

  (:objects
    satellite0 satellite1 satellite2 - satellite
    instrument0 instrument1 instrument2 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 - direction)

  (:init
    (pointing satellite0 groundstation5) (power_avail satellite0)
    (pointing satellite1 phenomenon3) (power_avail satellite1)
    (pointing satellite2 star0) (power_avail satellite2)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 infrared0) (supports instrument0 spectrograph1)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation5)
    (supports instrument1 infrared0) (supports instrument1 thermograph2)
    (on_board instrument2 satellite2) (calibration_target instrument2 planet2)
    (supports instrument2 infrared0) (supports instrument2 spectrograph1)
    (supports instrument2 thermograph2))

  (:goal (and
    (have_image planet2 infrared0)
    (have_image star4 infrared0)
    (have_image phenomenon3 thermograph2))))
