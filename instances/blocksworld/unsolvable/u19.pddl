; Blocksworld: 9 blocks, 4 towers at first.
(define (problem blocksworld-u19)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable a) (on f a) (on c f) (on e c) (clear e)
    (ontable d) (clear d)
    (ontable b) (on h b) (clear h)
    (ontable i) (on g i) (clear g))

  (:goal (and
    (on a f)
    (on b a)
    (on c h)
    (on d a)
    (on e b)
    (on g d)
    (on h i)
    (on i g))))
