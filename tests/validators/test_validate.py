"""Verdicts, their causes, and their JSON."""

from __future__ import annotations

import json
import re

import pytest

from pddl2nl.pddl import Atom, Not, Task, UnsupportedError, parse_domain, parse_problem, parse_task, write_condition
from pddl2nl.pddl import Task as _Task
from pddlval import Cause, GroundAction, Report, Simulator, validate

SOLUTION = "(unstack c a) (put-down c) (pick-up b) (stack b c) (pick-up a) (stack a b)"


def test_a_valid_plan(tower: Task) -> None:
    report = validate(tower, SOLUTION)
    assert report == Report("valid", steps=6, cost=6)
    assert report.valid


def test_a_missed_goal_is_explained(tower: Task) -> None:
    report = validate(tower, SOLUTION + " (unstack a b)")
    assert report.verdict == "goal-not-satisfied"
    assert (report.steps, report.cost, report.failed_step, report.action) == (7, 7, None, None)
    assert report.unmet_goals == (Atom("on", ("a", "b")),)
    assert report.explanation == (Cause(Atom("on", ("a", "b")), 7, never_held=False, lost_after_step=7),)


def test_an_inapplicable_step_is_explained(tower: Task) -> None:
    report = validate(tower, "(unstack c a) (pick-up b) (stack b b)")
    assert report.verdict == "inapplicable"
    assert (report.failed_step, report.action, report.cost) == (2, GroundAction("pick-up", ("b",)), None)
    assert report.unmet == (Atom("handempty"),)
    assert report.explanation == (Cause(Atom("handempty"), 1, never_held=False),)
    assert report.unmet_goals == ()


def test_a_negative_literal_is_undone_by_the_step_that_adds(trip: Task) -> None:
    report = validate(trip, "(close y) (close x) (drive depot x)")
    assert [write_condition(condition) for condition in report.unmet] == ["(not (closed x))"]
    assert report.explanation == (Cause(Not(Atom("closed", ("x",))), 2, never_held=False),)


def test_total_time_counts_steps() -> None:
    task = parse_task(
        "(define (domain d) (:predicates (p)) (:functions (total-cost) - number)"
        " (:action a :parameters () :precondition () :effect (and (p) (increase (total-cost) 2))))",
        "(define (problem x) (:domain d) (:init) (:goal (p)) (:metric minimize (+ (total-time) (total-cost))))",
    )
    assert validate(task, "(a) (a) (a)").cost == 9


def test_all_bad_steps_are_reported_even_after_one_that_cannot_be_done(tower: Task) -> None:
    report = validate(tower, "(put-down a) (foo) (stack a)")
    assert report.verdict == "bad-plan"
    assert [diagnostic.path for diagnostic in report.diagnostics] == ["in step 2", "in step 3"]


def test_json_has_the_fields_in_order(tower: Task) -> None:
    report = validate(tower, "(unstack c a) (pick-up b)")
    assert json.dumps(report.as_json("p.txt")) == json.dumps(
        {
            "plan": "p.txt",
            "verdict": "inapplicable",
            "steps": 2,
            "cost": None,
            "failed_step": 2,
            "action": "(pick-up b)",
            "unmet": ["(handempty)"],
            "unmet_goals": [],
            "explanation": [
                {"literal": "(handempty)", "deleted_by_step": 1, "never_held": False, "lost_after_step": None}
            ],
            "told": [],
            "diagnostics": [],
        }
    )
    assert report.as_json("p", ("One.",))["told"] == ["One."]
    bad = validate(tower, "(foo)").as_json("p")
    assert [list(item) for item in bad["diagnostics"]] == [  # type: ignore[attr-defined]
        ["severity", "file", "line", "column", "path", "message", "expected", "found", "suggestion"]
    ]


def test_times_order_the_steps_and_equal_times_share_a_state(tower: Task) -> None:
    assert validate(tower, "3: (put-down c)\n1: (unstack c a)").verdict == "goal-not-satisfied"
    together = validate(tower, "1: (unstack c a)\n1: (put-down c)")
    assert (together.verdict, together.failed_step) == ("inapplicable", 2)


def test_actions_at_the_same_time_must_not_interfere(tower: Task) -> None:
    report = validate(tower, "1: (unstack c a)\n1: (pick-up b)")
    assert report.verdict == "inapplicable"
    assert (report.failed_step, report.unmet) == (1, ())
    assert "with which (pick-up b) has to do" in report.diagnostics[0].message


# ── causes ────────────────────────────────────────────────────────────────────────────────────────


DOMAIN = """
(define (domain garden)
  (:requirements :adl :derived-predicates :numeric-fluents)
  (:types plant)
  (:predicates (wet ?p - plant) (sown ?p - plant) (gate) (sunny) (growing ?p - plant))
  (:functions (water) (limit))
  (:derived (growing ?p - plant) (and (wet ?p) (sown ?p)))
  (:action pour :parameters (?p - plant) :precondition (>= (water) 2)
    :effect (and (wet ?p) (decrease (water) 2)))
  (:action dry :parameters (?p - plant) :precondition () :effect (not (wet ?p)))
  (:action swap :parameters () :precondition () :effect (and (gate) (sunny)))
  (:action close :parameters () :precondition () :effect (and (not (gate)) (not (sunny))))
  (:action sow :parameters (?p - plant) :precondition () :effect (sown ?p))
  (:action pick :parameters (?p - plant)
    :precondition (and (or (gate) (sunny)) (forall (?q - plant) (imply (sown ?q) (wet ?q))) (growing ?p)
                       (not (exists (?q - plant) (and (wet ?q) (not (sown ?q))))))
    :effect (not (sown ?p)))
  (:action measure :parameters () :precondition (< (water) (limit)) :effect (gate)))
"""

PROBLEM = """
(define (problem one) (:domain garden)
  (:objects rose fern - plant)
  (:init (sown rose) (gate) (= (water) 5))
  (:goal (and (growing rose) (not (wet fern)) (>= (water) 3))))
"""


def garden() -> Task:
    return parse_task(DOMAIN, PROBLEM)


def told(report: Report) -> list[tuple[str, int | None, bool, int | None]]:
    return [
        (write_condition(cause.literal), cause.deleted_by_step, cause.never_held, cause.lost_after_step)
        for cause in report.explanation
    ]


def test_instances_of_a_forall_and_derived_atoms() -> None:
    report = validate(garden(), "(pour rose) (sow fern) (dry rose) (pick rose)")
    assert told(report) == [
        ("(imply (sown rose) (wet rose))", 3, False, None),
        ("(imply (sown fern) (wet fern))", 2, False, None),
        ("(growing rose)", 3, False, None),
    ]


def test_a_negated_exists_names_the_objects_in_the_way() -> None:
    report = validate(garden(), "(pour rose) (pour fern) (pick rose)")
    assert told(report) == [("(or (not (wet fern)) (sown fern))", 2, False, None)]


def test_goals_of_every_kind() -> None:
    report = validate(garden(), "(pour rose) (dry rose) (pour rose) (dry rose) (sow fern)")
    assert report.verdict == "goal-not-satisfied"
    assert told(report) == [("(growing rose)", 4, False, 2), ("(>= (water) 3)", 3, False, 3)]
    report = validate(garden(), "(pour fern)")
    assert told(report) == [("(growing rose)", None, True, None), ("(not (wet fern))", 1, False, 1)]


def test_many_unmet_goals_of_a_long_plan_are_explained_in_one_pass() -> None:
    names = [f"o{number}" for number in range(3000)]
    task = parse_task(
        "(define (domain d) (:predicates (on ?x)) (:action f :parameters (?x) :effect (not (on ?x))))",
        f"(define (problem p) (:domain d) (:objects {' '.join(names)}) (:init {' '.join(f'(on {n})' for n in names)})"
        f" (:goal (and {' '.join(f'(on {n})' for n in names)})))",
    )
    report = validate(task, "\n".join(f"(f {name})" for name in names))
    assert len(report.explanation) == 3000
    assert [cause.deleted_by_step for cause in report.explanation] == list(range(1, 3001))


# ── what is not executed ──────────────────────────────────────────────────────────────────────────


REFUSED_DOMAIN = """(define (domain d)
  (:requirements :adl :fluents :derived-predicates :durative-actions :preferences :constraints :time :object-fluents)
  (:types thing) (:constants o - thing) (:predicates (p) (q) (r ?x))
  (:functions (f) (g) (total-cost) {functions})
  {extra}
  (:action a :parameters ()
    :precondition {precondition}
    :effect {effect}))"""

REFUSED_PROBLEM = "(define (problem x) (:domain d) (:init (= (f) 1) {init}) (:goal {goal}) {extra})"


def refused_task(
    *,
    precondition: str = "(p)",
    effect: str = "(q)",
    extra: str = "",
    functions: str = "",
    init: str = "",
    goal: str = "(q)",
    more: str = "",
) -> _Task:
    text = REFUSED_DOMAIN.format(extra=extra, precondition=precondition, effect=effect, functions=functions)
    domain = parse_domain(text, "d.pddl")
    return _Task(domain, parse_problem(REFUSED_PROBLEM.format(init=init, goal=goal, extra=more), domain, "x.pddl"))


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
    text = refusal(refused_task(extra=extra, effect="(p)"))
    assert text.startswith("d.pddl:5:")
    assert f": {what} is read and checked, but cannot be executed" in text


def test_object_fluents() -> None:
    refused = refused_task(functions="- number (place) - thing")
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
    text = refusal(refused_task(**parts))
    assert text.startswith("x.pddl:1:")
    assert what in text


def test_a_metric_that_asks_for_violations() -> None:
    assert "'is-violated' in the metric" in refusal(refused_task(more="(:metric minimize (is-violated one))"))


def test_a_preference_in_a_precondition_names_the_action() -> None:
    text = refusal(refused_task(precondition="(and (p) (preference soft (q)))"))
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
    text = refusal_of_plans(refused_task(**parts))
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
    assert re.search(what, refusal_of_plans(refused_task(**parts)))
