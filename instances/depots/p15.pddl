; Depots: 1 depot, 0 distributors, 1 truck, 2 pallets, 1 hoist, 5 crates.
(define (problem depots-p15)
  (:domain depot)

  (:objects
    depot0 - depot
    truck0 - truck
    pallet0 pallet1 - pallet
    hoist0 - hoist
    crate0 crate1 crate2 crate3 crate4 - crate)

  (:init
    (at pallet0 depot0) (at crate0 depot0) (on crate0 pallet0) (clear crate0)
    (at pallet1 depot0) (at crate4 depot0) (on crate4 pallet1) (at crate2 depot0) (on crate2 crate4)
    (at crate1 depot0) (on crate1 crate2) (at crate3 depot0) (on crate3 crate1) (clear crate3)
    (at hoist0 depot0) (available hoist0)
    (at truck0 depot0))

  (:goal (and
    (on crate0 crate4)
    (on crate1 pallet1)
    (on crate2 pallet0)
    (on crate3 crate0)
    (on crate4 crate2))))
