(define (problem wash) (:domain laundry)
  (:objects washer-1 - machine basket-1 shelf-1 - place shirt-1 towel-1 - item)
  (:init (at shelf-1) (hand-empty) (closed washer-1) (in shirt-1 basket-1) (in towel-1 shelf-1))
  (:goal (and (clean shirt-1) (in shirt-1 shelf-1))))
