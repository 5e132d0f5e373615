; Satellite: 1 satellite, 1 instrument, 2 modes, 4 directions, 2 images.
(define (problem satellite-p05)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 - instrument
    infrared0 spectrograph1 - mode
    star0 groundstation1 planet2 phenomenon3 - direction)

  (:init
    (pointing satellite0 groundstation1) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 infrared0) (supports instrument0 spectrograph1))

  (:goal (and
    (have_image phenomenon3 spectrograph1)
    (have_image planet2 infrared0))))
