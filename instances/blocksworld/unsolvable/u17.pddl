; Blocksworld: 8 blocks, 3 towers at first.
(define (problem blocksworld-u17)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h)

  (:init
    (handempty)
    (ontable g) (clear g)
    (ontable a) (on c a) (on e c) (on d e) (on b d) (on h b) (clear h)
    (ontable f) (clear f))

  (:goal (and
    (on a f)
    (on a h))))
