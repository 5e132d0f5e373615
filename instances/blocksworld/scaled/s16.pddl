; Blocksworld: 11 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s16)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k)

  (:init
    (handempty)
    (ontable b) (clear b)
    (ontable e) (on c e) (on f c) (on d f) (on a d) (on h a) (on g h) (clear g)
    (ontable i) (on j i) (on k j) (clear k))

  (:goal (and
    (on a k)
    (on b i)
    (on e b)
    (on f h)
    (on g a)
    (on h e)
    (on i j)
    (on j g)
    (on k d))))
