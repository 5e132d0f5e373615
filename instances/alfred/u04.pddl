; Alfred: Put a rinsed cup on a side table.
(define (problem alfred-u04)
  (:domain alfred)

  (:objects
    bathtubbasin-1 - bathtubbasin
    toilet-1 - toilet
    sinkbasin-1 sinkbasin-2 - sinkbasin
    countertop-1 - countertop
    cabinet-1 cabinet-2 cabinet-3 cabinet-4 cabinet-5 cabinet-6 cabinet-7 - cabinet
    drawer-1 drawer-2 drawer-3 drawer-4 drawer-5 - drawer
    toiletpaperhanger-1 - toiletpaperhanger
    garbagecan-1 - garbagecan
    shelf-1 shelf-2 shelf-3 shelf-4 - shelf
    sidetable-1 - sidetable
    dresser-1 - dresser
    cart-1 - cart
    faucet-1 faucet-2 - faucet
    candle-1 candle-2 candle-3 - candle
    cloth-1 cloth-2 - cloth
    cellphone-1 - cellphone
    cup-1 - cup
    glassbottle-1 glassbottle-2 - glassbottle
    handtowel-1 handtowel-2 - handtowel
    newspaper-1 - newspaper
    plunger-1 - plunger
    soapbar-1 soapbar-2 soapbar-3 - soapbar
    soapbottle-1 soapbottle-2 - soapbottle
    spraybottle-1 spraybottle-2 spraybottle-3 - spraybottle
    tissuebox-1 tissuebox-2 - tissuebox
    toiletpaper-1 toiletpaper-2 toiletpaper-3 toiletpaper-4 - toiletpaper
    vase-1 vase-2 - vase
    watch-1 - watch
    wateringcan-1 - wateringcan
    book-1 - book
    keychain-1 - keychain)

  (:init
    (at cabinet-6) (hand-empty)
    (openable cabinet-1) (shut cabinet-1) (openable cabinet-2) (shut cabinet-2) (openable cabinet-3)
    (shut cabinet-3) (openable cabinet-4) (shut cabinet-4) (openable cabinet-5) (shut cabinet-5)
    (openable cabinet-6) (shut cabinet-6) (openable cabinet-7) (shut cabinet-7) (openable drawer-1)
    (shut drawer-1) (openable drawer-2) (shut drawer-2) (openable drawer-3) (shut drawer-3)
    (openable drawer-4) (shut drawer-4) (openable drawer-5) (shut drawer-5)
    (in candle-1 garbagecan-1) (in candle-2 cabinet-2) (in candle-3 drawer-1) (in cloth-1 shelf-2)
    (in cloth-2 drawer-5) (in cellphone-1 toiletpaperhanger-1) (in cup-1 toiletpaperhanger-1)
    (in glassbottle-1 shelf-1) (in glassbottle-2 shelf-2) (in handtowel-1 sidetable-1)
    (in handtowel-2 shelf-1) (in newspaper-1 shelf-1) (in plunger-1 shelf-1)
    (in soapbar-1 dresser-1) (in soapbar-2 cabinet-6) (in soapbar-3 shelf-1)
    (in soapbottle-1 dresser-1) (in soapbottle-2 cabinet-3) (in spraybottle-1 garbagecan-1)
    (in spraybottle-2 cabinet-5) (in spraybottle-3 drawer-4) (in tissuebox-1 cart-1)
    (in tissuebox-2 cabinet-1) (in toiletpaper-1 dresser-1) (in toiletpaper-2 drawer-4)
    (in toiletpaper-3 drawer-2) (in toiletpaper-4 cabinet-5) (in vase-1 shelf-2)
    (in vase-2 drawer-1) (in watch-1 sidetable-1) (in wateringcan-1 garbagecan-1)
    (in book-1 dresser-1) (in keychain-1 shelf-2)
    (runs-into faucet-1 sinkbasin-1) (runs-into faucet-2 sinkbasin-2)
    (beside drawer-2 cabinet-3) (beside cabinet-3 cabinet-7) (beside cabinet-7 countertop-1)
    (beside countertop-1 drawer-1) (beside drawer-1 bathtubbasin-1)
    (beside bathtubbasin-1 cabinet-6) (beside cabinet-6 shelf-3) (beside shelf-3 cabinet-5)
    (beside cabinet-5 shelf-2) (beside shelf-2 shelf-4) (beside shelf-4 cabinet-4)
    (beside cabinet-4 cart-1) (beside cart-1 drawer-5) (beside drawer-5 cabinet-1)
    (beside cabinet-1 shelf-1) (beside shelf-1 drawer-4) (beside drawer-4 sinkbasin-2)
    (beside sinkbasin-2 sidetable-1) (beside sidetable-1 garbagecan-1)
    (beside garbagecan-1 sinkbasin-1) (beside sinkbasin-1 drawer-3) (beside drawer-3 cabinet-2)
    (beside cabinet-2 toiletpaperhanger-1) (beside toiletpaperhanger-1 toilet-1)
    (beside toilet-1 dresser-1) (beside cabinet-3 drawer-2) (beside cabinet-7 cabinet-3)
    (beside countertop-1 cabinet-7) (beside drawer-1 countertop-1) (beside bathtubbasin-1 drawer-1)
    (beside cabinet-6 bathtubbasin-1) (beside shelf-3 cabinet-6) (beside cabinet-5 shelf-3)
    (beside shelf-2 cabinet-5) (beside shelf-4 shelf-2) (beside cabinet-4 shelf-4)
    (beside cart-1 cabinet-4) (beside drawer-5 cart-1) (beside cabinet-1 drawer-5)
    (beside shelf-1 cabinet-1) (beside drawer-4 shelf-1) (beside sinkbasin-2 drawer-4)
    (beside sidetable-1 sinkbasin-2) (beside garbagecan-1 sidetable-1)
    (beside sinkbasin-1 garbagecan-1) (beside drawer-3 sinkbasin-1) (beside cabinet-2 drawer-3)
    (beside toiletpaperhanger-1 cabinet-2) (beside toilet-1 toiletpaperhanger-1)
    (beside dresser-1 toilet-1)
    (heatable cup-1)
    (coolable cup-1)
    (cleanable cloth-1) (cleanable cloth-2) (cleanable cup-1) (cleanable soapbar-1)
    (cleanable soapbar-2) (cleanable soapbar-3))

  (:goal (and
    (exists (?x - cup ?p - sidetable) (and (clean ?x) (in ?x ?p))))))
