; Depots: 2 depots, 1 distributor, 1 truck, 3 pallets, 3 hoists, 3 crates.
(define (problem depots-p14)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 - distributor
    truck0 - truck
    pallet0 pallet1 pallet2 - pallet
    hoist0 hoist1 hoist2 - hoist
    crate0 crate1 crate2 - crate)

  (:init
    (at pallet0 depot0) (at crate1 depot0) (on crate1 pallet0) (clear crate1)
    (at pallet1 depot1) (at crate0 depot1) (on crate0 pallet1) (clear crate0)
    (at pallet2 distributor0) (at crate2 distributor0) (on crate2 pallet2) (clear crate2)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at truck0 depot1))

  (:goal (and
    (on crate0 crate1)
    (on crate1 pallet2)
    (on crate2 pallet0))))
