; Depots: 2 depots, 2 distributors, 1 truck, 4 pallets, 5 hoists, 1 crate.
(define (problem depots-p03)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 distributor1 - distributor
    truck0 - truck
    pallet0 pallet1 pallet2 pallet3 - pallet
    hoist0 hoist1 hoist2 hoist3 hoist4 - hoist
    crate0 - crate)

  (:init
    (at pallet0 depot0) (clear pallet0)
    (at pallet1 depot1) (at crate0 depot1) (on crate0 pallet1) (clear crate0)
    (at pallet2 distributor0) (clear pallet2)
    (at pallet3 distributor1) (clear pallet3)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at hoist3 distributor1) (available hoist3)
    (at hoist4 depot0) (available hoist4)
    (at truck0 depot1))

  (:goal (and
    (on crate0 pallet2))))
