; Depots: 1 depot, 1 distributor, 2 trucks, 3 pallets, 2 hoists, 3 crates.
(define (problem depots-p05)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 - pallet
    hoist0 hoist1 - hoist
    crate0 crate1 crate2 - crate)

  (:init
    (at pallet0 depot0) (clear pallet0)
    (at pallet1 distributor0) (clear pallet1)
    (at pallet2 distributor0) (at crate1 distributor0) (on crate1 pallet2) (at crate2 distributor0)
    (on crate2 crate1) (at crate0 distributor0) (on crate0 crate2) (clear crate0)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at truck0 distributor0) (at truck1 distributor0))

  (:goal (and
    (on crate0 pallet0)
    (on crate1 pallet2)
    (on crate2 pallet1))))
