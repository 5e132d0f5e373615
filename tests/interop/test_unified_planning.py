"""Tasks from unified-planning and back, and our engines in it, on the problems that it publishes for tests."""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from pathlib import Path
from typing import Any

import pytest

import pddl2nl
from pddl2nl.errors import UnsupportedError
from pddl2nl.experiments.planners import ff_plan

pytest.importorskip("unified_planning")
from unified_planning.engines import LogLevel, PlanGenerationResultStatus, ValidationResultStatus
from unified_planning.engines.results import FailedValidationReason
from unified_planning.model import Problem
from unified_planning.shortcuts import OneshotPlanner, PlanValidator, SequentialSimulator, get_environment
from unified_planning.test.examples import get_example_problems

from pddl2nl.interop.unified_planning import PolicyPlanner, ValidatorAndSimulator, from_up, to_up

get_environment().credits_stream = None
EXAMPLES: dict[str, Any] = get_example_problems()
SUPPORTED = [name for name, case in EXAMPLES.items() if ValidatorAndSimulator.supports(case.problem.kind)]
SEQUENTIAL = [name for name in SUPPORTED if PolicyPlanner.supports(EXAMPLES[name].problem.kind)]
OTHERS = {
    # The same time stands for two actions, one of which deletes what the other reads: PDDL 2.1 forbids it (section 8).
    "temporal_conditional": 1,
    "basic_numeric_with_timed_effect": "one atom was expected",
}
"""Supported problems whose plans are judged differently, or that cannot be exchanged, and why."""


def test_most_of_its_problems_are_exchanged() -> None:
    assert len(SUPPORTED) >= 30
    assert len(SEQUENTIAL) >= 20


@pytest.mark.parametrize("name", [name for name in SUPPORTED if name not in OTHERS])
def test_plans_are_judged_as_its_examples_say(name: str) -> None:
    case = EXAMPLES[name]
    with PlanValidator(name="pddl2nl") as validator:
        for plan in case.valid_plans:
            assert validator.validate(case.problem, plan).status is ValidationResultStatus.VALID
        for plan in case.invalid_plans:
            assert validator.validate(case.problem, plan).status is ValidationResultStatus.INVALID


def test_actions_that_interfere_at_one_time_are_refused_as_pddl_says() -> None:
    case = EXAMPLES["temporal_conditional"]
    with PlanValidator(name="pddl2nl") as validator:
        result = validator.validate(case.problem, case.valid_plans[0])
    assert result.status is ValidationResultStatus.INVALID
    assert "at the same time" in result.log_messages[0].message


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_both_simulators_walk_alike(name: str) -> None:
    problem = EXAMPLES[name].problem
    rng = random.Random(name)
    with (
        SequentialSimulator(problem, name="pddl2nl") as ours,
        warnings.catch_warnings(action="ignore"),
        SequentialSimulator(problem, name="sequential_simulator") as theirs,
    ):
        mine, other = ours.get_initial_state(), theirs.get_initial_state()
        for _ in range(8):
            assert ours.is_goal(mine) == theirs.is_goal(other)
            applicable = {
                (action.name, *map(str, args)): (action, args) for action, args in ours.get_applicable_actions(mine)
            }
            expected = {(action.name, *map(str, args)) for action, args in theirs.get_applicable_actions(other)}
            assert set(applicable) == expected
            if not applicable:
                break
            action, args = applicable[rng.choice(sorted(applicable))]
            assert ours.is_applicable(mine, action, args)
            after, other_after = ours.apply(mine, action, args), theirs.apply(other, action, args)
            assert after is not None
            assert other_after is not None
            mine, other = after, other_after
            assert all(mine.get_value(fluent) == other.get_value(fluent) for fluent in problem.initial_values)


def test_an_action_that_is_not_applicable_gives_no_state() -> None:
    problem = EXAMPLES["robot_loader"].problem
    with SequentialSimulator(problem, name="pddl2nl") as simulator:
        state = simulator.get_initial_state()
        l1, l2 = problem.object("l1"), problem.object("l2")
        assert simulator.apply(state, problem.action("move"), (l2, l1)) is None
        assert simulator.apply(state, problem.action("move"), (l1, l2)) is not None


@pytest.mark.parametrize("name", ["basic", "basic_exists", "robot_loader", "hierarchical_blocks_world"])
def test_a_policy_is_a_planner(name: str) -> None:
    problem = EXAMPLES[name].problem
    with OneshotPlanner(name="pddl2nl-react", params={"model": "oracle", "steps": 30, "example": "none"}) as planner:
        result = planner.solve(problem)
    assert result.status is PlanGenerationResultStatus.SOLVED_SATISFICING
    with PlanValidator(name="sequential_plan_validator") as validator:
        assert validator.validate(problem, result.plan)
    assert int(result.metrics["calls"]) >= len(result.plan.actions)


def test_a_planner_that_finds_no_plan_says_why() -> None:
    output = io.StringIO()
    with OneshotPlanner(name="pddl2nl-random", params={"steps": 1}) as planner:
        result = planner.solve(EXAMPLES["robot_loader"].problem, output_stream=output)
    assert result.status is PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY
    assert "limit of 1 steps" in result.log_messages[0].message
    assert "Started" in output.getvalue()


def test_a_task_without_an_example_is_solved_without_one() -> None:
    with OneshotPlanner(name="pddl2nl-react", params={"model": "oracle", "steps": 30}) as planner:
        result = planner.solve(EXAMPLES["basic"].problem)
    assert result.status is PlanGenerationResultStatus.SOLVED_SATISFICING
    assert [message.level for message in result.log_messages] == [LogLevel.WARNING]
    assert "no few-shot example could be made" in result.log_messages[0].message


def test_a_planner_keeps_its_time_limit() -> None:
    with OneshotPlanner(name="pddl2nl-random", params={"steps": 10**9}) as planner:
        result = planner.solve(EXAMPLES["robot_loader"].problem, timeout=0.0001)
    assert result.status is PlanGenerationResultStatus.TIMEOUT


def test_a_wrong_plan_is_explained() -> None:
    case = EXAMPLES["robot_loader"]
    plan = case.valid_plans[0]
    with PlanValidator(name="pddl2nl") as validator:
        cut = type(plan)(plan.actions[:-1])
        missed = validator.validate(case.problem, cut)
        broken = validator.validate(case.problem, type(plan)(plan.actions[1:]))
    assert missed.reason is FailedValidationReason.UNSATISFIED_GOALS
    assert broken.reason is FailedValidationReason.INAPPLICABLE_ACTION
    assert broken.inapplicable_action in plan.actions
    assert "does not hold" in broken.log_messages[0].message


@pytest.mark.parametrize(
    "domain", ["blocksworld", "ferry", "floortile", "logistics", "satellite", "visitall", "household"]
)
def test_shipped_tasks_go_there_and_back(domain: str) -> None:
    task = pddl2nl.shipped_task(domain, "p01" if domain != "household" else "v01")
    back = from_up(to_up(task))
    ours, theirs = pddl2nl.Simulator(task), pddl2nl.Simulator(back)
    assert len({*ours.applicable(ours.initial)}) == len({*theirs.applicable(theirs.initial)})
    assert len(ours.initial.atoms) == len(theirs.initial.atoms)


SAME_NAMES = """(define (domain names) (:requirements :strips :typing :numeric-fluents) (:types a a_predicate)
  (:predicates (a ?x - a) (b) (c ?x ?x)) (:functions (f))
  (:action b :parameters (?x - a) :precondition (a ?x) :effect (and (c ?x ?x) (b) (increase (f) 1))))"""
NAMED = "(define (problem p) (:domain names) (:objects a b c f - a) (:init (a a) (= (f) 0)) (:goal (and (b) (c a a))))"


def test_a_name_that_stands_for_several_things_is_changed_and_changed_back() -> None:
    floortile, names = pddl2nl.shipped_task("floortile", "p01"), pddl2nl.parse_task(SAME_NAMES, NAMED)
    there = to_up(floortile)
    assert {"up", "up_predicate"} == {each.name for each in (*there.actions, *there.fluents) if "up" in each.name[:3]}
    for task, plan in ((floortile, ff_plan(floortile, "")), (names, "(b a)")):
        back = from_up(to_up(task))
        for kind in ("predicates", "functions", "actions", "types"):
            ours, theirs = getattr(task.domain, kind), getattr(back.domain, kind)
            assert {each.name for each in ours} <= {each.name for each in theirs}
        assert {*back.objects} == {*task.objects}
        assert pddl2nl.validate(back, plan).valid


def test_what_pddl_cannot_say_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="user type parameters"):
        from_up(EXAMPLES["basic_bool_fluent_param"].problem)
    with pytest.raises(UnsupportedError, match="SchedulingProblem"):
        from_up(EXAMPLES["sched:basic"].problem)
    wrong = r"writes basic_numeric_with_timed_effect in PDDL that is wrong: one atom was expected, found \(at 1.0"
    with pytest.raises(UnsupportedError, match=wrong) as refused:
        from_up(EXAMPLES["basic_numeric_with_timed_effect"].problem)
    assert "<problem>" not in str(refused.value)
    derived = "(define (domain d) (:predicates (p) (q)) (:derived (q) (p)))"
    task = pddl2nl.parse_task(derived, "(define (problem z) (:domain d) (:init) (:goal (q)))")
    with pytest.raises(UnsupportedError, match="cannot read z: it has no derived predicates, such as 'q'"):
        to_up(task)
    assert isinstance(to_up(pddl2nl.shipped_task("ferry", "p01")), Problem)


def test_what_its_reader_cannot_read_is_no_error_of_its_parser() -> None:
    domain = '(define (domain d) (:predicates (p)) (:action pick"up :parameters () :effect (p)))'
    task = pddl2nl.parse_task(domain, "(define (problem q) (:domain d) (:init) (:goal (p)))")
    with pytest.raises(UnsupportedError, match=r"""cannot read q: its parser does not know '\(:action pick"up'"""):
        to_up(task)


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["ipc", "numeric", "temporal"])
def test_no_error_of_another_library_leaks(kind: str, shared: Path) -> None:
    exchanged = 0
    for domain in sorted((shared / kind).rglob("domain.pddl")):
        for problem in sorted(domain.parent.glob("*.pddl")):
            if problem == domain or problem.stat().st_size > 3_000:
                continue
            # Any other error fails the test.
            with contextlib.suppress(UnsupportedError):
                from_up(to_up(pddl2nl.load_task(domain, problem)))
                exchanged += 1
    assert exchanged >= 10
