"""What is not executed is refused by name and place; all the rest of PDDL 2.2 without time is executed.

The simulator, which executes action by action, refuses time, preferences and constraints; `validate` does not.
"""

import re

import pytest

from pddl2nl.pddl import Task as _Task
from pddl2nl.pddl import UnsupportedError, parse_domain, parse_problem
from pddlval import Simulator, validate

DOMAIN = """(define (domain d)
  (:requirements :adl :fluents :derived-predicates :durative-actions :preferences :constraints :time :object-fluents)
  (:types thing) (:constants o - thing) (:predicates (p) (q) (r ?x))
  (:functions (f) (g) (total-cost) {functions})
  {extra}
  (:action a :parameters ()
    :precondition {precondition}
    :effect {effect}))"""

PROBLEM = "(define (problem x) (:domain d) (:init (= (f) 1) {init}) (:goal {goal}) {extra})"


def task(
    *,
    precondition: str = "(p)",
    effect: str = "(q)",
    extra: str = "",
    functions: str = "",
    init: str = "",
    goal: str = "(q)",
    more: str = "",
) -> _Task:
    text = DOMAIN.format(extra=extra, precondition=precondition, effect=effect, functions=functions)
    domain = parse_domain(text, "d.pddl")
    return _Task(domain, parse_problem(PROBLEM.format(init=init, goal=goal, extra=more), domain, "x.pddl"))


def refusal(refused: _Task) -> str:
    with pytest.raises(UnsupportedError) as caught:
        Simulator(refused)
    return str(caught.value)


def refusal_of_plans(refused: _Task) -> str:
    with pytest.raises(UnsupportedError) as caught:
        validate(refused, "")
    return str(caught.value)


@pytest.mark.parametrize(
    ("extra", "what"),
    [
        (
            "(:durative-action w :parameters () :duration (= ?duration 1) :condition (at start (p))"
            " :effect (at end (q)))",
            "the durative action 'w'",
        ),
        ("(:process w :parameters () :precondition (p) :effect (increase (f) (* #t 1)))", "the process 'w'"),
        ("(:event w :parameters () :precondition (p) :effect (q))", "the event 'w'"),
        ("(:constraints (always (p)))", "a trajectory constraint"),
    ],
)
def test_declarations(extra: str, what: str) -> None:
    text = refusal(task(extra=extra, effect="(p)"))
    assert text.startswith("d.pddl:5:")
    assert f": {what} is read and checked, but cannot be executed" in text


def test_object_fluents() -> None:
    refused = task(functions="- number (place) - thing")
    text = refusal(refused)
    assert refusal_of_plans(refused) == text
    assert text.startswith("d.pddl:4:")
    assert "the object fluent 'place'" in text


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ({"init": "(at 5 (p))"}, "the timed initial literal (p)"),
        ({"goal": "(and (q) (preference one (p)))"}, "a preference"),
        ({"more": "(:metric minimize (is-violated one))", "goal": "(preference one (q))"}, "a preference"),
        ({"more": "(:constraints (always (p)))"}, "a trajectory constraint"),
    ],
)
def test_the_problem_too(parts: dict[str, str], what: str) -> None:
    text = refusal(task(**parts))
    assert text.startswith("x.pddl:1:")
    assert what in text


def test_a_metric_that_asks_for_violations() -> None:
    assert "'is-violated' in the metric" in refusal(task(more="(:metric minimize (is-violated one))"))


def test_a_preference_in_a_precondition_names_the_action() -> None:
    text = refusal(task(precondition="(and (p) (preference soft (q)))"))
    assert text.startswith("d.pddl:7:")
    assert text.endswith("(in action 'a', in its precondition)")


DURATIVE = "(:durative-action w :parameters () :duration (= ?duration 1) :condition (at start (p)) :effect {})"


@pytest.mark.parametrize(
    ("parts", "place", "what"),
    [
        ({"extra": "(:process w :parameters () :effect (increase (f) (* #t 1)))"}, "d.pddl:5:", "the process 'w'"),
        ({"extra": "(:event w :parameters () :precondition (p) :effect (q))"}, "d.pddl:5:", "the event 'w'"),
        ({"extra": DURATIVE.format("(increase (f) (* #t #t))")}, "d.pddl:5:", "a continuous effect that is not linear"),
        ({"extra": DURATIVE.format("(increase (f) (+ #t 1))")}, "d.pddl:5:", "a continuous effect that is not linear"),
        (
            {"extra": DURATIVE.format("(and (increase (f) (* #t (g))) (decrease (g) (* #t 1)))")},
            "d.pddl:5:",
            "a continuous effect whose rate changes continuously",
        ),
        (
            {"extra": DURATIVE.format("(when (at end (p)) (at start (q)))")},
            "d.pddl:5:",
            "an effect that begins before its condition is read",
        ),
        ({"more": "(:constraints (always (sometime (p))))"}, "x.pddl:1:", "a trajectory constraint"),
        ({"more": "(:constraints (p))"}, "x.pddl:1:", "a condition outside 'always', 'sometime' and the like"),
        ({"goal": "(or (p) (preference one (q)))"}, "x.pddl:1:", "a preference"),
    ],
)
def test_plans_are_not_judged(parts: dict[str, str], place: str, what: str) -> None:
    text = refusal_of_plans(task(**parts))
    assert text.startswith(place)
    assert f": {what} is read and checked, but cannot be executed" in text


NESTED = "(preference one (not (preference two (p))))"
MOVE = "(:durative-action w :parameters () :duration (= ?duration 1) :condition {condition} :effect {effect})"


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ({"goal": NESTED}, "a preference .*in the goal, in preference 'one'"),
        ({"precondition": NESTED}, "a preference .*in action 'a', in preference 'one'"),
        (
            {"extra": MOVE.format(condition=f"(at start {NESTED})", effect="(at end (q))")},
            "a preference .*in preference 'one'",
        ),
        ({"extra": MOVE.format(condition="(at start (p))", effect="(decrease (f) 1)")}, "a numeric effect at no time"),
    ],
)
def test_what_mutants_found_in_accepted_tasks(parts: dict[str, str], what: str) -> None:
    assert re.search(what, refusal_of_plans(task(**parts)))
