; Goldminer: 8 places, soft rock at 2 and hard rock at 2 of them.
(define (problem goldminer-p10)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f f0-3f - loc
    f1-0f f1-1f f1-2f f1-3f - loc)

  (:init
    (robot-at f1-0f) (arm-empty)
    (bomb-at f0-0f) (gold-at f1-2f)
    (clear f0-0f) (clear f0-1f) (soft-rock-at f0-2f) (clear f0-3f)
    (clear f1-0f) (hard-rock-at f1-1f) (soft-rock-at f1-2f) (hard-rock-at f1-3f)
    (connected f0-0f f0-1f) (connected f0-0f f1-0f)
    (connected f0-1f f0-2f) (connected f0-1f f1-1f) (connected f0-1f f0-0f)
    (connected f0-2f f0-3f) (connected f0-2f f1-2f) (connected f0-2f f0-1f)
    (connected f0-3f f1-3f) (connected f0-3f f0-2f)
    (connected f1-0f f1-1f) (connected f1-0f f0-0f)
    (connected f1-1f f1-2f) (connected f1-1f f1-0f) (connected f1-1f f0-1f)
    (connected f1-2f f1-3f) (connected f1-2f f1-1f) (connected f1-2f f0-2f)
    (connected f1-3f f1-2f) (connected f1-3f f0-3f))

  (:goal (and
    (holds-gold))))
