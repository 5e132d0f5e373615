"""Renaming every kind of name in a formula, and back."""

from __future__ import annotations

from pddl2nl.pddl import parse_domain, write_condition
from pddl2nl.pddl.rewriting import Renaming, preference_names, variables
from pddl2nl.pddl.tree import (
    And,
    Atom,
    Comparison,
    Equality,
    Fluent,
    Forall,
    Or,
    Preference,
    Special,
    TypedName,
)


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
