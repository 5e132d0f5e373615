; Blocksworld: 9 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s08)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable c) (on h c) (clear h)
    (ontable a) (on f a) (on g f) (on b g) (on i b) (on d i) (clear d)
    (ontable e) (clear e))

  (:goal (and
    (on a e)
    (on b a)
    (on c h)
    (on d f)
    (on e d)
    (on f g)
    (on h b)
    (on i c))))
