; Goldminer: 15 places, soft rock at 4 and hard rock at 0 of them.
(define (problem goldminer-p12)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f f0-3f f0-4f - loc
    f1-0f f1-1f f1-2f f1-3f f1-4f - loc
    f2-0f f2-1f f2-2f f2-3f f2-4f - loc)

  (:init
    (robot-at f0-0f) (arm-empty)
    (bomb-at f1-3f) (laser-at f1-3f) (gold-at f2-0f)
    (clear f0-0f) (clear f0-1f) (clear f0-2f) (clear f0-3f) (soft-rock-at f0-4f)
    (clear f1-0f) (soft-rock-at f1-1f) (clear f1-2f) (clear f1-3f) (clear f1-4f)
    (soft-rock-at f2-0f) (clear f2-1f) (soft-rock-at f2-2f) (clear f2-3f) (clear f2-4f)
    (connected f0-0f f0-1f) (connected f0-0f f1-0f)
    (connected f0-1f f0-2f) (connected f0-1f f1-1f) (connected f0-1f f0-0f)
    (connected f0-2f f0-3f) (connected f0-2f f1-2f) (connected f0-2f f0-1f)
    (connected f0-3f f0-4f) (connected f0-3f f1-3f) (connected f0-3f f0-2f)
    (connected f0-4f f1-4f) (connected f0-4f f0-3f)
    (connected f1-0f f1-1f) (connected f1-0f f2-0f) (connected f1-0f f0-0f)
    (connected f1-1f f1-2f) (connected f1-1f f2-1f) (connected f1-1f f1-0f) (connected f1-1f f0-1f)
    (connected f1-2f f1-3f) (connected f1-2f f2-2f) (connected f1-2f f1-1f) (connected f1-2f f0-2f)
    (connected f1-3f f1-4f) (connected f1-3f f2-3f) (connected f1-3f f1-2f) (connected f1-3f f0-3f)
    (connected f1-4f f2-4f) (connected f1-4f f1-3f) (connected f1-4f f0-4f)
    (connected f2-0f f2-1f) (connected f2-0f f1-0f)
    (connected f2-1f f2-2f) (connected f2-1f f2-0f) (connected f2-1f f1-1f)
    (connected f2-2f f2-3f) (connected f2-2f f2-1f) (connected f2-2f f1-2f)
    (connected f2-3f f2-4f) (connected f2-3f f2-2f) (connected f2-3f f1-3f)
    (connected f2-4f f2-3f) (connected f2-4f f1-4f))

  (:goal (and
    (holds-gold))))
