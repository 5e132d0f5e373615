; Alfred: Put a cooked potato slice on a side table.
(define (problem alfred-n09)
  (:domain alfred)

  (:objects
    countertop-1 countertop-2 countertop-3 - countertop
    cabinet-1 cabinet-2 cabinet-3 cabinet-4 cabinet-5 cabinet-6 - cabinet
    drawer-1 drawer-2 drawer-3 drawer-4 - drawer
    fridge-1 - fridge
    microwave-1 - microwave
    sinkbasin-1 - sinkbasin
    stoveburner-1 stoveburner-2 - stoveburner
    coffeemachine-1 - coffeemachine
    garbagecan-1 - garbagecan
    diningtable-1 - diningtable
    sidetable-1 - sidetable
    shelf-1 - shelf
    faucet-1 - faucet
    apple-1 apple-2 apple-3 - apple
    bread-1 - bread
    lettuce-1 lettuce-2 - lettuce
    potato-1 potato-2 potato-3 - potato
    potatosliced-1 potatosliced-2 potatosliced-3 potatosliced-4 potatosliced-5 potatosliced-6
    potatosliced-7 potatosliced-8 potatosliced-9 - potatosliced
    tomato-1 tomato-2 tomato-3 - tomato
    egg-1 egg-2 egg-3 - egg
    knife-1 - carvingknife
    butterknife-1 - butterknife
    fork-1 - fork
    spoon-1 - spoon
    spatula-1 - spatula
    ladle-1 - ladle
    dishsponge-1 - dishsponge
    bowl-1 bowl-2 - bowl
    cup-1 cup-2 cup-3 - cup
    mug-1 mug-2 - mug
    pan-1 - pan
    plate-1 - plate
    pot-1 - pot
    kettle-1 - kettle
    peppershaker-1 - peppershaker
    saltshaker-1 - saltshaker
    soapbottle-1 - soapbottle
    winebottle-1 - winebottle
    vase-1 - vase
    book-1 - book
    statue-1 - statue)

  (:init
    (at cabinet-6) (hand-empty)
    (openable cabinet-1) (shut cabinet-1) (openable cabinet-2) (shut cabinet-2) (openable cabinet-3)
    (shut cabinet-3) (openable cabinet-4) (shut cabinet-4) (openable cabinet-5) (shut cabinet-5)
    (openable cabinet-6) (shut cabinet-6) (openable drawer-1) (shut drawer-1) (openable drawer-2)
    (shut drawer-2) (openable drawer-3) (shut drawer-3) (openable drawer-4) (shut drawer-4)
    (openable fridge-1) (shut fridge-1) (cools fridge-1) (openable microwave-1) (shut microwave-1)
    (in apple-1 countertop-1) (in apple-2 cabinet-6) (in apple-3 cabinet-1)
    (in bread-1 diningtable-1) (in lettuce-1 garbagecan-1) (in lettuce-2 drawer-4)
    (in potato-1 garbagecan-1) (in potato-2 countertop-1) (in potato-3 shelf-1)
    (in tomato-1 countertop-3) (in tomato-2 cabinet-5) (in tomato-3 cabinet-4) (in egg-1 shelf-1)
    (in egg-2 cabinet-5) (in egg-3 drawer-2) (in knife-1 countertop-1)
    (in butterknife-1 garbagecan-1) (in fork-1 countertop-3) (in spoon-1 countertop-3)
    (in spatula-1 countertop-2) (in ladle-1 countertop-3) (in dishsponge-1 shelf-1)
    (in bowl-1 countertop-2) (in bowl-2 countertop-1) (in cup-1 garbagecan-1)
    (in cup-2 countertop-3) (in cup-3 garbagecan-1) (in mug-1 countertop-3) (in mug-2 garbagecan-1)
    (in pan-1 countertop-2) (in plate-1 countertop-3) (in pot-1 sidetable-1) (in kettle-1 shelf-1)
    (in peppershaker-1 diningtable-1) (in saltshaker-1 shelf-1) (in soapbottle-1 countertop-1)
    (in winebottle-1 garbagecan-1) (in vase-1 garbagecan-1) (in book-1 garbagecan-1)
    (in statue-1 garbagecan-1)
    (slice-of potatosliced-1 potato-1) (slice-of potatosliced-2 potato-1)
    (slice-of potatosliced-3 potato-1) (slice-of potatosliced-4 potato-2)
    (slice-of potatosliced-5 potato-2) (slice-of potatosliced-6 potato-2)
    (slice-of potatosliced-7 potato-3) (slice-of potatosliced-8 potato-3)
    (slice-of potatosliced-9 potato-3)
    (runs-into faucet-1 sinkbasin-1)
    (beside sinkbasin-1 countertop-1) (beside countertop-1 cabinet-6)
    (beside cabinet-6 garbagecan-1) (beside garbagecan-1 drawer-3) (beside drawer-3 fridge-1)
    (beside fridge-1 microwave-1) (beside microwave-1 cabinet-4) (beside cabinet-4 diningtable-1)
    (beside diningtable-1 shelf-1) (beside shelf-1 cabinet-2) (beside cabinet-2 drawer-1)
    (beside drawer-1 drawer-2) (beside drawer-2 stoveburner-2)
    (beside stoveburner-2 coffeemachine-1) (beside coffeemachine-1 cabinet-5)
    (beside cabinet-5 countertop-3) (beside countertop-3 cabinet-3) (beside cabinet-3 countertop-2)
    (beside countertop-2 cabinet-1) (beside cabinet-1 sidetable-1)
    (beside sidetable-1 stoveburner-1) (beside stoveburner-1 drawer-4)
    (beside countertop-1 sinkbasin-1) (beside cabinet-6 countertop-1)
    (beside garbagecan-1 cabinet-6) (beside drawer-3 garbagecan-1) (beside fridge-1 drawer-3)
    (beside microwave-1 fridge-1) (beside cabinet-4 microwave-1) (beside diningtable-1 cabinet-4)
    (beside shelf-1 diningtable-1) (beside cabinet-2 shelf-1) (beside drawer-1 cabinet-2)
    (beside drawer-2 drawer-1) (beside stoveburner-2 drawer-2)
    (beside coffeemachine-1 stoveburner-2) (beside cabinet-5 coffeemachine-1)
    (beside countertop-3 cabinet-5) (beside cabinet-3 countertop-3) (beside countertop-2 cabinet-3)
    (beside cabinet-1 countertop-2) (beside sidetable-1 cabinet-1)
    (beside stoveburner-1 sidetable-1) (beside drawer-4 stoveburner-1)
    (heatable apple-1) (heatable apple-2) (heatable apple-3) (heatable bread-1) (heatable potato-1)
    (heatable potato-2) (heatable potato-3) (heatable tomato-1) (heatable tomato-2)
    (heatable tomato-3) (heatable egg-1) (heatable egg-2) (heatable egg-3) (heatable cup-1)
    (heatable cup-2) (heatable cup-3) (heatable mug-1) (heatable mug-2) (heatable plate-1)
    (heatable potatosliced-1) (heatable potatosliced-2) (heatable potatosliced-3)
    (heatable potatosliced-4) (heatable potatosliced-5) (heatable potatosliced-6)
    (heatable potatosliced-7) (heatable potatosliced-8) (heatable potatosliced-9)
    (coolable apple-1) (coolable apple-2) (coolable apple-3) (coolable bread-1) (coolable lettuce-1)
    (coolable lettuce-2) (coolable potato-1) (coolable potato-2) (coolable potato-3)
    (coolable tomato-1) (coolable tomato-2) (coolable tomato-3) (coolable egg-1) (coolable egg-2)
    (coolable egg-3) (coolable bowl-1) (coolable bowl-2) (coolable cup-1) (coolable cup-2)
    (coolable cup-3) (coolable mug-1) (coolable mug-2) (coolable pan-1) (coolable plate-1)
    (coolable pot-1) (coolable winebottle-1) (coolable potatosliced-1) (coolable potatosliced-2)
    (coolable potatosliced-3) (coolable potatosliced-4) (coolable potatosliced-5)
    (coolable potatosliced-6) (coolable potatosliced-7) (coolable potatosliced-8)
    (coolable potatosliced-9)
    (cleanable apple-1) (cleanable apple-2) (cleanable apple-3) (cleanable lettuce-1)
    (cleanable lettuce-2) (cleanable potato-1) (cleanable potato-2) (cleanable potato-3)
    (cleanable tomato-1) (cleanable tomato-2) (cleanable tomato-3) (cleanable egg-1)
    (cleanable egg-2) (cleanable egg-3) (cleanable knife-1) (cleanable butterknife-1)
    (cleanable fork-1) (cleanable spoon-1) (cleanable spatula-1) (cleanable ladle-1)
    (cleanable dishsponge-1) (cleanable bowl-1) (cleanable bowl-2) (cleanable cup-1)
    (cleanable cup-2) (cleanable cup-3) (cleanable mug-1) (cleanable mug-2) (cleanable pan-1)
    (cleanable plate-1) (cleanable pot-1) (cleanable kettle-1) (cleanable potatosliced-1)
    (cleanable potatosliced-2) (cleanable potatosliced-3) (cleanable potatosliced-4)
    (cleanable potatosliced-5) (cleanable potatosliced-6) (cleanable potatosliced-7)
    (cleanable potatosliced-8) (cleanable potatosliced-9)
    (breakable egg-1) (breakable egg-2) (breakable egg-3) (breakable bowl-1) (breakable bowl-2)
    (breakable cup-1) (breakable cup-2) (breakable cup-3) (breakable mug-1) (breakable mug-2)
    (breakable plate-1) (breakable winebottle-1) (breakable vase-1) (breakable statue-1)
    (fillable bowl-1) (fillable bowl-2) (fillable cup-1) (fillable cup-2) (fillable cup-3)
    (fillable mug-1) (fillable mug-2) (fillable pot-1) (fillable kettle-1) (fillable winebottle-1)
    (slides bowl-1) (slides bowl-2) (slides mug-1) (slides mug-2) (slides pan-1) (slides pot-1)
    (slides kettle-1) (slides vase-1) (slides book-1) (slides statue-1)
    (soils bowl-1) (soils bowl-2) (soils cup-1) (soils cup-2) (soils cup-3) (soils mug-1)
    (soils mug-2) (soils pan-1) (soils plate-1) (soils pot-1)
    (cookable potato-1) (cookable potato-2) (cookable potato-3) (cookable egg-1) (cookable egg-2)
    (cookable egg-3) (cookable potatosliced-1) (cookable potatosliced-2) (cookable potatosliced-3)
    (cookable potatosliced-4) (cookable potatosliced-5) (cookable potatosliced-6)
    (cookable potatosliced-7) (cookable potatosliced-8) (cookable potatosliced-9)
    (runs-out soapbottle-1)
    (loose apple-1) (loose apple-2) (loose apple-3) (loose bread-1) (loose lettuce-1)
    (loose lettuce-2) (loose potato-1) (loose potato-2) (loose potato-3) (loose tomato-1)
    (loose tomato-2) (loose tomato-3) (loose egg-1) (loose egg-2) (loose egg-3) (loose knife-1)
    (loose butterknife-1) (loose fork-1) (loose spoon-1) (loose spatula-1) (loose ladle-1)
    (loose dishsponge-1) (loose bowl-1) (loose bowl-2) (loose cup-1) (loose cup-2) (loose cup-3)
    (loose mug-1) (loose mug-2) (loose pan-1) (loose plate-1) (loose pot-1) (loose kettle-1)
    (loose peppershaker-1) (loose saltshaker-1) (loose soapbottle-1) (loose winebottle-1)
    (loose vase-1) (loose book-1) (loose statue-1) (loose potatosliced-1) (loose potatosliced-2)
    (loose potatosliced-3) (loose potatosliced-4) (loose potatosliced-5) (loose potatosliced-6)
    (loose potatosliced-7) (loose potatosliced-8) (loose potatosliced-9))

  (:goal (and
    (exists (?x - potatosliced ?p - sidetable) (and (cooked ?x) (in ?x ?p))))))
