"""Fluents without a value, and divisions by zero, in durative actions: a verdict in every form, never an exception."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import check_domain, parse_task
from pddlval import VAL_TIME_TOLERANCE, VAL_TOLERANCE, val_text, validate

DOMAIN = """(define (domain d)
  (:requirements :adl :durative-actions :fluents :preferences :constraints :continuous-effects)
  (:predicates (p) (q)) (:functions (f) (g))
  (:durative-action a :parameters () :duration {duration} :condition (and (at start (p)) {condition})
    :effect (and (at end (q)) {effect})))"""
PROBLEM = "(define (problem x) (:domain d) (:init (p) (= (g) 0)) (:goal (and (q) {goal})) {more})"


def judged(
    condition: str = "", effect: str = "", goal: str = "", more: str = "", duration: str = "(= ?duration 1)"
) -> tuple[str, str, list[str]]:
    """The verdict, what failed, and the unmet conditions; the forms of the text agree with them."""
    domain = DOMAIN.format(duration=duration, condition=condition, effect=effect)
    task = parse_task(domain, PROBLEM.format(goal=goal, more=more))
    for tolerances in ((0, 0), (VAL_TOLERANCE, VAL_TIME_TOLERANCE)):
        report = validate(task, "1: (a) [1]", "x", *tolerances)
        for verbose in (False, True):
            text = val_text(task, "1: (a) [1]", report, "x", verbose, *tolerances)
            assert ("Plan valid" in text) is report.valid
    unmet = [str(one) for one in (*report.unmet, *report.unmet_goals)]
    return report.verdict, report.phase or "", unmet


@pytest.mark.parametrize(
    ("condition", "effect", "phase", "unmet"),
    [
        ("(at start (> (f) 0))", "", "start", "(= (f) (f))"),
        ("(at end (> (f) 0))", "", "end", "(= (f) (f))"),
        ("(over all (> (f) 0))", "", "over all", "(= (f) (f))"),
        ("(at start (> (/ 1 (g)) 1))", "", "start", "(= (/ 1 (g)) (/ 1 (g)))"),
        ("", "(at end (increase (g) (f)))", "end", "(= (f) (f))"),
        ("", "(at end (scale-down (g) (g)))", "end", "(= (/ (g) 0) (/ (g) 0))"),
        ("", "(increase (g) (* #t (f)))", "over all", "(= (f) (f))"),
        ("", "(when (at start (> (f) 1)) (at end (increase (g) 1)))", "start", "(= (f) (f))"),
        ("", "(when (over all (> (f) 1)) (at end (increase (g) 1)))", "over all", "(= (f) (f))"),
        ("", "(when (at start (> (f) 1)) (increase (g) (* #t 1)))", "start", "(= (f) (f))"),
    ],
)
def test_what_an_action_reads_has_a_value(condition: str, effect: str, phase: str, unmet: str) -> None:
    assert judged(condition, effect) == ("inapplicable", phase, [unmet])


def test_advice_reads_only_values_that_there_are() -> None:
    # The first part fails by itself; VAL's advice would go on to read the second.
    assert judged("(at start (and (q) (> (f) 0)))") == ("inapplicable", "start", ["(q)", "(= (f) (f))"])
    assert judged("(over all (and (q) (> (f) 0)))")[2] == ["(q)", "(= (f) (f))"]


def test_a_duration_may_divide_by_zero() -> None:
    assert judged(duration="(= ?duration (/ 1 (g)))") == ("inapplicable", "start", ["(= ?duration (/ 1 (g)))"])


def test_a_goal_reads_only_values_that_there_are() -> None:
    assert judged(goal="(> (f) 1)") == ("goal-not-satisfied", "", ["(= (f) (f))"])
    assert judged(goal="(> (f) 1) (not (p))")[2] == ["(= (f) (f))", "(not (p))"]


@pytest.mark.parametrize(
    "condition",
    [
        "(preference x (at start (> (f) 1)))",
        "(preference x (at end (> (f) ?duration)))",
        "(preference x (over all (> (f) ?duration)))",
    ],
)
def test_a_preference_that_reads_no_value_is_violated(condition: str) -> None:
    assert judged(condition, more="(:metric minimize (is-violated x))")[0] == "valid"


def test_a_constraint_that_reads_no_value_is_violated() -> None:
    assert judged(more="(:constraints (sometime (> (f) 1)))")[0] == "goal-not-satisfied"
    assert judged(more="(:constraints (preference x (sometime (> (f) 1))))")[0] == "valid"


def test_the_duration_is_read_in_every_condition() -> None:
    condition = (
        "(over all (< ?duration (+ 2 (g)))) (at start (= ?duration 1)) (preference x (over all (< ?duration 2)))"
    )
    effect = "(when (at start (> ?duration 0)) (increase (g) (* #t 1)))"
    assert judged(condition, effect) == ("valid", "", [])
    assert judged("(over all (> ?duration (+ 1 (g))))", effect) == ("inapplicable", "over all", ["(> 1 (+ 1 (g)))"])


@pytest.mark.parametrize("duration", ["(over all (= ?duration 1))", "(at start (at end (= ?duration 1)))"])
def test_a_duration_has_no_other_times(duration: str) -> None:
    checked = check_domain(DOMAIN.format(duration=duration, condition="", effect=""))
    assert "duration constraint" in checked.errors[0].message
