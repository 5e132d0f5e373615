; Alfred: Place a clean apple on a dining table.
(define (problem alfred-h02)
  (:domain alfred)

  (:objects
    countertop-1 countertop-2 countertop-3 - countertop
    cabinet-1 cabinet-2 cabinet-3 cabinet-4 cabinet-5 - cabinet
    drawer-1 drawer-2 drawer-3 - drawer
    fridge-1 - fridge
    microwave-1 - microwave
    sinkbasin-1 - sinkbasin
    stoveburner-1 stoveburner-2 - stoveburner
    coffeemachine-1 - coffeemachine
    garbagecan-1 - garbagecan
    diningtable-1 - diningtable
    sidetable-1 - sidetable
    shelf-1 shelf-2 - shelf
    faucet-1 - faucet
    apple-1 apple-2 apple-3 - apple
    bread-1 bread-2 - bread
    lettuce-1 - lettuce
    potato-1 potato-2 potato-3 - potato
    tomato-1 tomato-2 tomato-3 - tomato
    egg-1 egg-2 egg-3 - egg
    knife-1 - carvingknife
    butterknife-1 - butterknife
    fork-1 - fork
    spoon-1 spoon-2 - spoon
    spatula-1 - spatula
    ladle-1 - ladle
    dishsponge-1 - dishsponge
    bowl-1 - bowl
    cup-1 cup-2 - cup
    mug-1 mug-2 - mug
    pan-1 - pan
    plate-1 plate-2 - plate
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
    (at sinkbasin-1) (hand-empty)
    (openable cabinet-1) (shut cabinet-1) (openable cabinet-2) (shut cabinet-2) (openable cabinet-3)
    (shut cabinet-3) (openable cabinet-4) (shut cabinet-4) (openable cabinet-5) (shut cabinet-5)
    (openable drawer-1) (shut drawer-1) (openable drawer-2) (shut drawer-2) (openable drawer-3)
    (shut drawer-3) (openable fridge-1) (shut fridge-1) (cools fridge-1) (openable microwave-1)
    (shut microwave-1)
    (in apple-1 fridge-1) (in apple-2 fridge-1) (in apple-3 fridge-1) (in bread-1 shelf-1)
    (in bread-2 countertop-1) (in lettuce-1 countertop-2) (in potato-1 countertop-3)
    (in potato-2 drawer-1) (in potato-3 countertop-2) (in tomato-1 countertop-1)
    (in tomato-2 countertop-3) (in tomato-3 shelf-1) (in egg-1 sidetable-1) (in egg-2 drawer-2)
    (in egg-3 countertop-2) (in knife-1 countertop-1) (in butterknife-1 garbagecan-1)
    (in fork-1 countertop-2) (in spoon-1 countertop-3) (in spoon-2 countertop-2)
    (in spatula-1 diningtable-1) (in ladle-1 countertop-3) (in dishsponge-1 shelf-2)
    (in bowl-1 garbagecan-1) (in cup-1 shelf-2) (in cup-2 countertop-3) (in mug-1 shelf-1)
    (in mug-2 shelf-1) (in pan-1 diningtable-1) (in plate-1 diningtable-1)
    (in plate-2 diningtable-1) (in pot-1 diningtable-1) (in kettle-1 shelf-2)
    (in peppershaker-1 countertop-3) (in saltshaker-1 shelf-1) (in soapbottle-1 countertop-3)
    (in winebottle-1 countertop-1) (in vase-1 garbagecan-1) (in book-1 shelf-2)
    (in statue-1 countertop-2)
    (runs-into faucet-1 sinkbasin-1)
    (beside cabinet-2 drawer-2) (beside drawer-2 shelf-1) (beside shelf-1 cabinet-5)
    (beside cabinet-5 drawer-1) (beside drawer-1 shelf-2) (beside shelf-2 sidetable-1)
    (beside sidetable-1 cabinet-1) (beside cabinet-1 cabinet-4) (beside cabinet-4 coffeemachine-1)
    (beside coffeemachine-1 microwave-1) (beside microwave-1 garbagecan-1)
    (beside garbagecan-1 diningtable-1) (beside diningtable-1 fridge-1)
    (beside fridge-1 countertop-3) (beside countertop-3 drawer-3) (beside drawer-3 sinkbasin-1)
    (beside sinkbasin-1 countertop-2) (beside countertop-2 cabinet-3)
    (beside cabinet-3 countertop-1) (beside countertop-1 stoveburner-2)
    (beside stoveburner-2 stoveburner-1) (beside drawer-2 cabinet-2) (beside shelf-1 drawer-2)
    (beside cabinet-5 shelf-1) (beside drawer-1 cabinet-5) (beside shelf-2 drawer-1)
    (beside sidetable-1 shelf-2) (beside cabinet-1 sidetable-1) (beside cabinet-4 cabinet-1)
    (beside coffeemachine-1 cabinet-4) (beside microwave-1 coffeemachine-1)
    (beside garbagecan-1 microwave-1) (beside diningtable-1 garbagecan-1)
    (beside fridge-1 diningtable-1) (beside countertop-3 fridge-1) (beside drawer-3 countertop-3)
    (beside sinkbasin-1 drawer-3) (beside countertop-2 sinkbasin-1) (beside cabinet-3 countertop-2)
    (beside countertop-1 cabinet-3) (beside stoveburner-2 countertop-1)
    (beside stoveburner-1 stoveburner-2)
    (heatable apple-1) (heatable apple-2) (heatable apple-3) (heatable bread-1) (heatable bread-2)
    (heatable potato-1) (heatable potato-2) (heatable potato-3) (heatable tomato-1)
    (heatable tomato-2) (heatable tomato-3) (heatable egg-1) (heatable egg-2) (heatable egg-3)
    (heatable cup-1) (heatable cup-2) (heatable mug-1) (heatable mug-2) (heatable plate-1)
    (heatable plate-2)
    (coolable apple-1) (coolable apple-2) (coolable apple-3) (coolable bread-1) (coolable bread-2)
    (coolable lettuce-1) (coolable potato-1) (coolable potato-2) (coolable potato-3)
    (coolable tomato-1) (coolable tomato-2) (coolable tomato-3) (coolable egg-1) (coolable egg-2)
    (coolable egg-3) (coolable bowl-1) (coolable cup-1) (coolable cup-2) (coolable mug-1)
    (coolable mug-2) (coolable pan-1) (coolable plate-1) (coolable plate-2) (coolable pot-1)
    (coolable winebottle-1)
    (cleanable apple-1) (cleanable apple-2) (cleanable apple-3) (cleanable lettuce-1)
    (cleanable potato-1) (cleanable potato-2) (cleanable potato-3) (cleanable tomato-1)
    (cleanable tomato-2) (cleanable tomato-3) (cleanable egg-1) (cleanable egg-2) (cleanable egg-3)
    (cleanable knife-1) (cleanable butterknife-1) (cleanable fork-1) (cleanable spoon-1)
    (cleanable spoon-2) (cleanable spatula-1) (cleanable ladle-1) (cleanable dishsponge-1)
    (cleanable bowl-1) (cleanable cup-1) (cleanable cup-2) (cleanable mug-1) (cleanable mug-2)
    (cleanable pan-1) (cleanable plate-1) (cleanable plate-2) (cleanable pot-1) (cleanable kettle-1))

  (:goal (and
    (exists (?x - apple ?p - diningtable) (and (clean ?x) (in ?x ?p))))))
