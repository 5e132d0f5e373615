; Depots: 2 depots, 0 distributors, 1 truck, 3 pallets, 3 hoists, 4 crates.
(define (problem depots-p09)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    truck0 - truck
    pallet0 pallet1 pallet2 - pallet
    hoist0 hoist1 hoist2 - hoist
    crate0 crate1 crate2 crate3 - crate)

  (:init
    (at pallet0 depot0) (at crate3 depot0) (on crate3 pallet0) (clear crate3)
    (at pallet1 depot1) (at crate0 depot1) (on crate0 pallet1) (at crate2 depot1) (on crate2 crate0)
    (clear crate2)
    (at pallet2 depot0) (at crate1 depot0) (on crate1 pallet2) (clear crate1)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 depot0) (available hoist2)
    (at truck0 depot1))

  (:goal (and
    (on crate3 pallet1))))
