; Satellite: 2 satellites, 3 instruments, 2 modes, 3 directions, 5 images.
(define (problem satellite-p11)
  (:domain satellite)

  (:objects
    satellite0 satellite1 - satellite
    instrument0 instrument1 instrument2 - instrument
    infrared0 spectrograph1 - mode
    star0 groundstation1 planet2 - direction)

  (:init
    (pointing satellite0 star0) (power_avail satellite0)
    (pointing satellite1 groundstation1) (power_avail satellite1)
    (on_board instrument0 satellite0) (calibration_target instrument0 groundstation1)
    (supports instrument0 infrared0) (supports instrument0 spectrograph1)
    (on_board instrument1 satellite1) (calibration_target instrument1 planet2)
    (supports instrument1 infrared0) (supports instrument1 spectrograph1)
    (on_board instrument2 satellite0) (calibration_target instrument2 star0)
    (supports instrument2 infrared0))

  (:goal (and
    (have_image star0 infrared0)
    (have_image star0 spectrograph1)
    (have_image groundstation1 spectrograph1)
    (have_image planet2 infrared0)
    (have_image groundstation1 infrared0)
    (pointing satellite0 groundstation1)
    (pointing satellite1 planet2))))
