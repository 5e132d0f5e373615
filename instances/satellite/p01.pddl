; Satellite: 1 satellite, 2 instruments, 2 modes, 1 direction, 1 image.
(define (problem satellite-p01)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 instrument1 - instrument
    infrared0 spectrograph1 - mode
    star0 - direction)

  (:init
    (pointing satellite0 star0) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 spectrograph1)
    (on_board instrument1 satellite0) (calibration_target instrument1 star0)
    (supports instrument1 infrared0) (supports instrument1 spectrograph1))

  (:goal (and
    (have_image star0 spectrograph1))))
