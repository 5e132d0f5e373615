"""Runs on ADL tasks, with every policy and the oracle, and on numeric tasks, for which there is no planner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import run
from pddl2nl.llm import ReplayModel, ScriptedModel
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies import make_policy
from pddl2nl.reports import read_record, recheck
from tests.experiments.mechanisms import ASKING

LOCKS = """(define (domain locks)
  (:requirements :adl :derived-predicates)
  (:types door key room)
  (:constants hall - room)
  (:predicates (in ?r - room) (door ?d - door ?a ?b - room) (fits ?k - key ?d - door) (locked ?d - door)
               (held ?k - key) (lies ?k - key ?r - room) (near ?a ?b - room) (lit ?r - room))
  (:derived (near ?a ?b - room) (exists (?d - door) (or (door ?d ?a ?b) (door ?d ?b ?a))))
  (:action unlock :parameters (?d - door)
    :precondition (exists (?k - key) (and (held ?k) (fits ?k ?d))) :effect (not (locked ?d)))
  (:action take :parameters (?k - key ?r - room) :precondition (and (in ?r) (lies ?k ?r))
    :effect (and (held ?k) (not (lies ?k ?r))))
  (:action walk :parameters (?a ?b - room)
    :precondition (and (in ?a) (near ?a ?b)
      (forall (?d - door) (imply (or (door ?d ?a ?b) (door ?d ?b ?a)) (not (locked ?d)))))
    :effect (and (not (in ?a)) (in ?b) (forall (?k - key) (when (and (held ?k) (= ?b hall)) (lit hall))))))
"""
TWO_ROOMS = """(define (problem two-rooms) (:domain locks)
  (:objects red blue - door k1 k2 - key cellar loft - room)
  (:init (in hall) (door red hall cellar) (door blue loft hall) (locked red) (fits k1 red) (fits k2 blue)
         (lies k1 loft) (lies k2 cellar))
  (:goal (and (held k2) (or (lit cellar) (lit hall)) (not (exists (?d - door) (locked ?d))))))
"""
TANKS = """(define (domain tanks)
  (:requirements :numeric-fluents :typing)
  (:types tank)
  (:predicates (sealed ?t - tank))
  (:functions (level ?t - tank) (size ?t - tank))
  (:action pour :parameters (?a ?b - tank)
    :precondition (and (>= (level ?a) 1) (<= (+ (level ?b) 1) (size ?b)) (not (sealed ?a)))
    :effect (and (decrease (level ?a) 1) (increase (level ?b) 1)))
  (:action seal :parameters (?t - tank) :precondition (= (level ?t) (size ?t)) :effect (sealed ?t)))
"""
LEVELS = """(define (problem {name}) (:domain tanks) (:objects left right - tank)
  (:init (= (level left) {left}) (= (level right) 0) (= (size left) 3) (= (size right) 2))
  (:goal (and (sealed right) (>= (level left) 1))))
"""
STEPS = ["(pour left right)", "(pour left right)", "(seal right)"]
TURNS = [f"Action: {step}" for step in STEPS]


@pytest.fixture(scope="module")
def locks() -> Task:
    return parse_task(LOCKS, TWO_ROOMS)


@pytest.fixture(scope="module")
def tanks() -> Task:
    return parse_task(TANKS, LEVELS.format(name="three", left=3))


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(("policy", "style"), [(name, style) for name in ASKING for style in make_policy(name).styles])
def test_the_oracle_solves_an_adl_task_from_what_it_was_told(
    locks: Task, policy: str, style: str, tmp_path: Path
) -> None:
    result = run(locks, policy, "oracle", style=style, record=tmp_path / "x.jsonl")
    assert (result.outcome, result.mistakes) == ("solved", 0), result.message
    again = recheck(read_record(tmp_path / "x.jsonl"))
    assert (again.verdict, again.agrees) == ("valid", True)


def test_a_random_walk_needs_no_planner_where_its_steps_are_given(locks: Task, tanks: Task) -> None:
    for task in (locks, tanks):
        result = run(task, "random", steps=60, seed=3)
        assert result.outcome in ("solved", "budget", "gave-up")
        assert result.mistakes == 0
        assert result.plan


@pytest.mark.usefixtures("needs_planner")
def test_on_a_numeric_task_what_a_planner_would_give_is_asked_for(tanks: Task, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"takes no numbers but action costs.*'pour'\); give the step limit by --steps N"
    ):
        run(tanks, "act", ScriptedModel(TURNS), style="pddl", example="none")
    with pytest.raises(InputError, match="--example PROBLEM with --example-plan FILE"):
        run(tanks, "act", ScriptedModel(TURNS), style="pddl", steps=9)
    with pytest.raises(InputError, match="--model oracle plans with Fast Downward, which takes no numbers"):
        run(tanks, "act", "oracle", steps=9, example="none")


@pytest.mark.parametrize(
    ("policy", "replies"), [("act", TURNS), ("basic", ["\n".join(["[PLAN]", *STEPS, "[PLAN END]"])])]
)
def test_a_numeric_task_is_run_from_a_script_and_from_its_record(
    tanks: Task, policy: str, replies: list[str], tmp_path: Path
) -> None:
    options: dict[str, Any] = {"style": "pddl", "example": "none", "steps": 9 if policy == "act" else None}
    first = run(tanks, policy, ScriptedModel(replies), record=tmp_path / "one.jsonl", **options)
    assert (first.outcome, first.plan) == ("solved", tuple(STEPS))
    again = run(tanks, policy, ReplayModel(tmp_path), record=tmp_path / "two.jsonl", **options)
    assert (again.outcome, again.plan) == ("solved", tuple(STEPS))
    for name in ("one", "two"):
        judged = recheck(read_record(tmp_path / f"{name}.jsonl"))
        assert (judged.verdict, judged.agrees) == ("valid", True)


def test_a_numeric_example_with_a_plan_of_ones_own(tanks: Task, tmp_path: Path) -> None:
    problem, plan = tmp_path / "shown.pddl", tmp_path / "shown.plan"
    problem.write_text(LEVELS.format(name="other", left=3), encoding="utf-8")
    # The time stamps say the order.
    plan.write_text("3: (seal right)\n1: (pour left right)\n2: (pour left right)\n", encoding="utf-8")
    with pytest.raises(InputError, match="the very problem"):
        run(tanks, "act", ScriptedModel(TURNS), steps=9, example=problem, example_plan=plan)
    # Other numbers make it another problem.
    problem.write_text(LEVELS.format(name="other", left="2.5").replace("(>= (level left) 1)", "(< (level left) 1)"))
    result = run(tanks, "react", ScriptedModel(["x"]), steps=1, example=problem, example_plan=plan)
    started = result.started
    assert started.example["plan"] == STEPS
    prompted = result.events[1]
    shown = "\n".join(message.content for message in prompted.messages)
    assert "My goal asks that the value of 'level' for tank_0 is less than 1. I can bring this about now." in shown
    assert "My goal asks that tank_1 is 'sealed'. I can bring this about now." in shown
