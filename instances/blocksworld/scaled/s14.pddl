; Blocksworld: 11 blocks, 3 towers at first, all must move.
(define (problem blocksworld-s14)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k)

  (:init
    (handempty)
    (ontable b) (clear b)
    (ontable i) (on g i) (on h g) (on e h) (clear e)
    (ontable j) (on d j) (on k d) (on a k) (on f a) (on c f) (clear c))

  (:goal (and
    (on b i)
    (on c k)
    (on d j)
    (on e f)
    (on f d)
    (on h c)
    (on i a)
    (on j b))))
