; Blocksworld: 8 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s03)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable b) (on h b) (on g h) (on a g) (on e a) (on d e) (clear d)
    (ontable c) (on f c) (clear f))

  (:goal (and
    (on b g)
    (on c e)
    (on d f)
    (on e h)
    (on f b))))
