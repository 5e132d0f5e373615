; A small house: Make coffee for Tom and put it into his wardrobe.
(define (problem building-example)
  (:domain building)

  (:objects
    bobs_room toms_room jacks_room kitchen livingroom - room
    pose1 pose2 pose3 pose4 pose5 - pose
    bed1 wardrobe1 bed2 wardrobe2 bed3 fridge coffee_machine sofa - asset
    coffee_mug cushion - item
    blue - attribute)

  (:init
    (at bobs_room) (hand-empty)
    (linked bobs_room pose1) (linked pose1 bobs_room) (linked toms_room pose1) (linked pose1 toms_room)
    (linked toms_room pose2) (linked pose2 toms_room) (linked toms_room pose5) (linked pose5 toms_room)
    (linked jacks_room pose2) (linked pose2 jacks_room) (linked jacks_room pose3) (linked pose3 jacks_room)
    (linked kitchen pose3) (linked pose3 kitchen) (linked kitchen pose4) (linked pose4 kitchen)
    (linked kitchen pose5) (linked pose5 kitchen) (linked livingroom pose4) (linked pose4 livingroom)
    (in-room bed1 bobs_room) (in-room wardrobe1 bobs_room) (in-room bed2 toms_room)
    (in-room wardrobe2 toms_room) (in-room bed3 jacks_room) (in-room fridge kitchen)
    (in-room coffee_machine kitchen) (in-room sofa livingroom)
    (inside-of coffee_mug wardrobe1) (on-top-of cushion sofa)
    (shut wardrobe1) (shut wardrobe2) (shut fridge)
    (takes-in wardrobe1) (takes-in wardrobe2) (takes-in fridge)
    (takes-on bed1) (takes-on bed2) (takes-on bed3) (takes-on coffee_machine) (takes-on sofa)
    (openable wardrobe1) (openable wardrobe2) (openable fridge)
    (switchable coffee_machine)
    (brews coffee_machine)
    (vessel coffee_mug)
    (has coffee_mug blue))

  (:goal (and (coffee-in coffee_mug) (inside-of coffee_mug wardrobe2))))
