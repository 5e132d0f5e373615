; Depots: 1 depot, 1 distributor, 2 trucks, 3 pallets, 2 hoists, 5 crates.
(define (problem depots-p18)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 - pallet
    hoist0 hoist1 - hoist
    crate0 crate1 crate2 crate3 crate4 - crate)

  (:init
    (at pallet0 depot0) (at crate3 depot0) (on crate3 pallet0) (clear crate3)
    (at pallet1 distributor0) (at crate2 distributor0) (on crate2 pallet1) (clear crate2)
    (at pallet2 depot0) (at crate0 depot0) (on crate0 pallet2) (at crate4 depot0) (on crate4 crate0)
    (at crate1 depot0) (on crate1 crate4) (clear crate1)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at truck0 depot0) (at truck1 depot0))

  (:goal (and
    (on crate0 pallet1)
    (on crate2 pallet0)
    (on crate3 pallet2)
    (on crate4 crate2))))
