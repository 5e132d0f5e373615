; Blocksworld: 12 blocks, 2 towers at first, all must move.
(define (problem blocksworld-s20)
  (:domain blocksworld-4ops)

  (:objects
    a b c d e f g h i j k l)

  (:init
    (handempty)
    (ontable c) (on j c) (on l j) (on d l) (on k d) (clear k)
    (ontable f) (on g f) (on a g) (on e a) (on i e) (on b i) (on h b) (clear h))

  (:goal (and
    (on a f)
    (on c e)
    (on d k)
    (on e g)
    (on f j)
    (on h c)
    (on i d)
    (on j i)
    (on k b)
    (on l h))))
