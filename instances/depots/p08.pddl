; Depots: 1 depot, 2 distributors, 2 trucks, 4 pallets, 4 hoists, 5 crates.
(define (problem depots-p08)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 distributor1 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 pallet3 - pallet
    hoist0 hoist1 hoist2 hoist3 - hoist
    crate0 crate1 crate2 crate3 crate4 - crate)

  (:init
    (at pallet0 depot0) (at crate2 depot0) (on crate2 pallet0) (at crate1 depot0) (on crate1 crate2)
    (at crate3 depot0) (on crate3 crate1) (clear crate3)
    (at pallet1 distributor0) (at crate0 distributor0) (on crate0 pallet1) (clear crate0)
    (at pallet2 distributor1) (at crate4 distributor1) (on crate4 pallet2) (clear crate4)
    (at pallet3 depot0) (clear pallet3)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at hoist2 distributor1) (available hoist2)
    (at hoist3 depot0) (available hoist3)
    (at truck0 distributor1) (at truck1 depot0))

  (:goal (and
    (on crate0 pallet1)
    (on crate1 crate4)
    (on crate2 pallet3)
    (on crate3 pallet0)
    (on crate4 pallet2))))
