"""Objects in place of free variables, and other names of every kind in a formula."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import conjuncts, parse_domain, substitute, write_condition
from pddl2nl.pddl.rewriting import Renaming, preference_names, variables
from pddl2nl.pddl.tree import And, Atom, Comparison, Equality, Fluent, Forall, Or, Preference, Special, TypedName

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


def test_every_kind_of_name_is_renamed(everything: str) -> None:
    action = parse_domain(everything).actions[0]
    new = Renaming(
        type=lambda name: f"t-{name}",
        predicate=lambda name: f"p-{name}",
        function=lambda name: f"f-{name}",
        term=lambda name: f"?v-{name[1:]}" if name.startswith("?") else f"o-{name}",
    )
    text = write_condition(new.formula(action.effect))
    assert "(when (p-tired) (and (not (p-tired)) (p-open o-depot)))" in text
    assert "(forall (?v-x - t-place) (not (p-open ?v-x)))" in text
    assert "(assign (f-fuel ?v-t) (- (* 2 (f-fuel ?v-t)) (/ 1 4)))" in text
    assert "(assign (f-home ?v-t) o-depot)" in text


def test_names_that_stay_give_an_equal_formula(everything: str) -> None:
    domain = parse_domain(everything)
    action, drive = domain.actions[0], domain.durative_actions[0]
    for formula in (action.effect, drive.condition, drive.duration):
        assert Renaming().formula(formula) == formula


def test_variables_and_preferences_in_the_order_of_the_text() -> None:
    formula = And(
        (
            Preference("late", Atom("at", ("?x", "a"))),
            Forall((TypedName("?y"),), Or((Equality("?y", "?x"), Preference("", Atom("on", ("?z",)))))),
            Comparison("<", Special("?duration"), Fluent("fuel", ("?w",))),
        )
    )
    assert variables(formula) == ("?x", "?y", "?z", "?w")
    assert preference_names(formula) == ("late",)
