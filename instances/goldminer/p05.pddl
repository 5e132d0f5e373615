; Goldminer: 9 places, soft rock at 6 and hard rock at 0 of them.
(define (problem goldminer-p05)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f - loc
    f1-0f f1-1f f1-2f - loc
    f2-0f f2-1f f2-2f - loc)

  (:init
    (robot-at f1-1f) (arm-empty)
    (bomb-at f1-1f) (laser-at f1-1f) (gold-at f2-2f)
    (soft-rock-at f0-0f) (clear f0-1f) (soft-rock-at f0-2f)
    (soft-rock-at f1-0f) (clear f1-1f) (soft-rock-at f1-2f)
    (clear f2-0f) (soft-rock-at f2-1f) (soft-rock-at f2-2f)
    (connected f0-0f f0-1f) (connected f0-0f f1-0f)
    (connected f0-1f f0-2f) (connected f0-1f f1-1f) (connected f0-1f f0-0f)
    (connected f0-2f f1-2f) (connected f0-2f f0-1f)
    (connected f1-0f f1-1f) (connected f1-0f f2-0f) (connected f1-0f f0-0f)
    (connected f1-1f f1-2f) (connected f1-1f f2-1f) (connected f1-1f f1-0f) (connected f1-1f f0-1f)
    (connected f1-2f f2-2f) (connected f1-2f f1-1f) (connected f1-2f f0-2f)
    (connected f2-0f f2-1f) (connected f2-0f f1-0f)
    (connected f2-1f f2-2f) (connected f2-1f f2-0f) (connected f2-1f f1-1f)
    (connected f2-2f f2-1f) (connected f2-2f f1-2f))

  (:goal (and
    (holds-gold))))
