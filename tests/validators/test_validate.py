"""Verdicts, their causes, and their JSON."""

from __future__ import annotations

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


def test_a_disjunction_is_one_part_with_one_cause() -> None:
    report = validate(garden(), "(pour rose) (close) (pick rose)")
    assert (report.verdict, report.failed_step) == ("inapplicable", 3)
    assert told(report) == [("(or (gate) (sunny))", 2, False, None)]


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


def test_steps_at_one_time_and_who_did_it() -> None:
    report = validate(garden(), "1: (pour rose)\n2: (dry rose)\n2: (sow fern)\n3: (pick rose)\n")
    assert report.failed_step == 4
    assert told(report)[-1] == ("(growing rose)", 3, False, None)


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
