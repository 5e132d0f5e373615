(define (problem fetch) (:domain laundry)
  (:objects washer-1 - machine basket-1 shelf-1 - place shirt-1 towel-1 - item)
  (:init (at basket-1) (hand-empty) (in shirt-1 washer-1) (in towel-1 shelf-1))
  (:goal (and (in shirt-1 basket-1) (in towel-1 basket-1) (closed washer-1))))
