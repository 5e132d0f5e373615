; Satellite: 2 satellites, 2 instruments, 2 modes, 6 directions, 4 images.
(define (problem satellite-p10)
  (:domain satellite)

  (:objects
    satellite0 satellite1 - satellite
    instrument0 instrument1 - instrument
    infrared0 spectrograph1 - mode
    star0 groundstation1 planet2 phenomenon3 star4 groundstation5 - direction)

  (:init
    (pointing satellite0 star0) (power_avail satellite0)
    (pointing satellite1 groundstation1) (power_avail satellite1)
    (on_board instrument0 satellite0) (calibration_target instrument0 groundstation1)
    (supports instrument0 infrared0) (supports instrument0 spectrograph1)
    (on_board instrument1 satellite1) (calibration_target instrument1 star0)
    (supports instrument1 spectrograph1))

  (:goal (and
    (have_image groundstation5 spectrograph1)
    (have_image groundstation5 infrared0)
    (have_image star0 infrared0)
    (have_image phenomenon3 infrared0)
    (pointing satellite0 planet2)
    (pointing satellite1 groundstation1))))
