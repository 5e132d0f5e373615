; Blocksworld: 9 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s07)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable a) (on h a) (on g h) (on f g) (on i f) (on e i) (on d e) (clear d)
    (ontable c) (on b c) (clear b))

  (:goal (and
    (on a i)
    (on b d)
    (on c e)
    (on d f)
    (on e a)
    (on f g)
    (on h c)
    (on i b))))
