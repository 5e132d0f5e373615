; Depots: 2 depots, 2 distributors, 2 trucks, 5 pallets, 5 hoists, 5 crates.
(define (problem depots-p19)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 distributor1 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 pallet3 pallet4 - pallet
    hoist0 hoist1 hoist2 hoist3 hoist4 - hoist
    crate0 crate1 crate2 crate3 crate4 - crate)

  (:init
    (at pallet0 depot0) (at crate1 depot0) (on crate1 pallet0) (clear crate1)
    (at pallet1 depot1) (clear pallet1)
    (at pallet2 distributor0) (clear pallet2)
    (at pallet3 distributor1) (at crate4 distributor1) (on crate4 pallet3) (at crate3 distributor1)
    (on crate3 crate4) (at crate2 distributor1) (on crate2 crate3) (clear crate2)
    (at pallet4 depot1) (at crate0 depot1) (on crate0 pallet4) (clear crate0)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at hoist3 distributor1) (available hoist3)
    (at hoist4 depot1) (available hoist4)
    (at truck0 depot1) (at truck1 depot1))

  (:goal (and
    (on crate0 pallet3)
    (on crate1 pallet0)
    (on crate2 pallet4)
    (on crate3 pallet1)
    (on crate4 pallet2))))
