; Goldminer: 9 places, soft rock at 0 and hard rock at 4 of them.
(define (problem goldminer-p09)
  (:domain gold-miner-typed)

  (:objects
    f0-0f f0-1f f0-2f - loc
    f1-0f f1-1f f1-2f - loc
    f2-0f f2-1f f2-2f - loc)

  (:init
    (robot-at f0-2f) (arm-empty)
    (bomb-at f1-2f) (laser-at f2-2f) (gold-at f0-0f)
    (clear f0-0f) (hard-rock-at f0-1f) (clear f0-2f)
    (hard-rock-at f1-0f) (clear f1-1f) (clear f1-2f)
    (hard-rock-at f2-0f) (hard-rock-at f2-1f) (clear f2-2f)
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
