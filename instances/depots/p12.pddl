; Depots: 1 depot, 1 distributor, 2 trucks, 2 pallets, 2 hoists, 3 crates.
(define (problem depots-p12)
  (:domain depot)

  (:objects
    depot0 - depot
    distributor0 - distributor
    truck0 truck1 - truck
    pallet0 pallet1 - pallet
    hoist0 hoist1 - hoist
    crate0 crate1 crate2 - crate)

  (:init
    (at pallet0 depot0) (at crate2 depot0) (on crate2 pallet0) (at crate1 depot0) (on crate1 crate2)
    (at crate0 depot0) (on crate0 crate1) (clear crate0)
    (at pallet1 distributor0) (clear pallet1)
    (at hoist0 depot0) (available hoist0)
    (at hoist1 distributor0) (available hoist1)
    (at truck0 distributor0) (at truck1 depot0))

  (:goal (and
    (on crate0 pallet1)
    (on crate1 pallet0)
    (on crate2 crate1))))
