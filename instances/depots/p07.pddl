; Depots: 2 depots, 2 distributors, 1 truck, 5 pallets, 4 hoists, 5 crates.
(define (problem depots-p07)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 distributor1 - distributor
    truck0 - truck
    pallet0 pallet1 pallet2 pallet3 pallet4 - pallet
    hoist0 hoist1 hoist2 hoist3 - hoist
    crate0 crate1 crate2 crate3 crate4 - crate)

  (:init
    (at pallet0 depot0) (at crate3 depot0) (on crate3 pallet0) (at crate0 depot0) (on crate0 crate3)
    (clear crate0)
    (at pallet1 depot1) (at crate1 depot1) (on crate1 pallet1) (clear crate1)
    (at pallet2 distributor0) (at crate4 distributor0) (on crate4 pallet2) (clear crate4)
    (at pallet3 distributor1) (at crate2 distributor1) (on crate2 pallet3) (clear crate2)
    (at pallet4 distributor0) (clear pallet4)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at hoist3 distributor1) (available hoist3)
    (at truck0 depot0))

  (:goal (and
    (on crate2 pallet1))))
