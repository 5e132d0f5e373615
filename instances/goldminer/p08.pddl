; Goldminer: 20 places, soft rock at 10 and hard rock at 7 of them.
(define (problem goldminer-p08)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f f0-3f f0-4f - loc
    f1-0f f1-1f f1-2f f1-3f f1-4f - loc
    f2-0f f2-1f f2-2f f2-3f f2-4f - loc
    f3-0f f3-1f f3-2f f3-3f f3-4f - loc)

  (:init
    (robot-at f1-0f) (arm-empty)
    (bomb-at f0-0f) (gold-at f0-3f)
    (clear f0-0f) (soft-rock-at f0-1f) (soft-rock-at f0-2f) (clear f0-3f) (hard-rock-at f0-4f)
    (clear f1-0f) (hard-rock-at f1-1f) (hard-rock-at f1-2f) (soft-rock-at f1-3f)
    (hard-rock-at f1-4f)
    (soft-rock-at f2-0f) (hard-rock-at f2-1f) (hard-rock-at f2-2f) (soft-rock-at f2-3f)
    (soft-rock-at f2-4f)
    (soft-rock-at f3-0f) (soft-rock-at f3-1f) (soft-rock-at f3-2f) (soft-rock-at f3-3f)
    (hard-rock-at f3-4f)
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
    (connected f2-0f f2-1f) (connected f2-0f f3-0f) (connected f2-0f f1-0f)
    (connected f2-1f f2-2f) (connected f2-1f f3-1f) (connected f2-1f f2-0f) (connected f2-1f f1-1f)
    (connected f2-2f f2-3f) (connected f2-2f f3-2f) (connected f2-2f f2-1f) (connected f2-2f f1-2f)
    (connected f2-3f f2-4f) (connected f2-3f f3-3f) (connected f2-3f f2-2f) (connected f2-3f f1-3f)
    (connected f2-4f f3-4f) (connected f2-4f f2-3f) (connected f2-4f f1-4f)
    (connected f3-0f f3-1f) (connected f3-0f f2-0f)
    (connected f3-1f f3-2f) (connected f3-1f f3-0f) (connected f3-1f f2-1f)
    (connected f3-2f f3-3f) (connected f3-2f f3-1f) (connected f3-2f f2-2f)
    (connected f3-3f f3-4f) (connected f3-3f f3-2f) (connected f3-3f f2-3f)
    (connected f3-4f f3-3f) (connected f3-4f f2-4f))

  (:goal (and
    (holds-gold))))
