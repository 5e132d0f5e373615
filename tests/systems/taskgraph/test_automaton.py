"""The automaton: what pairs of subtasks cannot see."""

from __future__ import annotations

import pytest

from pddl2nl.pddl import GroundAtom
from pddl2nl.systems.taskgraph.alfred.sets import suite_calls
from pddl2nl.systems.taskgraph.alfred.tasks import task_of_seed
from pddl2nl.systems.taskgraph.automaton import TaskAutomaton
from pddl2nl.systems.taskgraph.doing import ways_to_carry_out
from pddl2nl.systems.taskgraph.subtasks import Subtasks
from pddl2nl.tasks import shipped_domain
from pddlval import Simulator


def steps(text: str) -> list[tuple[str, ...]]:
    """Steps separated by semicolons: ``PutObject Apple Fridge``, with short names as in the test."""
    short = {"Pick": "PickupObject", "Put": "PutObject", "Slice": "SliceObject", "Heat": "HeatObject"}
    parts = [part.split() for part in text.split(";")]
    return [(short.get(part[0], part[0]), *part[1:]) for part in parts]


# The paper's table 15, case 1 (GRPO with ground truth only, SFT) and case 2 (SFT).
TRAINED = steps(
    "Pick Knife; Pick Potato; Heat Potato Microwave; Put Potato Pan; Pick Knife; Pick Tomato; Slice Tomato; "
    "Put Knife SinkBasin; Pick TomatoSliced; CleanObject TomatoSliced SinkBasin; Put TomatoSliced Bowl; "
    "Put Bowl Shelf; Put Pan DiningTable"
)
TUNED = steps(
    "Pick Knife; Slice Tomato; Put TomatoSliced Bowl; Put Bowl Shelf; Pick Potato; Heat Potato Microwave; "
    "PutPickObject Potato Pan; Put Pan DiningTable"
)
TUNED_TWO = steps(
    "Pick Knife; Slice Potato; Put Knife CounterTop; Pick PotatoSliced; PutPickObject PotatoSliced Pan; "
    "Put Pan Microwave; CoolObject Pan Fridge; Put Pan CounterTop"
)
OURS = steps(
    "Pick Knife; Slice Tomato; Put Knife SinkBasin; Pick TomatoSliced; CleanObject TomatoSliced SinkBasin; "
    "PutPickObject TomatoSliced Bowl; Put Bowl Shelf; Pick Potato; Heat Potato Microwave; PutPickObject Potato Pan; "
    "Put Pan DiningTable"
)


def test_the_transitions_that_table_15_calls_invalid_are_refused(alfred: Subtasks) -> None:
    automaton = TaskAutomaton(alfred)
    assert automaton.faults(OURS) == ()
    # Two Pickup → Pickup with a knife in the hand, and Put → Put → Put.
    assert [fault.place for fault in automaton.faults(TRAINED)] == [1, 5, 11, 12]
    # Put → Put; and, which the paper calls a missing step, the slice was never picked up.
    assert [fault.place for fault in automaton.faults(TUNED)] == [2, 3]
    # Into the microwave, and then cooled.
    assert [fault.place for fault in automaton.faults(TUNED_TWO)] == [6]


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("Pick Fork; Slice Tomato", "needs that (holding knife), but (holding Fork)"),
        ("Put Apple Fridge", "needs that (holding Apple), but (hand-empty)"),
        ("Pick TomatoSliced", "needs TomatoSliced, which SliceObject(Tomato) makes"),
        ("OpenObject Fridge; OpenObject Fridge", "needs that (shut Fridge)"),
        ("CloseObject Fridge; CloseObject Fridge", "needs that (not (shut Fridge))"),
        ("Pick Apple; CleanObject Apple SinkBasin; Put Apple Bowl; Put Apple Fridge", "(holding Apple)"),
        ("Pick Appel", "there is no Appel; did you mean 'Apple'"),
        ("Slice Fork", "Fork cannot be the object of SliceObject"),
        ("Heat Egg Fridge", "Fridge cannot be the Microwave of HeatObject"),
        ("Pick", "names 1 targets, and 0 are given"),
        ("Pickup Apple", "there is no subtask Pickup; did you mean"),
    ],
)
def test_what_is_refused_has_a_reason(alfred: Subtasks, plan: str, reason: str) -> None:
    faults = TaskAutomaton(alfred).faults(steps(plan))
    assert len(faults) == 1
    assert reason in faults[0].text


def test_the_plan_of_every_type_is_accepted(alfred: Subtasks) -> None:
    automaton = TaskAutomaton(alfred)
    for name in ("seen", "long", "new"):
        for task in (task_of_seed(seed, values) for seed, values in suite_calls(name, 17)):
            assert automaton.faults(task.plan) == ()


def test_no_plan_that_can_be_carried_out_is_refused(alfred: Subtasks) -> None:
    # The ground truths of the shipped tasks, step by step, in the simulator and in the automaton.
    shipped = shipped_domain("alfred")
    automaton = TaskAutomaton(alfred)
    for reference in shipped.references[::7]:
        simulator = Simulator(shipped.task(reference.instance))
        state, plan = simulator.initial, list[tuple[str, ...]]()
        for block in reference.ways[0].blocks:
            name, _, targets = block.macro.removesuffix(")").partition("(")
            plan.append((name, *targets.split(", ")))
            node = alfred.named(name)
            objects = [
                simulator.task.objects_of((alfred.classes[target],)) if target in alfred.classes else (target,)
                for target in targets.split(", ")
            ]
            done = next(ways_to_carry_out(simulator, state, node, objects), None)
            assert done is not None
            state = done.state
            assert automaton.faults(plan) == ()


@pytest.mark.parametrize(
    ("plan", "faults"),
    [
        # The hand never holds two things, and is not empty while it holds one.
        ("Pick Knife; Pick Apple; Put Apple Shelf; Put Knife Shelf", [1]),
        ("Pick Knife; Pick Apple; Slice Tomato; Put Knife Shelf", [1]),
        # A misspelt step does what its right spelling would.
        ("Pick Appel; Put Apple Fridge; Pick Egg", [0]),
        ("Pick Knife; Slice Tomatoe; Put Knife Shelf; Pick TomatoSliced; Put TomatoSliced Shelf", [1]),
        ("Wash Apple; Put Apple Shelf; Pick Egg; Pick Mug", [0, 3]),
        # Slices of nothing: everything else is right.
        ("Pick AppleSliced; Put AppleSliced Shelf; Pick Mug; Put Mug Shelf", [0]),
        ("Put Apple Shelf; Put Egg Shelf; Pick Mug; Put Mug Shelf", [0, 1]),
    ],
)
def test_one_mistake_is_one_fault(plan: str, faults: list[int], alfred: Subtasks) -> None:
    found = TaskAutomaton(alfred).faults(steps(plan))
    assert [fault.place for fault in found] == faults
    assert not any("(hand-empty) and" in fault.text for fault in found)


def test_a_plan_begins_in_the_state_that_is_given(alfred: Subtasks) -> None:
    task = shipped_domain("alfred").task("s10")
    simulator = Simulator(task)
    automaton, initial = TaskAutomaton(alfred, task=task), simulator.initial
    assert [fault.place for fault in automaton.faults(steps("Put Apple Shelf"), initial)] == [0]
    apple, slices = task.objects_of(("apple",))[0], task.objects_of(("applesliced",))
    held = initial.atoms - {GroundAtom(("hand-empty",))} | {GroundAtom(("holding", apple))}
    cut = held | {GroundAtom(("in", slices[0], "shelf-1"))}
    assert automaton.faults(steps("Put Apple Shelf"), simulator.state(held, {})) == ()
    # Slices lie there from the start.
    sliced = steps("Put Apple Shelf; Pick AppleSliced")
    assert [fault.place for fault in automaton.faults(sliced, simulator.state(held, {}))] == [1]
    assert automaton.faults(sliced, simulator.state(cut, {})) == ()
    # There is one fridge, and it is shut; of the cabinets it is known by their own names.
    doors = "CloseObject Fridge; OpenObject fridge-1; CloseObject Fridge; CloseObject cabinet-1; CloseObject Cabinet"
    assert [fault.place for fault in automaton.faults(steps(doors), initial)] == [0, 3]
