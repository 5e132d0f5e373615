; Blocksworld: 9 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s05)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable h) (on e h) (on c e) (on a c) (on d a) (clear d)
    (ontable f) (on b f) (on g b) (on i g) (clear i))

  (:goal (and
    (on a e)
    (on c i)
    (on f g)
    (on g b)
    (on h d))))
