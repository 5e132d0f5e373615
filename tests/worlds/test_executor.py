"""Executors: the model, and worlds with faults."""

from __future__ import annotations

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import GroundAtom, write_number
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import parse_faults
from pddlval import BadActionError, Simulator, State
from tests.worlds.conftest import action

PLAN = ("(open-it fridge-1)", "(take egg-1 fridge-1)", "(put-on egg-1 pan-1)")


def texts(state: State) -> set[str]:
    """What is so in a state, but for the costs, which an action that fails does not add."""
    values = (f"(= {fluent} {write_number(value)})" for fluent, value in state.values.items() if len(fluent) > 1)
    return {*map(str, state.atoms), *values}


def run(simulator: Simulator, faults: str, *plan: str, seed: int = 1) -> tuple[list[tuple[str, ...]], FaultyExecutor]:
    """What was missing and surplus after each action, all carried out one after the other in the faulty world."""
    executor = FaultyExecutor(simulator, parse_faults(faults), seed)
    state, differences = simulator.initial, []
    for text in plan:
        expected = simulator.step(state, action(text)).successor or state
        state = executor.execute(state, action(text))
        ours, theirs = texts(expected), texts(state)
        differences.append(
            (*(f"-{text}" for text in sorted(ours - theirs)), *(f"+{text}" for text in sorted(theirs - ours)))
        )
    return differences, executor


def test_without_faults_all_is_as_in_the_model(simulator: Simulator) -> None:
    differences, executor = run(simulator, "", *PLAN)
    assert differences == [(), (), ()]
    assert (executor.steps, executor.occurred) == (3, [])
    with pytest.raises(BadActionError):
        executor.execute(simulator.initial, action("(take egg-1)"))


def test_an_action_silently_fails_once_and_works_when_tried_again(simulator: Simulator) -> None:
    differences, executor = run(simulator, "fail (take egg-1 *)", PLAN[0], PLAN[1], PLAN[1])
    assert differences == [(), ("-(held egg-1)", "+(hand-empty)", "+(in-it egg-1 fridge-1)"), ()]
    assert [(item.step, item.fault) for item in executor.occurred] == [(2, "fail (take egg-1 *)")]


def test_an_object_moves_before_an_action(simulator: Simulator) -> None:
    faults = "move (in-it egg-1 fridge-1) -> (on-top-of egg-1 pan-1) before 2"
    differences, executor = run(simulator, faults, *PLAN)
    assert differences[0] == ()
    # The action cannot be carried out, since the egg is gone; nothing but that has changed.
    assert differences[1] == ("-(held egg-1)", "+(hand-empty)", "+(on-top-of egg-1 pan-1)")
    assert [item.step for item in executor.occurred] == [2]


def test_failures_by_number_and_how_often(simulator: Simulator) -> None:
    warm = ["(warm pan-1)"] * 5
    for faults, steps in (
        ("fail at 2, 4", [2, 4]),
        ("fail (warm *) twice", [1, 2]),
        ("fail (warm *) always", [1, 2, 3, 4, 5]),
        ("fail (warm *) at 3; fail (warm *)", [1, 3]),
    ):
        assert [item.step for item in run(simulator, faults, *warm)[1].occurred] == steps


def test_probabilities_are_seeded(simulator: Simulator) -> None:
    # Each step is drawn by itself, so these are the same on every machine and in every process.
    plan = ["(open-it fridge-1)"] + ["(warm pan-1)"] * 30

    def failed(faults: str, seed: int = 1) -> list[int]:
        return [item.step for item in run(simulator, faults, *plan, seed=seed)[1].occurred]

    assert failed("fail 30%") == failed("fail 30%")
    assert failed("fail 30%", 2) != failed("fail 30%")
    assert failed("fail 30%; seed 2", 1) == failed("fail 30%", 2)
    assert failed("fail 0%") == []
    assert failed("fail 100% (open-it *)") == [1]


def test_a_refused_action_does_nothing_and_the_world_reports_it(simulator: Simulator) -> None:
    executor = FaultyExecutor(simulator, parse_faults('refuse (take egg-1 *) "the egg is stuck" twice'))
    state = executor.execute(simulator.initial, action(PLAN[0]))
    assert executor.reported == ""
    for _ in range(2):
        assert executor.execute(state, action(PLAN[1])) == state
        assert executor.reported == "the egg is stuck"
    taken = executor.execute(state, action(PLAN[1]))
    assert (taken.true(GroundAtom(("held", "egg-1"))), executor.reported) == (True, "")
    assert [item.step for item in executor.occurred] == [2, 3]


def test_a_change_before_a_refused_action_can_make_it_inapplicable(simulator: Simulator) -> None:
    faults = 'refuse (take *) "the egg is stuck"; set (not (opened fridge-1)) before 2'
    executor = FaultyExecutor(simulator, parse_faults(faults))
    opened = executor.execute(simulator.initial, action(PLAN[0]))
    executor.execute(opened, action(PLAN[1]))
    # What the shut fridge prevents the world need not refuse.
    assert executor.reported == ""
    assert [item.fault for item in executor.occurred] == ["set (not (opened fridge-1)) before 2"]


def test_what_breaks_is_gone_for_good(simulator: Simulator) -> None:
    executor = FaultyExecutor(simulator, parse_faults('break (take egg-1 *); refuse (take egg-1 *) "no"'))
    opened = executor.execute(simulator.initial, action(PLAN[0]))
    broken = executor.execute(opened, action(PLAN[1]))
    # The first statement decides; the hand stays empty, and no action can bring the egg back.
    assert executor.reported == ""
    assert broken.atoms ^ opened.atoms == {("in-it", "egg-1", "fridge-1"), ("exists-now", "egg-1")}
    assert not any("egg-1" in each.args for each in simulator.applicable(broken) if each.name in ("take", "put-on"))


def test_faults_of_another_task(simulator: Simulator) -> None:
    with pytest.raises(InputError, match="the domain has no action 'fly'"):
        FaultyExecutor(simulator, parse_faults("fail (fly *)"))
