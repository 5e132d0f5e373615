; Blocksworld: 10 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s09)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j)

  (:init
    (handempty)
    (ontable g) (on f g) (clear f)
    (ontable j) (on b j) (on a b) (clear a)
    (ontable c) (on i c) (on h i) (on e h) (on d e) (clear d))

  (:goal (and
    (on a d)
    (on b a)
    (on c i)
    (on e h)
    (on f b)
    (on g f)
    (on i e)
    (on j c))))
