; Depots: 2 depots, 2 distributors, 2 trucks, 5 pallets, 4 hoists, 1 crate.
(define (problem depots-example)
  (:domain depot)

  (:objects
    depot0 depot1 - depot
    distributor0 distributor1 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 pallet2 pallet3 pallet4 - pallet
    hoist0 hoist1 hoist2 hoist3 - hoist
    crate0 - crate)

  (:init
    (at pallet0 depot0) (at crate0 depot0) (on crate0 pallet0) (clear crate0)
    (at pallet1 depot1) (clear pallet1)
    (at pallet2 distributor0) (clear pallet2)
    (at pallet3 distributor1) (clear pallet3)
    (at pallet4 depot0) (clear pallet4)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 depot1) (available hoist1)
    (at hoist2 distributor0) (available hoist2)
    (at hoist3 distributor1) (available hoist3)
    (at truck0 depot0) (at truck1 depot1))

  (:goal (and
    (on crate0 pallet1))))
