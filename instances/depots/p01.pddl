; Depots: 1 depot, 0 distributors, 1 truck, 2 pallets, 2 hoists, 4 crates.
(define (problem depots-p01)
  (:domain depot)

  (:objects
    depot0 - depot
    truck0 - truck
    pallet0 pallet1 - pallet
    hoist0 hoist1 - hoist
    crate0 crate1 crate2 crate3 - crate)

  (:init
    (at pallet0 depot0) (at crate1 depot0) (on crate1 pallet0) (clear crate1)
    (at pallet1 depot0) (at crate3 depot0) (on crate3 pallet1) (at crate0 depot0) (on crate0 crate3)
    (at crate2 depot0) (on crate2 crate0) (clear crate2)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot0) (available hoist1)
    (at truck0 depot0))

  (:goal (and
    (on crate0 crate1))))
