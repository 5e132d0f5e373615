; T10: Complex salad.
(define (problem kitchen-t10)
  (:domain kitchen)
  (:objects
    countertop-1 - countertop
    dining-table-1 - dining-table
    shelf-1 - shelf
    stove-burner-1 - stove-burner
    stove-knob-1 - stove-knob
    fridge-1 - fridge
    cabinet-1 - cabinet
    drawer-1 - drawer
    microwave-1 - microwave
    toaster-1 - toaster
    coffee-machine-1 - coffee-machine
    sink-basin-1 - sink-basin
    faucet-1 - faucet
    knife-1 - knife
    fork-1 - fork
    plate-1 plate-2 - plate
    bowl-1 - bowl
    pan-1 - pan
    pot-1 - pot
    kettle-1 - kettle
    cup-1 - cup
    mug-1 - mug
    wine-bottle-1 - wine-bottle
    egg-1 - egg
    potato-1 - potato
    tomato-1 - tomato
    lettuce-1 - lettuce
    bread-1 - bread
    apple-1 - apple
    egg-cracked-1 - egg-cracked
    potato-slice-1 - potato-slice
    tomato-slice-1 - tomato-slice
    lettuce-slice-1 - lettuce-slice
    bread-slice-1 - bread-slice
    apple-slice-1 - apple-slice
    water-1 - water
    coffee-1 - coffee
    wine-1 - wine)
  (:init
    (hand-empty)
    (on knife-1 countertop-1)
    (on bread-1 countertop-1)
    (on potato-1 countertop-1)
    (on kettle-1 countertop-1)
    (on pot-1 countertop-1)
    (on egg-1 dining-table-1)
    (on apple-1 shelf-1)
    (on plate-1 dining-table-1)
    (on cup-1 shelf-1)
    (on mug-1 shelf-1)
    (on pan-1 countertop-1)
    (on wine-bottle-1 shelf-1)
    (inside fork-1 drawer-1)
    (inside bowl-1 cabinet-1)
    (inside tomato-1 fridge-1)
    (inside lettuce-1 fridge-1)
    (inside plate-2 sink-basin-1)
    (hidden fork-1)
    (hidden bowl-1)
    (hidden tomato-1)
    (hidden lettuce-1)
    (absent egg-cracked-1)
    (absent potato-slice-1)
    (absent tomato-slice-1)
    (absent lettuce-slice-1)
    (absent bread-slice-1)
    (absent apple-slice-1)
    (filled wine-bottle-1 wine-1)
    (dirty plate-2)
    (openable fridge-1)
    (openable cabinet-1)
    (openable drawer-1)
    (openable microwave-1)
    (toggleable microwave-1)
    (toggleable toaster-1)
    (toggleable coffee-machine-1)
    (toggleable kettle-1)
    (toggleable faucet-1)
    (toggleable stove-knob-1)
    (surface countertop-1)
    (surface dining-table-1)
    (surface shelf-1)
    (surface stove-burner-1)
    (surface plate-1)
    (surface plate-2)
    (container fridge-1)
    (container cabinet-1)
    (container drawer-1)
    (container microwave-1)
    (container toaster-1)
    (container coffee-machine-1)
    (container sink-basin-1)
    (container bowl-1)
    (container pan-1)
    (container pot-1)
    (dish plate-1)
    (dish plate-2)
    (dish bowl-1)
    (dish pan-1)
    (dish pot-1)
    (dish kettle-1)
    (part-of stove-knob-1 stove-burner-1)
    (part-of faucet-1 sink-basin-1)
    (controls stove-knob-1 stove-burner-1)
    (controls faucet-1 sink-basin-1)
    (controls microwave-1 microwave-1)
    (controls toaster-1 toaster-1)
    (controls coffee-machine-1 coffee-machine-1)
    (controls kettle-1 kettle-1)
    (delivers faucet-1 water-1)
    (delivers coffee-machine-1 coffee-1)
    (comes-from egg-cracked-1 egg-1)
    (comes-from potato-slice-1 potato-1)
    (comes-from tomato-slice-1 tomato-1)
    (comes-from lettuce-slice-1 lettuce-1)
    (comes-from bread-slice-1 bread-1)
    (comes-from apple-slice-1 apple-1)
    (too-large-for plate-1 microwave-1)
    (too-large-for plate-2 microwave-1)
    (too-large-for pan-1 microwave-1)
    (too-large-for pot-1 microwave-1)
    (too-large-for kettle-1 microwave-1)
    (too-large-for wine-bottle-1 microwave-1))
  (:goal (and
    (on lettuce-slice-1 plate-1)
    (on tomato-slice-1 plate-1)
    (on apple-slice-1 plate-1)
    (on plate-1 dining-table-1)
    (on knife-1 countertop-1))))
