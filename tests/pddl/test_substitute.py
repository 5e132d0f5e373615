"""Variables are replaced where they are free."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import conjuncts, parse_domain, substitute, write_condition

BINDING = {"?t": "t1", "?p": "a", "?q": "b", "?x": "c"}


@pytest.fixture
def bound(everything: str) -> tuple[list[str], list[str]]:
    """Precondition and effect of an action with nearly every construct, bound."""
    action = parse_domain(everything).actions[0]
    before, after = substitute(action.precondition, BINDING), substitute(action.effect, BINDING)
    return [write_condition(part) for part in conjuncts(before)], [write_condition(part) for part in conjuncts(after)]


def test_a_precondition(bound: tuple[list[str], list[str]]) -> None:
    assert bound[0] == [
        "(not (= a b))",
        "(imply (busy t1) (tired))",
        "(forall (?x - place) (open ?x))",
        "(= (home t1) a)",
    ]


def test_an_effect(bound: tuple[list[str], list[str]]) -> None:
    assert bound[1] == [
        "(when (tired) (and (not (tired)) (open depot)))",
        "(forall (?x - place) (not (open ?x)))",
        "(increase (total-cost) 1.5)",
        "(assign (fuel t1) (- (* 2 (fuel t1)) (/ 1 4)))",
        "(assign (home t1) depot)",
    ]


def test_the_rest_stays(everything: str) -> None:
    drive = parse_domain(everything).durative_actions[0]
    assert substitute(drive.effect, {}) == drive.effect
    told = write_condition(substitute(drive.condition, {"?t": "t1", "?p": "z"}))
    assert "(at start (at t1 ?a))" in told
    assert "(forall (?p - place) (at start (open ?p)))" in told
