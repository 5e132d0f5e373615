; Depots: 2 depots, 2 distributors, 2 trucks, 4 pallets, 5 hoists, 4 crates.
(define (problem depots-p13)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 distributor1 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 pallet3 - pallet
    hoist0 hoist1 hoist2 hoist3 hoist4 - hoist
    crate0 crate1 crate2 crate3 - crate)

  (:init
    (at pallet0 depot0) (at crate1 depot0) (on crate1 pallet0) (at crate0 depot0) (on crate0 crate1)
    (clear crate0)
    (at pallet1 depot1) (clear pallet1)
    (at pallet2 distributor0) (at crate3 distributor0) (on crate3 pallet2) (clear crate3)
    (at pallet3 distributor1) (at crate2 distributor1) (on crate2 pallet3) (clear crate2)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at hoist3 distributor1) (available hoist3)
    (at hoist4 depot0) (available hoist4)
    (at truck0 distributor0) (at truck1 distributor0))

  (:goal (and
    (on crate0 pallet0)
    (on crate1 crate0)
    (on crate2 pallet2)
    (on crate3 pallet3))))
