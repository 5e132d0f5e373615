; Blocksworld: 11 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s15)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k)

  (:init
    (handempty)
    (ontable b) (on a b) (clear a)
    (ontable k) (on e k) (on f e) (on d f) (on g d) (on c g) (on j c) (on h j) (clear h)
    (ontable i) (clear i))

  (:goal (and
    (on a c)
    (on b j)
    (on c i)
    (on d e)
    (on e k)
    (on f d)
    (on h a)
    (on i b)
    (on j f)
    (on k g))))
