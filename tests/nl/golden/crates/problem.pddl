(define (problem crates-1) (:domain crates)
  (:objects market - shop c1 c2 - crate t - truck w - airplane)
  (:init (at c1 market) (at c2 hub) (at t hub) (at w market) (broken w) (insured c1) (at t hub))
  (:goal (and (at c1 hub) (in c2 t) (not (broken w)) (not (at t hub)))))
