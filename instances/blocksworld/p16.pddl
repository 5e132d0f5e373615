; Blocksworld: 9 blocks, 4 towers at first.
(define (problem blocksworld-p16)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i)

  (:init
    (handempty)
    (ontable e) (clear e)
    (ontable f) (on c f) (clear c)
    (ontable g) (on i g) (on a i) (clear a)
    (ontable b) (on d b) (on h d) (clear h))

  (:goal (and
    (on a c)
    (on b i)
    (on d f)
    (on f h)
    (on g b)
    (on h a)
    (on i d))))
