; Goldminer: 6 places, soft rock at 4 and hard rock at 0 of them.
(define (problem goldminer-example)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f - loc
    f1-0f f1-1f f1-2f - loc)

  (:init
    (robot-at f0-0f) (arm-empty)
    (bomb-at f1-0f) (laser-at f1-0f) (gold-at f1-1f)
    (clear f0-0f) (soft-rock-at f0-1f) (soft-rock-at f0-2f)
    (clear f1-0f) (soft-rock-at f1-1f) (soft-rock-at f1-2f)
    (connected f0-0f f0-1f) (connected f0-0f f1-0f)
    (connected f0-1f f0-2f) (connected f0-1f f1-1f) (connected f0-1f f0-0f)
    (connected f0-2f f1-2f) (connected f0-2f f0-1f)
    (connected f1-0f f1-1f) (connected f1-0f f0-0f)
    (connected f1-1f f1-2f) (connected f1-1f f1-0f) (connected f1-1f f0-1f)
    (connected f1-2f f1-1f) (connected f1-2f f0-2f))

  (:goal (and
    (holds-gold))))
