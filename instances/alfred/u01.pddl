; Alfred: I want a remote control on a cart.
(define (problem alfred-u01)
  (:domain alfred)

  (:objects
    sofa-1 - sofa
    armchair-1 - armchair
    coffeetable-1 - coffeetable
    sidetable-1 sidetable-2 sidetable-3 - sidetable
    shelf-1 shelf-2 shelf-3 shelf-4 - shelf
    drawer-1 drawer-2 drawer-3 drawer-4 drawer-5 - drawer
    cabinet-1 cabinet-2 cabinet-3 - cabinet
    dresser-1 - dresser
    diningtable-1 - diningtable
    ottoman-1 - ottoman
    desk-1 - desk
    garbagecan-1 - garbagecan
    safe-1 - safe
    cart-1 - cart
    floorlamp-1 - floorlamp
    desklamp-1 - desklamp
    book-1 book-2 - book
    box-1 - box
    cd-1 - cd
    candle-1 candle-2 - candle
    cellphone-1 cellphone-2 - cellphone
    creditcard-1 creditcard-2 creditcard-3 - creditcard
    keychain-1 keychain-2 keychain-3 - keychain
    laptop-1 laptop-2 - laptop
    newspaper-1 newspaper-2 newspaper-3 - newspaper
    pen-1 - pen
    pencil-1 - pencil
    pillow-1 pillow-2 pillow-3 - pillow
    plate-1 - plate
    remotecontrol-1 remotecontrol-2 - remotecontrol
    statue-1 statue-2 - statue
    tissuebox-1 tissuebox-2 - tissuebox
    vase-1 vase-2 - vase
    watch-1 - watch
    wateringcan-1 - wateringcan
    bowl-1 - bowl
    glassbottle-1 - glassbottle)

  (:init
    (at garbagecan-1) (hand-empty)
    (openable drawer-1) (shut drawer-1) (openable drawer-2) (shut drawer-2) (openable drawer-3)
    (shut drawer-3) (openable drawer-4) (shut drawer-4) (openable drawer-5) (shut drawer-5)
    (openable cabinet-1) (shut cabinet-1) (openable cabinet-2) (shut cabinet-2) (openable cabinet-3)
    (shut cabinet-3) (openable safe-1) (shut safe-1)
    (in book-1 shelf-4) (in book-2 drawer-1) (in box-1 diningtable-1) (in cd-1 shelf-3)
    (in candle-1 sidetable-2) (in candle-2 shelf-2) (in cellphone-1 shelf-2)
    (in cellphone-2 dresser-1) (in creditcard-1 desk-1) (in creditcard-2 drawer-3)
    (in creditcard-3 coffeetable-1) (in keychain-1 sofa-1) (in keychain-2 sidetable-2)
    (in keychain-3 shelf-1) (in laptop-1 sidetable-3) (in laptop-2 desk-1)
    (in newspaper-1 sidetable-2) (in newspaper-2 diningtable-1) (in newspaper-3 drawer-2)
    (in pen-1 coffeetable-1) (in pencil-1 shelf-2) (in pillow-1 desk-1) (in pillow-2 drawer-3)
    (in pillow-3 drawer-4) (in plate-1 sidetable-3) (in remotecontrol-1 shelf-1)
    (in remotecontrol-2 ottoman-1) (in statue-1 sidetable-3) (in statue-2 sidetable-1)
    (in tissuebox-1 shelf-3) (in tissuebox-2 shelf-1) (in vase-1 sidetable-3) (in vase-2 shelf-3)
    (in watch-1 shelf-3) (in wateringcan-1 shelf-2) (in bowl-1 desk-1)
    (in glassbottle-1 diningtable-1)
    (stands floorlamp-1 sofa-1) (stands desklamp-1 desk-1)
    (beside drawer-3 cabinet-3) (beside cabinet-3 safe-1) (beside safe-1 drawer-1)
    (beside drawer-1 sofa-1) (beside sofa-1 drawer-5) (beside drawer-5 sidetable-2)
    (beside sidetable-2 garbagecan-1) (beside garbagecan-1 armchair-1) (beside armchair-1 cart-1)
    (beside cart-1 drawer-4) (beside drawer-4 cabinet-1) (beside cabinet-1 shelf-1)
    (beside shelf-1 dresser-1) (beside dresser-1 sidetable-1) (beside sidetable-1 cabinet-2)
    (beside cabinet-2 ottoman-1) (beside ottoman-1 shelf-2) (beside shelf-2 sidetable-3)
    (beside sidetable-3 coffeetable-1) (beside coffeetable-1 diningtable-1)
    (beside diningtable-1 shelf-3) (beside shelf-3 shelf-4) (beside shelf-4 drawer-2)
    (beside drawer-2 desk-1) (beside cabinet-3 drawer-3) (beside safe-1 cabinet-3)
    (beside drawer-1 safe-1) (beside sofa-1 drawer-1) (beside drawer-5 sofa-1)
    (beside sidetable-2 drawer-5) (beside garbagecan-1 sidetable-2) (beside armchair-1 garbagecan-1)
    (beside cart-1 armchair-1) (beside drawer-4 cart-1) (beside cabinet-1 drawer-4)
    (beside shelf-1 cabinet-1) (beside dresser-1 shelf-1) (beside sidetable-1 dresser-1)
    (beside cabinet-2 sidetable-1) (beside ottoman-1 cabinet-2) (beside shelf-2 ottoman-1)
    (beside sidetable-3 shelf-2) (beside coffeetable-1 sidetable-3)
    (beside diningtable-1 coffeetable-1) (beside shelf-3 diningtable-1) (beside shelf-4 shelf-3)
    (beside drawer-2 shelf-4) (beside desk-1 drawer-2)
    (heatable plate-1)
    (coolable plate-1) (coolable bowl-1)
    (cleanable plate-1) (cleanable bowl-1))

  (:goal (and
    (exists (?x - remotecontrol ?p - cart) (in ?x ?p)))))
