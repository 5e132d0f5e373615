; Satellite: 3 satellites, 3 instruments, 3 modes, 2 directions, 4 images.
(define (problem satellite-p15)
  (:domain satellite)

  (:objects
    satellite0 satellite1 satellite2 - satellite
    instrument0 instrument1 instrument2 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (pointing satellite1 groundstation1) (power_avail satellite1)
    (pointing satellite2 groundstation1) (power_avail satellite2)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 thermograph2)
    (on_board instrument1 satellite1) (calibration_target instrument1 groundstation1)
    (supports instrument1 infrared0)
    (on_board instrument2 satellite2) (calibration_target instrument2 star0)
    (supports instrument2 spectrograph1))

  (:goal (and
    (have_image star0 infrared0)
    (have_image groundstation1 spectrograph1)
    (have_image groundstation1 infrared0)
    (have_image star0 thermograph2)
    (pointing satellite0 star0)
    (pointing satellite1 groundstation1)
    (pointing satellite2 star0))))
