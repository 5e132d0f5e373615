"""Verdicts, their causes, and their JSON."""

import json

from pddl2nl.pddl import Atom, Not, Task, parse_task, write_condition
from pddlval import Cause, GroundAction, Report, validate

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
