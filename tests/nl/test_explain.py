"""Verdicts on plans in sentences, for conditions of every kind."""

from __future__ import annotations

import pytest

from pddl2nl.nl import Teller, explain, make_names
from pddl2nl.nl.wording.files import wording_from_json
from pddl2nl.pddl import parse_task
from pddlval import validate

DOMAIN = """(define (domain locks)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types door)
  (:predicates (open ?d - door) (locked ?d - door) (alarm) (passable))
  (:functions (power) (strain ?d - door) (price))
  (:derived (passable) (exists (?d - door) (and (open ?d) (not (locked ?d)))))
  (:action push :parameters (?d - door)
    :precondition (and (>= (power) 2) (not (locked ?d)))
    :effect (and (open ?d) (decrease (power) 2) (when (alarm) (forall (?e - door) (locked ?e)))))
  (:action slam :parameters (?d - door) :effect (and (not (open ?d)) (alarm)))
  (:action lock :parameters (?d - door) :precondition (not (open ?d)) :effect (locked ?d))
  (:action walk :parameters () :precondition (passable) :effect (increase (power) 1))
  (:action knock :parameters () :precondition (or (forall (?d - door) (open ?d)) (alarm)) :effect (not (alarm)))
  (:action buy :parameters () :effect (decrease (power) (price)))
  (:action bend :parameters (?d ?e - door)
    :effect (and (assign (strain ?d) 1) (assign (strain ?e) 2)))
  (:action split :parameters () :precondition (> (/ 6 (power)) 1) :effect (alarm)))
"""
PROBLEM = """(define (problem p) (:domain locks) (:objects front back - door)
  (:init (open front) (= (power) 3))
  (:goal (and (passable) (or (alarm) (locked front)) (not (locked back)) (>= (power) 1))))
"""
TEXTS = {
    "open": "{?d} is open",
    "locked": "{?d} is locked",
    "alarm": "the alarm rings",
    "passable": "one can pass",
    "power": "my power",
    "strain": "the strain on {?d}",
    "price": "the price",
}


def locks(style: str = "nl") -> Teller:
    task = parse_task(DOMAIN, PROBLEM)
    data: dict[str, object] = {"format": 1}
    declared = {
        "predicates": task.domain.predicates,
        "functions": task.domain.functions,
        "actions": task.domain.actions,
    }
    for kind, items in declared.items():
        data[kind] = {
            item.name: {
                "parameters": [parameter.name for parameter in item.parameters],
                "text": TEXTS.get(item.name)
                or " against ".join([item.name, *(f"{{{parameter.name}}}" for parameter in item.parameters)]),
            }
            for item in items
        }
    names = make_names(task, "original")
    return Teller(task, wording_from_json(data, task.domain), names, "pddl" if style == "pddl" else "nl")


@pytest.mark.parametrize(
    ("plan", "sentences"),
    [
        ("(push back) (push front)",
         ("Step 2, push against front, cannot be done because my power is 1, which is not at least 2.",
          "Step 1 made it untrue that my power is at least 2.")),
        ("(lock back) (push back)",
         ("Step 2, push against back, cannot be done because back is locked.",
          "Step 1 made it true that back is locked.")),
        ("(lock front)",
         ("Step 1, lock against front, cannot be done because front is open.",
          "At all times it was the case that front is open.")),
        # derived: it held, and does no longer
        ("(slam front) (walk)",
         ("Step 2, walk, cannot be done because one cannot pass.",
          "Step 1 made it untrue that one can pass.")),
        ("(push back) (knock) (slam front) (knock)",
         ("The plan can be executed to its end, but the goal is not reached because "
          "neither (the alarm rings) nor (front is locked).",
          "Step 4 made it untrue that ((the alarm rings) or (front is locked)).")),
        ("(slam front) (knock) (knock)",
         ("Step 3, knock, cannot be done because neither (for every door A, (A is open)) nor (the alarm rings).",
          "Step 2 made it untrue that ((for every door A, (A is open)) or (the alarm rings)).")),
        ("(buy)",
         ("Step 1, buy, cannot be done because the price is undefined.",
          "At no time was the price defined.")),
        ("(push back) (slam back) (walk) (push front) (slam back) (split)",
         ("Step 6, split, cannot be done because (6 divided by my power) is undefined, since it divides by zero.",
          "Since step 4, (6 divided by my power) has been undefined.")),
        ("(bend front front)",
         ("Step 1, bend against front against front, cannot be done because it would change the strain on front in "
          "more than one way at once.",)),
        # at the same time
        ("1: (push back)\n1: (lock back)",
         ("Step 1, push against back, cannot be done at the same time as step 2 because one of them changes what "
          "another one needs or changes too: whether back is open.",)),
        ("1: (push back)\n1: (split)",
         ("Step 1, push against back, cannot be done at the same time as step 2 because one of them changes what "
          "another one needs or changes too: my power.",)),
    ],
)  # fmt: skip
def test_a_failed_plan_is_explained(plan: str, sentences: tuple[str, ...]) -> None:
    teller = locks()
    assert explain(validate(teller.task, plan), teller) == sentences


def test_a_goal_that_was_lost_twice_names_the_first_loss_too() -> None:
    teller = locks()
    lost = explain(validate(teller.task, "(slam front) (knock) (push back) (slam back)"), teller)
    assert lost[1:] == (
        "Step 4 made it untrue that one can pass.",
        "It first ceased to be the case that one can pass with step 1.",
    )


@pytest.mark.parametrize(
    ("plan", "sentences"),
    [
        ("(push back) (push front)",
         ("Step 2, (push front), cannot be done because (>= (power) 2) is false with (= (power) 1).",
          "Step 1 made it untrue that (>= (power) 2).")),
        ("1: (push back)\n1: (lock back)",
         ("Step 1, (push back), cannot be done at the same time as step 2 because one of them changes what another one "
          "needs or changes too: (open back).",)),
        ("(bend front front)",
         ("Step 1, (bend front front), cannot be done because (strain front) would be changed in more than one way at "
          "once.",)),
    ],
)  # fmt: skip
def test_in_pddl_the_conditions_themselves_are_named(plan: str, sentences: tuple[str, ...]) -> None:
    teller = locks("pddl")
    assert explain(validate(teller.task, plan), teller) == sentences
