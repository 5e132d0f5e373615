(define (problem towers-1) (:domain towers)
  (:objects a b c)
  (:init (on a b) (clear a) (clear c) (free) (between a b c))
  (:goal (on a c)))
