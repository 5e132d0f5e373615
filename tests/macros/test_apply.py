"""Planning with macros: the plans are of the task's own actions, and what is reported is so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.baselines import PLANNERS, solve
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.macros.compose import compose
from pddl2nl.macros.learn import LearningOptions, PlannedTask, learn
from pddl2nl.macros.library import steps_of
from pddl2nl.macros.macro import Conditions, Macro
from pddl2nl.macros.planning import apply_macros, default_cost
from pddl2nl.pddl import And, Task, load_task
from pddlval import validate
from pddlval.plans import plan_of

pytestmark = pytest.mark.usefixtures("needs_planner")


def _macro(task: Task, *steps: str, name: str = "m") -> Macro:
    return compose(task.domain, steps_of(steps), name=name, distinct=True)


def test_the_expanded_plan_is_valid_and_the_report_says_what_changed(ferry: Task) -> None:
    macro = _macro(ferry, "(board ?c ?a)", "(sail ?a ?b)", "(debark ?c ?b)", name="carry")
    applied = apply_macros(ferry, [macro], "ff")
    assert applied.plan is not None
    assert applied.result.plan is not None
    assert applied.without is not None
    assert validate(ferry, plan_of(applied.plan)).valid
    carried = sum(1 for action in applied.result.plan if action.name == "carry")
    assert applied.uses == {"carry": carried}
    assert carried > 0
    assert len(applied.plan) == len(applied.result.plan) + 2 * carried == applied.cost
    data = applied.as_json()
    assert data["steps"] == len(applied.plan)
    assert data["macro_cost"] == "one"
    assert data["without"]["expanded"] == applied.without.expanded  # type: ignore[index]
    assert applied.fewer_expansions == max(applied.without.expanded or 0, 1) / max(applied.result.expanded or 0, 1)


@pytest.mark.heavy
def test_an_optimal_search_stays_optimal(lights: Task, blocks: Task) -> None:
    go = _macro(lights, "(go ?a ?b)", "(press ?b ?l)")
    for task, macro in ((lights, go), (blocks, _macro(blocks, "(unstack ?x ?y)", "(put-down ?x)"))):
        applied = apply_macros(task, [macro], "lmcut")
        assert applied.without is not None
        assert applied.cost == applied.without.cost
        assert applied.macro_cost == ("sum" if task is lights else "steps")


def test_no_plan_and_no_comparison(blocks: Task) -> None:
    hopeless = replace(blocks, problem=replace(blocks.problem, init=tuple(blocks.problem.init[1:])))
    applied = apply_macros(hopeless, [_macro(blocks, "(pick-up ?x)", "(stack ?x ?y)")], "ff", compare=False)
    assert (applied.result.status, applied.plan, applied.cost) == ("unsolvable", None, None)
    assert applied.without is None
    assert applied.fewer_expansions is None
    assert applied.as_json()["plan"] is None


def test_a_macro_that_lies_is_found_out(blocks: Task) -> None:
    honest = _macro(blocks, "(unstack ?x ?y)", "(stack ?x ?y)")
    liar = replace(
        honest, conditions=Conditions(And(), _macro(blocks, "(pick-up ?x)", "(stack ?x ?y)").conditions.effect)
    )
    with pytest.raises(InfrastructureError, match=r"expands into one that is inapplicable at step 1: \(unstack"):
        apply_macros(blocks, [liar], "ff", compare=False)


def test_planners(blocks: Task) -> None:
    assert {name: default_cost(name) for name in PLANNERS} == {
        "brfs": "one",
        "lmcut": "steps",
        "ff": "one",
        "lama": "one",
    }
    with pytest.raises(InputError, match="found 'random'"):
        apply_macros(blocks, [], "random")


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["blocksworld", "logistics", "rovers", "depots", "floortile", "goldminer"])
def test_what_is_learned_from_small_tasks_plans_larger_ones(root: Path, name: str) -> None:
    tasks = [
        load_task(root / f"domains/{name}/domain.pddl", root / f"instances/{name}/{problem}.pddl")
        for problem in ("p02", "p03", "p04", "p11")
    ]
    examples = []
    for task in tasks[:-1]:
        plan = solve(task, "lama").plan
        assert plan is not None
        examples.append(PlannedTask(task, plan))
    learned = learn(tasks[0].domain, examples, LearningOptions(number=3))
    assert learned.macros
    applied = apply_macros(tasks[-1], [item.macro for item in learned.macros], "ff", compare=False)
    assert applied.plan is not None
    assert validate(tasks[-1], plan_of(applied.plan)).valid
