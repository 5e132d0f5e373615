"""Macros that are the same up to names and the order of independent steps."""

from __future__ import annotations

from pddl2nl.macros.canonical import canonical
from pddl2nl.macros.compose import compose
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import Macro
from pddl2nl.pddl import Domain, Task


def _macro(domain: Domain, *steps: str) -> Macro:
    return compose(domain, steps_of(steps), name="m")


def test_independent_steps_change_places_and_others_do_not(lights: Task) -> None:
    go, press, rest = "(go ?a ?b)", "(press ?b ?l)", "(rest ?b)"
    forms = [
        canonical(_macro(lights.domain, *order), lights.domain) for order in ((go, press, rest), (go, rest, press))
    ]
    assert forms[0] == forms[1]
    assert canonical(_macro(lights.domain, go, press), lights.domain) != canonical(
        _macro(lights.domain, press, go), lights.domain
    )


def test_steps_whose_objects_may_be_one_are_kept_in_order(lights: Task) -> None:
    # (press ?s ?l) and (press ?s ?m) read what the other writes where ?l and ?m are the same lamp.
    one = _macro(lights.domain, "(press ?s ?l)", "(press main ?m)")
    other = _macro(lights.domain, "(press main ?m)", "(press ?s ?l)")
    assert canonical(one, lights.domain) != canonical(other, lights.domain)


def test_constants_stay_what_they_are(lights: Task) -> None:
    at_main = _macro(lights.domain, "(go main ?b)", "(press ?b ?l)")
    anywhere = _macro(lights.domain, "(go ?a ?b)", "(press ?b ?l)")
    assert canonical(at_main, lights.domain) != canonical(anywhere, lights.domain)
    assert ("go", "main", "?0 - switch") in canonical(at_main, lights.domain)
