(define (problem all-of-it)
  (:domain everything)
  (:requirements :adl)
  (:objects
    t1 - truck
    a b - place
  )
  (:init
    (at t1 a)
    (tired)
    (= (fuel t1) 100)
    (= (dist a b) 2.5)
    (= (home t1) a)
    (not (busy t1))
    (at 5 (open a))
    (at 7.5 (not (open a)))
  )
  (:goal (and
           (at t1 b)
           (preference g1 (open b))
           (preference (open a))
           (or (tired) (exists (?p - place) (open ?p)))))
  (:constraints (always-within 5 (open a) (open b)))
  (:metric minimize (+ (total-time) (* 2 (is-violated g1)) (- (fuel t1))))
)
