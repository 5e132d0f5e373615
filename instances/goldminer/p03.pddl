; Goldminer: 10 places, soft rock at 5 and hard rock at 3 of them.
(define (problem goldminer-p03)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f f0-3f f0-4f - loc
    f1-0f f1-1f f1-2f f1-3f f1-4f - loc)

  (:init
    (robot-at f0-2f) (arm-empty)
    (bomb-at f1-2f) (gold-at f1-1f)
    (hard-rock-at f0-0f) (soft-rock-at f0-1f) (clear f0-2f) (hard-rock-at f0-3f)
    (soft-rock-at f0-4f)
    (soft-rock-at f1-0f) (soft-rock-at f1-1f) (clear f1-2f) (hard-rock-at f1-3f)
    (soft-rock-at f1-4f)
    (connected f0-0f f0-1f) (connected f0-0f f1-0f)
    (connected f0-1f f0-2f) (connected f0-1f f1-1f) (connected f0-1f f0-0f)
    (connected f0-2f f0-3f) (connected f0-2f f1-2f) (connected f0-2f f0-1f)
    (connected f0-3f f0-4f) (connected f0-3f f1-3f) (connected f0-3f f0-2f)
    (connected f0-4f f1-4f) (connected f0-4f f0-3f)
    (connected f1-0f f1-1f) (connected f1-0f f0-0f)
    (connected f1-1f f1-2f) (connected f1-1f f1-0f) (connected f1-1f f0-1f)
    (connected f1-2f f1-3f) (connected f1-2f f1-1f) (connected f1-2f f0-2f)
    (connected f1-3f f1-4f) (connected f1-3f f1-2f) (connected f1-3f f0-3f)
    (connected f1-4f f1-3f) (connected f1-4f f0-4f))

  (:goal (and
    (holds-gold))))
