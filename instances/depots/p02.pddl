; Depots: 1 depot, 1 distributor, 1 truck, 3 pallets, 3 hoists, 2 crates.
(define (problem depots-p02)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 - distributor
    truck0 - truck
    pallet0 pallet1 pallet2 - pallet
    hoist0 hoist1 hoist2 - hoist
    crate0 crate1 - crate)

  (:init
    (at pallet0 depot0) (clear pallet0)
    (at pallet1 distributor0) (clear pallet1)
    (at pallet2 depot0) (at crate0 depot0) (on crate0 pallet2) (at crate1 depot0) (on crate1 crate0)
    (clear crate1)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at hoist2 depot0) (available hoist2)
    (at truck0 distributor0))

  (:goal (and
    (on crate0 pallet0)
    (on crate1 crate0))))
