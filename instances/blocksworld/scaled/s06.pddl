; Blocksworld: 9 blocks, 1 tower at first, all must move.
(define (problem blocksworld-s06)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable h) (on d h) (on g d) (on b g) (on e b) (on i e) (on c i) (on f c) (on a f) (clear a))

  (:goal (and
    (on b a)
    (on c g)
    (on d f)
    (on f e)
    (on h b)
    (on i d))))
