; Blocksworld: 10 blocks, 4 towers at first, all must move.
(define (problem blocksworld-s12)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j)

  (:init
    (handempty)
    (ontable d) (on c d) (clear c)
    (ontable h) (on a h) (on i a) (on b i) (on e b) (clear e)
    (ontable g) (clear g)
    (ontable j) (on f j) (clear f))

  (:goal (and
    (on a c)
    (on c d)
    (on d b)
    (on f h)
    (on g e)
    (on h i)
    (on j f))))
