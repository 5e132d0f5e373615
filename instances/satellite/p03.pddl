; Satellite: 1 satellite, 1 instrument, 3 modes, 3 directions, 1 image.
(define (problem satellite-p03)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 - instrument
    infrared0 spectrograph1 thermograph2 - mode
    star0 groundstation1 planet2 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 planet2)
    (supports instrument0 infrared0) (supports instrument0 spectrograph1)
    (supports instrument0 thermograph2))

  (:goal (and
    (have_image star0 spectrograph1))))
