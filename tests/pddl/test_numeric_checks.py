"""Numbers where numbers belong, and no two numeric effects that contradict each other."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import check_domain

DOMAIN = """(define (domain d)
  (:requirements :adl :fluents)
  (:types t place)
  (:constants k - t depot - place)
  (:predicates (p) (d1))
  (:functions (f ?x - t) (g) - number (home ?x - t) - place)
  (:derived (d1) (p))
  (:action act :parameters (?x ?y - t ?z - place)
    :precondition {}
    :effect {}))"""


def messages(precondition: str, effect: str) -> list[str]:
    return [item.message for item in check_domain(DOMAIN.format(precondition, effect)).errors]


@pytest.mark.parametrize(
    "effect",
    [
        "(and (increase (f ?x) 1) (decrease (f ?x) 2) (increase (f ?x) (g)))",
        "(and (scale-up (f ?x) 2) (scale-down (f ?x) 3))",
        "(and (assign (f ?x) 2) (assign (f ?x) 2.0))",
        "(and (assign (f ?x) 2) (assign (f ?x) (g)))",
        "(and (assign (f ?x) 2) (assign (f ?y) 3))",
        "(and (assign (f ?x) 2) (when (p) (increase (f ?x) 3)))",
        "(and (assign (f ?x) 2) (forall (?x - t) (increase (f ?x) 3)))",
        "(assign (home ?x) depot)",
        "(assign (home ?x) (home ?y))",
        "(assign (home ?x) ?z)",
        "(assign (home ?x) undefined)",
    ],
)
def test_effects_that_go_together(effect: str) -> None:
    assert messages("()", effect) == []


@pytest.mark.parametrize(
    "effect",
    [
        "(and (assign (f ?x) 1) (increase (f ?x) 1))",
        "(and (p) (and (assign (f ?x) 1)) (and (and (decrease (f ?x) 1))))",
        "(and (scale-up (g) 2) (increase (g) 1))",
        "(and (assign (g) 1) (scale-down (g) 2))",
        "(and (assign (f k) 1) (assign (f k) 2))",
        "(when (p) (and (assign (f k) 1) (assign (f k) 2)))",
        "(forall (?v - t) (and (assign (f ?v) 1) (decrease (f ?v) 2)))",
    ],
)
def test_effects_that_contradict_each_other(effect: str) -> None:
    (message,) = messages("()", effect)
    assert message.startswith("two effects on '(")
    assert message.endswith("contradict each other")


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        ("(increase (home ?x) 1)", "'increase' of 'home', whose value is no number"),
        ("(assign (home ?x) 1)", "the value of 'home' is an object"),
        ("(assign (home ?x) (+ 1 (g)))", "the value of 'home' is an object"),
        ("(assign (home ?x) k)", "the value of 'home' has the wrong type"),
        ("(assign (f ?x) depot)", "the value of 'f' is a number"),
        ("(increase (f ?x) ?z)", "the value of 'f' is a number"),
        ("(increase (f ?x) (home ?x))", "the value of 'f' is a number"),
        ("(increase (f ?x) (* 2 (home ?x)))", "arithmetic needs numbers, and '(home ?x)' is an object"),
        ("(and (p) (d1))", "'d1' is derived: an effect cannot change it"),
        ("(and (p) (not (d1)))", "'d1' is derived: an effect cannot change it"),
        ("(when (p) (forall (?v - t) (d1)))", "'d1' is derived: an effect cannot change it"),
    ],
)
def test_what_an_effect_cannot_change(effect: str, message: str) -> None:
    assert messages("()", effect) == [message]


@pytest.mark.parametrize(
    ("condition", "wrong"),
    [
        ("(= (home ?x) depot)", []),
        ("(= (home ?x) (home ?y))", []),
        ("(= (f ?x) (g))", []),
        ("(< (home ?x) 3)", ["'<' needs numbers, and '(home ?x)' is an object"]),
        ("(= (home ?x) 3)", ["'=' needs numbers, and '(home ?x)' is an object"]),
        ("(= (f ?x) ?z)", ["'=' needs numbers, and '?z' is an object"]),
        ("(>= (- (g) (home ?x)) 3)", ["arithmetic needs numbers, and '(home ?x)' is an object"]),
    ],
)
def test_comparisons(condition: str, wrong: list[str]) -> None:
    assert messages(condition, "()") == wrong
