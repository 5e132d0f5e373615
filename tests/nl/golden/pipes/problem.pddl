(define (problem pipes-1) (:domain pipes)
  (:objects a b - valve)
  (:init (source a) (linked a b))
  (:goal (wet b)))
