; Depots: 1 depot, 2 distributors, 1 truck, 4 pallets, 4 hoists, 2 crates.
(define (problem depots-p06)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 distributor1 - distributor
    truck0 - truck
    pallet0 pallet1 pallet2 pallet3 - pallet
    hoist0 hoist1 hoist2 hoist3 - hoist
    crate0 crate1 - crate)

  (:init
    (at pallet0 depot0) (at crate1 depot0) (on crate1 pallet0) (clear crate1)
    (at pallet1 distributor0) (clear pallet1)
    (at pallet2 distributor1) (clear pallet2)
    (at pallet3 distributor1) (at crate0 distributor1) (on crate0 pallet3) (clear crate0)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at hoist2 distributor1) (available hoist2)
    (at hoist3 distributor0) (available hoist3)
    (at truck0 depot0))

  (:goal (and
    (on crate1 pallet3))))
