"""Obfuscation: reversible, verdicts as before, nothing of the old words left, and plans no shorter or longer."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.errors import InputError
from pddl2nl.pddl import Condition, Task, load_task, parse_task, write_condition, write_domain, write_problem
from pddl2nl.tasks.obfuscation import SCHEMES
from pddl2nl.tasks.renaming import TaskRenaming, plan_text, renaming_from_json
from pddl2nl.tasks.shipped import shipped_domain
from pddlval import Report, Simulator, read_plan, validate
from tests.tasks.renamed_tasks import renamed, symbols_of, words
from tests.validators import random_tasks

CLASHES = """
(define (domain Clashes)
  (:requirements :adl :fluents :derived-predicates)
  (:types truck place - thing crate box-a box_a - (either thing other))
  (:constants place-1 - place PLACE_1 - place action1 - crate)
  (:predicates (truck ?truck - truck) (at-place ?what - thing ?where - place) (at_place ?what - thing ?where - place)
    (reached ?where - place) (either-way) (predicate1 ?c - crate))
  (:functions (distance ?from ?to - place) (total-cost) - number (truck))
  (:derived (reached ?here - place) (exists (?truck - truck) (or (at-place ?truck ?here) (reached ?here))))
  (:action drive-to
    :parameters (?truck - truck ?from - place ?to - (either place crate))
    :precondition (and (at-place ?truck ?from) (forall (?truck - truck) (imply (truck ?truck) (either-way))))
    :effect (and (not (at-place ?truck ?from)) (when (either-way) (at_place ?truck place-1))
      (forall (?from - place) (when (reached ?from) (at-place ?truck ?from)))
      (increase (total-cost) (+ 1 (distance ?from place_1))) (assign (truck) 2)))
  (:action drive_to
    :parameters (?c - crate)
    :precondition (or (predicate1 ?c) (= ?c action1) (> (truck) 1))
    :effect (predicate1 ?c)))
"""
CLASHING = """
(define (problem Clash-1) (:domain clashes)
  (:objects truck - truck crate - crate drive-to - truck)
  (:init (at-place truck place-1) (truck truck) (= (distance place-1 place_1) 2) (= (truck) 0.5) (= (total-cost) 0))
  (:goal (and (preference p-likes-it (at-place truck place_1)) (predicate1 crate)))
  (:metric minimize (+ (total-cost) (is-violated p-likes-it))))
"""


@pytest.fixture(scope="module")
def clashes() -> Task:
    """A task in which names of different kinds are alike, or differ in a hyphen only."""
    return parse_task(CLASHES, CLASHING)


def assert_same_report(before: Report, after: Report, renaming: TaskRenaming, task: Task) -> None:
    """The reports say the same under a renaming."""
    assert (after.verdict, after.steps, after.cost, after.failed_step) == (
        before.verdict,
        before.steps,
        before.cost,
        before.failed_step,
    )
    assert after.action == (None if before.action is None else renaming.action(before.action))

    def told(conditions: tuple[Condition, ...]) -> list[str]:
        return [write_condition(renaming.formulas.formula(condition)) for condition in conditions]

    assert list(map(write_condition, after.unmet)) == told(before.unmet)
    assert list(map(write_condition, after.unmet_goals)) == told(before.unmet_goals)


# ── trees and texts ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("objects", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_there_and_back_and_through_text(clashes: Task, scheme: str, objects: bool) -> None:
    renaming, task = renamed(clashes, scheme, objects=objects)
    assert renaming.inverse.task(task) == clashes
    assert renaming.inverse.inverse == renaming
    assert parse_task(write_domain(task.domain), write_problem(task.problem)) == task
    again = renaming_from_json(json.loads(json.dumps(renaming.as_json())))
    assert again == renaming


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_of_the_old_words_is_left(clashes: Task, scheme: str) -> None:
    _, task = renamed(clashes, scheme)
    # Names such as predicate1 stand in this domain already, and say nothing.
    assert words(task) & symbols_of(clashes) <= {"action1", "predicate1"}
    assert not [word for word in words(task) if "truck" in word or "place" in word or "clash" in word]


def test_generic_names_follow_the_file_as_in_the_paper() -> None:
    task = shipped_domain("blocksworld").task("p01")
    renaming, _ = renamed(task, "generic", objects=False)
    domain = task.domain
    assert renaming.predicates == {item.name: f"predicate{n}" for n, item in enumerate(domain.predicates, start=1)}
    assert renaming.actions == {item.name: f"action{n}" for n, item in enumerate(domain.actions, start=1)}
    assert renaming.objects == {}
    assert renaming.problem(task.problem).objects == task.problem.objects


def test_mystery_avoids_the_words_of_the_domain_and_does_not_run_out() -> None:
    predicates = " ".join(f"(fame-{n} ?x)" for n in range(400))
    task = parse_task(
        f"(define (domain loves-harmony) (:predicates {predicates}) (:functions (warmths)))",
        "(define (problem p) (:domain loves-harmony) (:init) (:goal (and)))",
    )
    renaming, changed = renamed(task, "mystery")
    assert len(set(renaming.predicates.values())) == 400
    assert not [word for word in words(changed) if re.search("fame|harmony|warmth", word)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "'format' is 2"),
        ({"actions": {"a": "x", "b": "x"}}, "actions: 'a' and 'b' both become 'x'"),
        ({"types": {"a": 3}}, "expected a text"),
        ({"actions": {"a": "b) (c"}}, "actions → a: expected a name, found 'b) (c'"),
        ({"actions": {"?a": "b"}}, "actions → ?a: expected a name, found '?a'"),
        ({"variables": {"?a": "b"}}, "variables → ?a: expected a variable, found 'b'"),
        ({"variables": []}, "variables is []; expected a table"),
    ],
)
def test_a_mapping_that_cannot_be_reversed_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        renaming_from_json({**TaskRenaming().as_json(), **change})


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


@given(st.data())
@settings(max_examples=25)
def test_any_task_comes_back_and_verdicts_on_random_plans_are_the_same(data: st.DataObject) -> None:
    task, dice = data.draw(random_tasks.cases())
    simulator, steps = Simulator(task), []
    state = simulator.initial
    for _ in range(5):
        # Mostly what can be done, at times something else.
        able = list(simulator.applicable(state))
        if not able:
            break
        steps.append(dice.choice(able))
        state = simulator.step(state, steps[-1]).successor or state
    if dice.random() < 0.5 and steps:
        dice.shuffle(steps)
    scheme, objects = data.draw(st.sampled_from(SCHEMES)), data.draw(st.booleans())
    renaming, changed = renamed(task, scheme, data.draw(st.integers(0, 3)), objects=objects)
    # Trees are compared, because the task that was drawn is of a kind that shows itself.
    assert renaming.inverse.task(changed) == Task(task.domain, task.problem)
    assert parse_task(write_domain(changed.domain), write_problem(changed.problem)) == changed
    plan = read_plan("\n".join(map(str, steps)))
    assert_same_report(validate(task, plan), validate(changed, renaming.plan(plan)), renaming, task)


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["drive-to", "action1", "action2", "action3", "fly"]), min_size=1, max_size=5))
def test_unknown_names_stay_unknown_and_come_back(names: list[str]) -> None:
    task = parse_task(CLASHES, CLASHING)
    renaming, changed = renamed(task, "generic")
    plan = read_plan("".join(f"({name} {other})" for name, other in zip(names, reversed(names), strict=True)))
    after = renaming.plan(plan)
    assert renaming.inverse.plan(after).actions == plan.actions
    known = {action.name for action in task.domain.actions}
    assert [action.name in known for action in plan.actions] == [
        changed.domain.action(action.name) is not None for action in after.actions
    ]
    assert set(renaming.unknown(plan)) >= {name for name in names if name not in known and name not in task.objects}


def _shared_tasks(shared: Path, folders: tuple[str, ...]) -> list[Path]:
    return [path.parent for name in folders for path in sorted((shared / name).glob("*/*/domain.pddl"))]


def _check_folder(folder: Path, limit: int, schemes: tuple[str, ...] = SCHEMES) -> int:
    """Round trips and verdicts of one real task; the number of plans judged."""
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    records = folder / "verdicts.jsonl"
    lines = records.read_text(encoding="utf-8").splitlines() if records.is_file() else []
    dice = random.Random(str(folder.name))
    judged = 0
    for scheme in schemes:
        renaming, changed = renamed(task, scheme)
        assert renaming.inverse.task(changed) == task
        assert parse_task(write_domain(changed.domain), write_problem(changed.problem)) == changed
        assert not words(changed) & symbols_of(task), folder
        for line in dice.sample(lines, min(limit, len(lines))):
            try:
                plan = read_plan(json.loads(line)["plan"])
            except InputError:
                continue
            after = read_plan(plan_text(renaming.plan(plan)))
            assert renaming.inverse.plan(after).actions == plan.actions
            assert_same_report(validate(task, plan), validate(changed, after), renaming, task)
            judged += 1
    return judged


def test_real_tasks_and_their_verdicts(shared: Path) -> None:
    folders = _shared_tasks(shared, ("ipc", "numeric"))
    assert sum(_check_folder(folder, 3, (SCHEMES[n % 3],)) for n, folder in enumerate(folders[::15])) >= 9
