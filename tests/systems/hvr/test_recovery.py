"""Recovery from unexpected changes without asking the model."""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.pddl import GroundAtom
from pddl2nl.systems.hvr.events import Recovered
from pddl2nl.systems.hvr.execution import LONGEST_REPAIR, reaches, recovery
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, Simulator, State

PLATE = "move (on plate-1 dining-table-1) -> (on plate-1 countertop-1) before 3"


@pytest.fixture(scope="module")
def blocks() -> Simulator:
    """Blocksworld p01: c on b on a; the goal is checked by the plan below."""
    return Simulator(shipped_task("blocksworld", "p01"))


def _plan(simulator: Simulator) -> list[GroundAction]:
    """A shortest plan by breadth-first search."""
    queue: list[tuple[State, list[GroundAction]]] = [(simulator.initial, [])]
    seen = {simulator.initial}
    while True:
        state, actions = queue.pop(0)
        if simulator.is_goal(state):
            return actions
        for action in simulator.applicable(state):
            after = simulator.step(state, action).successor
            if after is not None and after not in seen:
                seen.add(after)
                queue.append((after, [*actions, action]))


def _after(simulator: Simulator, state: State, *actions: GroundAction) -> State:
    for action in actions:
        after = simulator.step(state, action).successor
        assert after is not None
        state = after
    return state


def test_a_plan_whose_rest_reaches_the_goal_continues(blocks: Simulator) -> None:
    first, *rest = _plan(blocks)
    expected = _after(blocks, blocks.initial, first)
    found = recovery(blocks, expected, expected, first, rest)
    assert found is not None
    assert (found.kind, found.actions) == ("continued", ())


def test_a_silent_failure_is_repeated(blocks: Simulator) -> None:
    first, *rest = _plan(blocks)
    found = recovery(blocks, blocks.initial, _after(blocks, blocks.initial, first), first, rest)
    assert found is not None
    assert (found.kind, found.actions) == ("repeated", (first,))


def test_another_change_is_repaired_by_few_actions(blocks: Simulator) -> None:
    plan = _plan(blocks)
    middle = len(plan) // 2
    expected = _after(blocks, blocks.initial, *plan[:middle])
    # The world is two actions behind, so that the last action alone does not help.
    observed = _after(blocks, blocks.initial, *plan[: middle - 2])
    found = recovery(blocks, observed, expected, plan[middle - 1], plan[middle:])
    assert found is not None
    assert found.kind == "repaired"
    assert len(found.actions) <= LONGEST_REPAIR
    assert reaches(blocks, observed, (*found.actions, *plan[middle:]))


def test_a_plan_that_would_fail_anyway_is_not_repaired(blocks: Simulator) -> None:
    first, *rest = _plan(blocks)
    assert recovery(blocks, blocks.initial, blocks.initial, first, rest[:-1]) is None


def test_a_world_that_cannot_be_repaired_needs_a_new_plan(blocks: Simulator) -> None:
    first, *rest = _plan(blocks)
    held = blocks.state({GroundAtom(("ontable", "a"))}, {})
    assert recovery(blocks, held, _after(blocks, blocks.initial, first), first, rest) is None


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("faults", [PLATE, "fail 50%", "fail 20%"])
def test_harmless_surprises_cost_no_call(faults: str) -> None:
    task = shipped_task("kitchen", "t01")
    calm, surprised = (_calls(run(task, "hvr", "oracle", options={"faults": each})) for each in (None, faults))
    assert calm == surprised == 11


def _calls(result: Any) -> int:
    assert result.solved
    return int(result.events[-1].calls)


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("domain", "instance"),
    [("kitchen", "t01"), ("blocksworld", "p01"), ("ferry", "p01"), ("logistics", "p01"), ("grippers", "p01")],
)
@pytest.mark.parametrize("share", [10, 20, 50])
def test_silent_failures_are_survived_with_the_same_calls(domain: str, instance: str, share: int) -> None:
    task = shipped_task(domain, instance)
    for seed in (1, 2, 3):
        result = run(task, "hvr", "oracle", options={"faults": f"fail {share}%"}, seed=seed)
        calm = run(task, "hvr", "oracle", seed=seed)
        assert _calls(result) == _calls(calm)
        assert all(event.kind == "repeated" for event in result.events if isinstance(event, Recovered))
