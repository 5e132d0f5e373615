"""Execution: recovery without the model, and the differences between expected and observed states."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.experiments.runs import run
from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddl2nl.systems.hvr.execution import LONGEST_REPAIR, StateDifference, accounts, difference, reaches, recovery
from pddl2nl.tasks import shipped_task
from pddlval import GroundAction, Simulator, State
from tests.worlds.conftest import DOMAIN, PROBLEM, after

# ── recovery ──────────────────────────────────────────────────────────────────────────────────────


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
@pytest.mark.parametrize("faults", [PLATE, "fail 50%"])
def test_harmless_surprises_cost_no_call(faults: str) -> None:
    task = shipped_task("kitchen", "t01")
    calm, surprised = (_calls(run(task, "hvr", "oracle", options={"faults": each})) for each in (None, faults))
    assert calm == surprised == 11


def _calls(result: Any) -> int:
    assert result.solved
    return int(result.events[-1].calls)


# ── expected and observed ─────────────────────────────────────────────────────────────────────────


def test_what_is_missing_and_what_is_surplus(simulator: Simulator, task: Task) -> None:
    expected = after(simulator, "(open-it fridge-1)", "(take egg-1 fridge-1)")
    observed = after(simulator, "(open-it fridge-1)")
    found = difference(expected, observed, accounts(task))
    assert found.missing_texts == ("(held egg-1)",)
    assert found.surplus_texts == ("(hand-empty)", "(in-it egg-1 fridge-1)")


def test_values_that_are_part_of_the_world_differ_and_accounts_do_not(simulator: Simulator, task: Task) -> None:
    # The distance is read by nobody either, and never changes.
    assert accounts(task) == {"total-cost", "distance"}
    warmer = after(simulator, "(warm pan-1)")
    heat = GroundAtom(("heat", "pan-1"))
    found = difference(warmer, simulator.initial, accounts(task))
    assert found.values == ((heat, Fraction(3, 2), Fraction(1, 2)),)
    assert found.missing_texts == ("(= (heat pan-1) 1.5)",)
    dearer = simulator.state(simulator.initial.atoms, {GroundAtom(("total-cost",)): Fraction(5), heat: Fraction(1, 2)})
    assert difference(dearer, simulator.initial, accounts(task)) == StateDifference()
    assert difference(dearer, simulator.initial) != StateDifference()


_SIMULATOR = Simulator(parse_task(DOMAIN, PROBLEM))
_LITTLE = [
    ("held", "egg-1"),
    ("dirty", "pan-1"),
    ("near", "egg-1", "pan-1"),
    ("between", "egg-1", "shelf-1", "fridge-1"),
]


@given(st.sets(st.sampled_from(_LITTLE)), st.sets(st.sampled_from(_LITTLE)))
def test_an_alignment_is_the_way_from_one_state_to_the_other(
    one: set[tuple[str, ...]], other: set[tuple[str, ...]]
) -> None:
    expected, observed = (_SIMULATOR.state(map(GroundAtom, atoms)) for atoms in (one, other))
    found = difference(expected, observed)
    assert (set(expected.atoms) - set(found.missing)) | set(found.surplus) == observed.atoms
    assert (found == StateDifference()) == (one == other)
    back = difference(observed, expected)
    assert (back.missing, back.surplus) == (found.surplus, found.missing)
