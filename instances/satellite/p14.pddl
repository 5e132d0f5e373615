; Satellite: 1 satellite, 3 instruments, 2 modes, 7 directions, 7 images.
(define (problem satellite-p14)
  (:domain satellite)

  (:objects
    satellite0 - satellite
    instrument0 instrument1 instrument2 - instrument
    infrared0 spectrograph1 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 planet6 - direction)

  (:init
    (pointing satellite0 planet6) (power_avail satellite0)
    (on_board instrument0 satellite0) (calibration_target instrument0 groundstation5)
    (supports instrument0 infrared0) (supports instrument0 spectrograph1)
    (on_board instrument1 satellite0) (calibration_target instrument1 groundstation1)
    (supports instrument1 spectrograph1)
    (on_board instrument2 satellite0) (calibration_target instrument2 star0)
    (supports instrument2 infrared0))

  (:goal (and
    (have_image groundstation1 infrared0)
    (have_image star0 spectrograph1)
    (have_image planet2 spectrograph1)
    (have_image planet2 infrared0)
    (have_image groundstation5 spectrograph1)
    (have_image groundstation1 spectrograph1)
    (have_image star4 spectrograph1)
    (pointing satellite0 groundstation5))))
