; Depots: 1 depot, 2 distributors, 2 trucks, 3 pallets, 3 hoists, 4 crates.
(define (problem depots-p20)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 distributor1 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 - pallet
    hoist0 hoist1 hoist2 - hoist
    crate0 crate1 crate2 crate3 - crate)

  (:init
    (at pallet0 depot0) (at crate1 depot0) (on crate1 pallet0) (clear crate1)
    (at pallet1 distributor0) (clear pallet1)
    (at pallet2 distributor1) (at crate2 distributor1) (on crate2 pallet2) (at crate3 distributor1)
    (on crate3 crate2) (at crate0 distributor1) (on crate0 crate3) (clear crate0)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at hoist2 distributor1) (available hoist2)
    (at truck0 distributor0) (at truck1 distributor0))

  (:goal (and
    (on crate0 pallet1)
    (on crate1 pallet2)
    (on crate2 pallet0)
    (on crate3 crate1))))
