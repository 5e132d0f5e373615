; Alfred: Pick up a CD and turn on the lamp.
(define (problem alfred-u03)
  (:domain alfred)

  (:objects
    bed-1 - bed
    desk-1 desk-2 - desk
    drawer-1 drawer-2 drawer-3 drawer-4 drawer-5 drawer-6 drawer-7 - drawer
    dresser-1 - dresser
    shelf-1 shelf-2 shelf-3 shelf-4 shelf-5 shelf-6 - shelf
    sidetable-1 sidetable-2 - sidetable
    armchair-1 - armchair
    garbagecan-1 - garbagecan
    safe-1 - safe
    cabinet-1 cabinet-2 - cabinet
    cart-1 - cart
    desklamp-1 - desklamp
    lamp-1 - tablelamp
    alarmclock-1 - alarmclock
    baseballbat-1 - baseballbat
    basketball-1 - basketball
    book-1 book-2 - book
    bowl-1 - bowl
    box-1 - box
    cd-1 cd-2 cd-3 - cd
    cellphone-1 cellphone-2 cellphone-3 - cellphone
    cloth-1 cloth-2 - cloth
    creditcard-1 creditcard-2 - creditcard
    keychain-1 keychain-2 keychain-3 - keychain
    laptop-1 - laptop
    mug-1 - mug
    newspaper-1 - newspaper
    pen-1 pen-2 - pen
    pencil-1 pencil-2 - pencil
    pillow-1 pillow-2 pillow-3 - pillow
    statue-1 - statue
    tennisracket-1 - tennisracket
    tissuebox-1 - tissuebox
    vase-1 - vase
    watch-1 - watch)

  (:init
    (at bed-1) (hand-empty)
    (openable drawer-1) (shut drawer-1) (openable drawer-2) (shut drawer-2) (openable drawer-3)
    (shut drawer-3) (openable drawer-4) (shut drawer-4) (openable drawer-5) (shut drawer-5)
    (openable drawer-6) (shut drawer-6) (openable drawer-7) (shut drawer-7) (openable safe-1)
    (shut safe-1) (openable cabinet-1) (shut cabinet-1) (openable cabinet-2) (shut cabinet-2)
    (in alarmclock-1 shelf-4) (in baseballbat-1 shelf-3) (in basketball-1 shelf-2)
    (in book-1 shelf-5) (in book-2 shelf-1) (in bowl-1 sidetable-1) (in box-1 shelf-2)
    (in cd-1 garbagecan-1) (in cd-2 armchair-1) (in cd-3 shelf-5) (in cellphone-1 garbagecan-1)
    (in cellphone-2 cart-1) (in cellphone-3 shelf-5) (in cloth-1 garbagecan-1)
    (in cloth-2 cabinet-2) (in creditcard-1 shelf-5) (in creditcard-2 armchair-1)
    (in keychain-1 shelf-1) (in keychain-2 shelf-4) (in keychain-3 cart-1) (in laptop-1 shelf-2)
    (in mug-1 sidetable-1) (in newspaper-1 desk-2) (in pen-1 desk-2) (in pen-2 drawer-4)
    (in pencil-1 sidetable-2) (in pencil-2 bed-1) (in pillow-1 desk-2) (in pillow-2 desk-1)
    (in pillow-3 shelf-6) (in statue-1 shelf-4) (in tennisracket-1 sidetable-2)
    (in tissuebox-1 cart-1) (in vase-1 sidetable-1) (in watch-1 desk-2)
    (stands desklamp-1 desk-1) (stands lamp-1 sidetable-1)
    (beside shelf-4 safe-1) (beside safe-1 sidetable-1) (beside sidetable-1 armchair-1)
    (beside armchair-1 drawer-3) (beside drawer-3 bed-1) (beside bed-1 garbagecan-1)
    (beside garbagecan-1 shelf-6) (beside shelf-6 cart-1) (beside cart-1 shelf-3)
    (beside shelf-3 dresser-1) (beside dresser-1 shelf-5) (beside shelf-5 drawer-2)
    (beside drawer-2 desk-2) (beside desk-2 cabinet-1) (beside cabinet-1 drawer-5)
    (beside drawer-5 sidetable-2) (beside sidetable-2 cabinet-2) (beside cabinet-2 shelf-2)
    (beside shelf-2 shelf-1) (beside shelf-1 drawer-7) (beside drawer-7 drawer-4)
    (beside drawer-4 drawer-1) (beside drawer-1 desk-1) (beside desk-1 drawer-6)
    (beside safe-1 shelf-4) (beside sidetable-1 safe-1) (beside armchair-1 sidetable-1)
    (beside drawer-3 armchair-1) (beside bed-1 drawer-3) (beside garbagecan-1 bed-1)
    (beside shelf-6 garbagecan-1) (beside cart-1 shelf-6) (beside shelf-3 cart-1)
    (beside dresser-1 shelf-3) (beside shelf-5 dresser-1) (beside drawer-2 shelf-5)
    (beside desk-2 drawer-2) (beside cabinet-1 desk-2) (beside drawer-5 cabinet-1)
    (beside sidetable-2 drawer-5) (beside cabinet-2 sidetable-2) (beside shelf-2 cabinet-2)
    (beside shelf-1 shelf-2) (beside drawer-7 shelf-1) (beside drawer-4 drawer-7)
    (beside drawer-1 drawer-4) (beside desk-1 drawer-1) (beside drawer-6 desk-1)
    (heatable mug-1)
    (coolable bowl-1) (coolable mug-1)
    (cleanable bowl-1) (cleanable cloth-1) (cleanable cloth-2) (cleanable mug-1))

  (:goal (and
    (exists (?x - cd) (and (holding ?x) (lit ?x))))))
