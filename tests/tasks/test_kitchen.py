"""The kitchen: its tasks, their ground truths, and every order of blocks that these allow."""

from __future__ import annotations

import pytest

from pddl2nl.nl import Teller, load_wording, make_names
from pddl2nl.nl.reading.told import read_problem
from pddl2nl.pddl import Atom, GroundAtom, Not, conjuncts, parse_problem, parse_task, write_domain, write_problem
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.reference_files import ReferenceWay, TaskReference
from pddl2nl.tasks.references import reference_of
from pddlval import GroundAction, Simulator, State

KITCHEN = shipped_domain("kitchen")
REFERENCES = KITCHEN.references
WAYS = [(reference, way) for reference in REFERENCES for way in reference.ways]

by_task = pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: reference.task)
by_way = pytest.mark.parametrize(
    ("reference", "way"), WAYS, ids=[f"{reference.task}-{way.name}".replace(" ", "-") for reference, way in WAYS]
)


def _action(text: str) -> GroundAction:
    name, *args = text.strip("()").split()
    return GroundAction(name, tuple(args))


def _simulator(reference: TaskReference) -> Simulator:
    return Simulator(KITCHEN.task(reference.instance))


def _after(simulator: Simulator, state: State, actions: tuple[str, ...]) -> State:
    followed = simulator.follow(state, map(_action, actions))
    assert followed.complete, followed.failed
    return followed.state


def _literals(goal: str) -> list[tuple[GroundAtom, bool]]:
    """The ground atoms of a block's goal, each with whether it is to hold: conjunctions of literals are all we need."""
    start = write_problem(KITCHEN.task("t01").problem).rpartition("(:goal")[0]
    found = []
    for part in conjuncts(parse_problem(f"{start}(:goal {goal}))", KITCHEN.domain).goal):
        atom = part.body if isinstance(part, Not) else part
        assert isinstance(atom, Atom)
        found.append((GroundAtom((atom.predicate, *atom.args)), atom is part))
    return found


@by_task
def test_a_task_has_a_text_in_both_forms_that_names_no_pddl(reference: TaskReference) -> None:
    assert set(reference.texts) == {"goal", "constructive"}
    for text in reference.texts.values():
        assert text[0].isupper()
        assert text.endswith(".")
        assert not set("()_?{}") & set(text)


@by_task
def test_a_goal_is_read_as_it_was_told(reference: TaskReference) -> None:
    task = KITCHEN.task(reference.instance)
    wording = load_wording(KITCHEN.wording_path, task.domain)
    teller = Teller(task, wording, make_names(task, "original", wording))
    text = "\n\n".join((teller.goal_text(), teller.objects_text(), teller.init_text()))
    assert read_problem(text, task.domain, wording).goal == task.problem.goal


# ── the ground truths ────────────────────────────────────────────────────────────────────────────


@by_way
def test_every_order_of_blocks_is_a_plan(reference: TaskReference, way: ReferenceWay) -> None:
    # By what is done and the state it led to: all linearizations, without walking through each of them.
    simulator = _simulator(reference)
    blocks = way.merged().blocks
    order = way.merged().order
    before = {place: {first for first, second in order if second == place} for place in range(len(blocks))}
    todo: list[tuple[frozenset[int], State]] = [(frozenset(), simulator.initial)]
    seen, ended = set(todo), 0
    while todo:
        done, state = todo.pop()
        if len(done) == len(blocks):
            assert simulator.is_goal(state)
            ended += 1
        for place in range(len(blocks)):
            if place not in done and before[place] <= done:
                reached = (done | {place}, _after(simulator, state, blocks[place].actions))
                if reached not in seen:
                    seen.add(reached)
                    todo.append(reached)
    assert ended


def test_a_block_reaches_its_goal_with_its_last_action_and_not_before() -> None:
    goals = {goal: _literals(goal) for goal in {block.goal for _, way in WAYS for block in way.blocks}}
    for reference, way in WAYS:
        simulator = _simulator(reference)
        state = simulator.initial
        for block in way.blocks:
            for number, action in enumerate(block.actions):
                held = all((atom in state) is wanted for atom, wanted in goals[block.goal])
                assert not held, (reference.task, block.macro, number)
                state = _after(simulator, state, (action,))
            assert all((atom in state) is wanted for atom, wanted in goals[block.goal]), (reference.task, block.macro)


@by_task
def test_a_task_is_recognised_whatever_its_problem_is_called(reference: TaskReference) -> None:
    task = KITCHEN.task(reference.instance)
    text = write_problem(task.problem).replace(f"(problem {task.problem.name})", "(problem dinner)")
    again = parse_task(write_domain(task.domain), text)
    assert again.problem.name == "dinner"
    assert reference_of(again) == reference


def test_a_task_with_another_goal_is_not_recognised() -> None:
    task = KITCHEN.task("t03")
    text = write_problem(task.problem)
    fewer = text.replace(text[text.index("(:goal") :], "(:goal (and (hand-empty))))")
    assert reference_of(parse_task(write_domain(task.domain), fewer)) is None
    assert reference_of(shipped_domain("ferry").task("p01")) is None
