; Alfred: I want a washed soap bar on a shelf.
(define (problem alfred-s04)
  (:domain alfred)

  (:objects
    bathtubbasin-1 - bathtubbasin
    toilet-1 - toilet
    sinkbasin-1 sinkbasin-2 - sinkbasin
    countertop-1 - countertop
    cabinet-1 cabinet-2 cabinet-3 cabinet-4 cabinet-5 cabinet-6 cabinet-7 - cabinet
    drawer-1 drawer-2 drawer-3 - drawer
    toiletpaperhanger-1 - toiletpaperhanger
    garbagecan-1 - garbagecan
    shelf-1 shelf-2 shelf-3 shelf-4 - shelf
    sidetable-1 - sidetable
    dresser-1 - dresser
    cart-1 - cart
    faucet-1 faucet-2 - faucet
    candle-1 candle-2 candle-3 - candle
    cloth-1 cloth-2 cloth-3 - cloth
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
    toiletpaper-1 toiletpaper-2 toiletpaper-3 - toiletpaper
    vase-1 - vase
    watch-1 - watch
    wateringcan-1 - wateringcan
    book-1 - book
    keychain-1 - keychain)

  (:init
    (at cabinet-1) (hand-empty)
    (openable cabinet-1) (shut cabinet-1) (openable cabinet-2) (shut cabinet-2) (openable cabinet-3)
    (shut cabinet-3) (openable cabinet-4) (shut cabinet-4) (openable cabinet-5) (shut cabinet-5)
    (openable cabinet-6) (shut cabinet-6) (openable cabinet-7) (shut cabinet-7) (openable drawer-1)
    (shut drawer-1) (openable drawer-2) (shut drawer-2) (openable drawer-3) (shut drawer-3)
    (in candle-1 shelf-2) (in candle-2 drawer-2) (in candle-3 shelf-1) (in cloth-1 shelf-3)
    (in cloth-2 shelf-1) (in cloth-3 drawer-1) (in cellphone-1 toiletpaperhanger-1)
    (in cup-1 toiletpaperhanger-1) (in glassbottle-1 cart-1) (in glassbottle-2 cabinet-1)
    (in handtowel-1 garbagecan-1) (in handtowel-2 cabinet-2) (in newspaper-1 cart-1)
    (in plunger-1 cart-1) (in soapbar-1 sidetable-1) (in soapbar-2 cart-1)
    (in soapbar-3 garbagecan-1) (in soapbottle-1 toiletpaperhanger-1) (in soapbottle-2 drawer-2)
    (in spraybottle-1 toiletpaperhanger-1) (in spraybottle-2 sidetable-1)
    (in spraybottle-3 cabinet-3) (in tissuebox-1 shelf-4) (in tissuebox-2 shelf-2)
    (in toiletpaper-1 garbagecan-1) (in toiletpaper-2 cabinet-2) (in toiletpaper-3 cabinet-6)
    (in vase-1 shelf-2) (in watch-1 countertop-1) (in wateringcan-1 dresser-1) (in book-1 shelf-1)
    (in keychain-1 shelf-3)
    (runs-into faucet-1 sinkbasin-1) (runs-into faucet-2 sinkbasin-2)
    (beside sinkbasin-2 drawer-1) (beside drawer-1 cabinet-5) (beside cabinet-5 cabinet-3)
    (beside cabinet-3 shelf-3) (beside shelf-3 cart-1) (beside cart-1 cabinet-1)
    (beside cabinet-1 shelf-4) (beside shelf-4 cabinet-7) (beside cabinet-7 shelf-1)
    (beside shelf-1 toilet-1) (beside toilet-1 countertop-1) (beside countertop-1 garbagecan-1)
    (beside garbagecan-1 cabinet-4) (beside cabinet-4 sidetable-1) (beside sidetable-1 shelf-2)
    (beside shelf-2 cabinet-2) (beside cabinet-2 dresser-1) (beside dresser-1 cabinet-6)
    (beside cabinet-6 sinkbasin-1) (beside sinkbasin-1 drawer-2)
    (beside drawer-2 toiletpaperhanger-1) (beside toiletpaperhanger-1 bathtubbasin-1)
    (beside bathtubbasin-1 drawer-3) (beside drawer-1 sinkbasin-2) (beside cabinet-5 drawer-1)
    (beside cabinet-3 cabinet-5) (beside shelf-3 cabinet-3) (beside cart-1 shelf-3)
    (beside cabinet-1 cart-1) (beside shelf-4 cabinet-1) (beside cabinet-7 shelf-4)
    (beside shelf-1 cabinet-7) (beside toilet-1 shelf-1) (beside countertop-1 toilet-1)
    (beside garbagecan-1 countertop-1) (beside cabinet-4 garbagecan-1)
    (beside sidetable-1 cabinet-4) (beside shelf-2 sidetable-1) (beside cabinet-2 shelf-2)
    (beside dresser-1 cabinet-2) (beside cabinet-6 dresser-1) (beside sinkbasin-1 cabinet-6)
    (beside drawer-2 sinkbasin-1) (beside toiletpaperhanger-1 drawer-2)
    (beside bathtubbasin-1 toiletpaperhanger-1) (beside drawer-3 bathtubbasin-1)
    (heatable cup-1)
    (coolable cup-1)
    (cleanable cloth-1) (cleanable cloth-2) (cleanable cloth-3) (cleanable cup-1)
    (cleanable soapbar-1) (cleanable soapbar-2) (cleanable soapbar-3))

  (:goal (and
    (exists (?x - soapbar ?p - shelf) (and (clean ?x) (in ?x ?p))))))
