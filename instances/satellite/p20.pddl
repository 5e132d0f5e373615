; Satellite: 2 satellites, 4 instruments, 2 modes, 4 directions, 8 images.
(define (problem satellite-p20)
  (:domain satellite)

  (:objects
    satellite0 satellite1 - satellite
    instrument0 instrument1 instrument2 instrument3 - instrument
    infrared0 spectrograph1 - mode
    star0 groundstation1 planet2 phenomenon3 - direction)

  (:init
    (pointing satellite0 planet2) (power_avail satellite0)
    (pointing satellite1 groundstation1) (power_avail satellite1)
    (on_board instrument0 satellite0) (calibration_target instrument0 star0)
    (supports instrument0 spectrograph1)
    (on_board instrument1 satellite1) (calibration_target instrument1 planet2)
    (supports instrument1 spectrograph1)
    (on_board instrument2 satellite1) (calibration_target instrument2 star0)
    (supports instrument2 spectrograph1)
    (on_board instrument3 satellite0) (calibration_target instrument3 groundstation1)
    (supports instrument3 infrared0))

  (:goal (and
    (have_image phenomenon3 spectrograph1)
    (have_image planet2 infrared0)
    (have_image groundstation1 infrared0)
    (have_image groundstation1 spectrograph1)
    (have_image star0 spectrograph1)
    (have_image star0 infrared0)
    (have_image planet2 spectrograph1)
    (have_image phenomenon3 infrared0)
    (pointing satellite1 star0))))
