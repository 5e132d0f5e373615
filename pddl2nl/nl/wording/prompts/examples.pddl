; The few-shot examples of wordings by a model (nl/word_prompts.py): a theatre, which is no benchmark.
; Seven predicates of arity 0 to 2, three functions, four actions; "understudy" and "carry" are said in another
; order than PDDL's, so that no model takes PDDL's order for a rule. The answers stand in examples.json.
(define (domain theatre)
  (:requirements :typing :negative-preconditions :numeric-fluents)
  (:types actor costume trunk room role stagehand)
  (:predicates
    (curtain-up)
    (torn ?costume - costume)
    (on-stage ?who - actor)
    (wears ?who - actor ?costume - costume)
    (lies-in ?costume - costume ?trunk - trunk)
    (stands-in ?trunk - trunk ?room - room)
    (understudy ?role - role ?who - actor))
  (:functions
    (box-office)
    (applause ?who - actor)
    (steps ?from ?to - room))
  (:action raise-curtain
    :parameters ()
    :precondition (not (curtain-up))
    :effect (curtain-up))
  (:action mend
    :parameters (?costume - costume ?who - stagehand)
    :precondition (torn ?costume)
    :effect (not (torn ?costume)))
  (:action dress
    :parameters (?who - actor ?costume - costume ?trunk - trunk)
    :precondition (and (lies-in ?costume ?trunk) (not (torn ?costume)) (not (on-stage ?who)))
    :effect (and (wears ?who ?costume) (not (lies-in ?costume ?trunk))))
  (:action carry
    :parameters (?to - room ?trunk - trunk ?from - room ?helper - stagehand)
    :precondition (stands-in ?trunk ?from)
    :effect (and (stands-in ?trunk ?to) (not (stands-in ?trunk ?from)))))
