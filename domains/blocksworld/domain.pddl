; Blocksworld with four operators: one hand rearranges towers of blocks on a table
; that has room for all of them.
(define (domain blocksworld-4ops)
  (:requirements :strips)

  (:predicates
    (clear ?x)        ; nothing lies on ?x
    (ontable ?x)      ; ?x lies on the table
    (handempty)       ; the hand holds nothing
    (holding ?x)      ; the hand holds ?x
    (on ?x ?y))       ; ?x lies directly on ?y

  (:action pick-up
    :parameters (?ob)
    :precondition (and
      (clear ?ob)
      (ontable ?ob)
      (handempty))
    :effect (and
      (holding ?ob)
      (not (clear ?ob))
      (not (ontable ?ob))
      (not (handempty))))

  (:action put-down
    :parameters (?ob)
    :precondition (and
      (holding ?ob))
    :effect (and
      (clear ?ob)
      (ontable ?ob)
      (handempty)
      (not (holding ?ob))))

  (:action stack
    :parameters (?ob ?underob)
    :precondition (and
      (clear ?underob)
      (holding ?ob))
    :effect (and
      (clear ?ob)
      (on ?ob ?underob)
      (handempty)
      (not (clear ?underob))
      (not (holding ?ob))))

  (:action unstack
    :parameters (?ob ?underob)
    :precondition (and
      (on ?ob ?underob)
      (clear ?ob)
      (handempty))
    :effect (and
      (holding ?ob)
      (clear ?underob)
      (not (on ?ob ?underob))
      (not (clear ?ob))
      (not (handempty)))))
