; Depots: 2 depots, 1 distributor, 1 truck, 4 pallets, 4 hoists, 4 crates.
(define (problem depots-p17)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 - distributor
    truck0 - truck
    pallet0 pallet1 pallet2 pallet3 - pallet
    hoist0 hoist1 hoist2 hoist3 - hoist
    crate0 crate1 crate2 crate3 - crate)

  (:init
    (at pallet0 depot0) (at crate3 depot0) (on crate3 pallet0) (at crate0 depot0) (on crate0 crate3)
    (clear crate0)
    (at pallet1 depot1) (clear pallet1)
    (at pallet2 distributor0) (clear pallet2)
    (at pallet3 depot1) (at crate1 depot1) (on crate1 pallet3) (at crate2 depot1) (on crate2 crate1)
    (clear crate2)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at hoist3 depot0) (available hoist3)
    (at truck0 depot0))

  (:goal (and
    (on crate0 pallet3)
    (on crate1 pallet2)
    (on crate2 pallet0)
    (on crate3 crate2))))
