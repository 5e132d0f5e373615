"""What follows from a domain: which predicates can change."""

from __future__ import annotations

from pddl2nl.pddl import changed_predicates, parse_domain

DOMAIN = """
(define (domain shop)
  (:predicates (open) (paid ?x) (wrapped ?x) (broken ?x) (fragile ?x) (mine ?x))
  (:derived (mine ?x) (paid ?x))
  (:action pay :parameters (?x) :precondition (not (open)) :effect (and (paid ?x) (and (not (wrapped ?x)))))
  (:action drop :parameters () :effect (forall (?x) (when (fragile ?x) (broken ?x)))))
"""


def test_added_deleted_conditional_and_derived_predicates_change_and_no_others() -> None:
    assert changed_predicates(parse_domain(DOMAIN)) == {"paid", "wrapped", "broken", "mine"}
