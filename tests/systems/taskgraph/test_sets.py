"""The sets of tasks: ground truths, digests, what makes tasks different, and the oracle on them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import And, Task, load_problem, load_task, parse_problem
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.systems.taskgraph.alfred.sets import SUITE_SIZES, SetTask, set_tasks, suite_calls, write_set
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.reference_files import read_references
from pddl2nl.tasks.references import reference_of
from pddl2nl.tasks.suites import find_suites
from pddl2nl.training import prompt_rows
from pddlval import validate
from pddlval.semantics import holds

ALFRED = shipped_domain("alfred").domain


def task_of(made: SetTask) -> Task:
    return Task(ALFRED, parse_problem(made.text, ALFRED))


@pytest.mark.parametrize(("name", "size"), [("seen", 12), ("long", 17), ("new", 10)])
def test_every_ground_truth_reaches_the_goal(name: str, size: int) -> None:
    # The sizes take in every type of the set.
    for made in set_tasks(name, size):
        task = task_of(made)
        for way in made.reference.ways:
            report = validate(task, "\n".join(way.plan))
            assert report.verdict == "valid"
            assert report.state is not None
            # What the last subtask is for holds at the end.
            assert holds(parse_condition(way.blocks[-1].goal), report.state, {})


def test_which_knife_is_taken_and_where_it_is_put_is_free() -> None:
    made = next(made for made in set_tasks("long", 1))
    first = {way.blocks[0].macro for way in made.reference.ways}
    assert len(made.reference.ways) == 4
    assert first == {"PickupObject(Knife)", "PickupObject(ButterKnife)"}
    assert len(next(set_tasks("seen", 1)).reference.ways) == 1


# The digests of the first tasks: problem, instruction and plans. They change only if the sets are meant to change.
GOLDEN = {
    "train": "8a4e8b69690b8a0b",
    "seen": "c1c159aae62b721a",
    "unseen": "ca199657fe8c89e6",
    "test-seen": "473e4ebc04d6ca9d",
    "test-unseen": "318e5dbd3c81683a",
    "long": "c37f49f3cb957c73",
    "new": "a8d8aa3c6b5e5512",
}


@pytest.mark.parametrize("name", SUITE_SIZES)
def test_the_first_tasks_are_the_same_everywhere(name: str) -> None:
    digest = hashlib.sha256()
    for made in set_tasks(name, 3):
        plans = [[block.macro for block in way.blocks] for way in made.reference.ways]
        digest.update(json.dumps([made.text, made.reference.texts["goal"], plans]).encode())
    assert digest.hexdigest()[:16] == GOLDEN[name]


def duplicates(names: list[str], size: int | None) -> list[str]:
    """Tasks whose scenes are those of earlier tasks up to names; goals with quantifiers cannot be compared."""
    distinct, same = DistinctProblems(), []
    for name in names:
        for made in set_tasks(name, size):
            task = task_of(made)
            scene = Task(ALFRED, replace(task.problem, goal=And()))
            same += [made.reference.instance] if distinct.add(scene, made.reference.instance) else []
    return same


def test_no_two_tasks_are_equal_up_to_names() -> None:
    assert duplicates([*SUITE_SIZES], 2) == []


# ── in files ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert write_set(tmp_path, "new", 3) == 3
    return tmp_path / "new"


def test_no_task_of_the_tables_is_trained_on() -> None:
    shipped, distinct = shipped_domain("alfred"), DistinctProblems()

    def equal(task: Task, name: str) -> str | None:
        return distinct.add(Task(ALFRED, replace(task.problem, goal=And())), name)

    for each in shipped.benchmarks:
        equal(shipped.task(each.name), each.name)
    assert not [made.seed for made in set_tasks("train", 24) if equal(task_of(made), made.reference.instance)]


def test_the_papers_number_of_training_tasks_has_as_many_seeds() -> None:
    seeds = {seed for seed, _ in suite_calls("train", 21_023)}
    assert len(seeds) == 21_023
    assert seeds.isdisjoint(seed for name in ("seen", "unseen", "long", "new") for seed, _ in suite_calls(name))


def test_a_written_set_is_a_suite_with_ground_truths(folder: Path) -> None:
    (suite,) = find_suites(folder).suites
    assert [task.name for task in suite.tasks] == ["new-0001", "new-0002", "new-0003"]
    assert not any(task.guess for task in suite.tasks)
    assert [each.instance for each in read_references(folder / "tasks.json")] == [task.name for task in suite.tasks]
    lines = (folder / "manifest.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "instance,type,length,seed,call,sha256"
    assert lines[1].startswith(
        "new-0001,Break&Throw,3,400001,pddl2nl tasks generate alfred --seed 400001 --name new-0001 "
    )
    digest = hashlib.sha256((folder / "new-0001.pddl").read_bytes()).hexdigest()
    assert lines[1].endswith(digest)


def test_a_task_finds_its_ground_truth_beside_its_problem(folder: Path) -> None:
    task = load_task(folder / "domain.pddl", folder / "new-0002.pddl")
    reference = reference_of(task)
    assert reference is not None
    assert reference.instance == "new-0002"
    # There are many ways to reach these goals, so that plans may have any length.
    assert not reference.length_counted
    # Not if it was changed, or stands alone.
    assert reference_of(Task(task.domain, replace(task.problem, goal=And()))) is None
    (folder / "tasks.json").unlink()
    assert reference_of(Task(ALFRED, load_problem(folder / "new-0002.pddl", ALFRED))) is None


def test_a_run_on_a_set_gives_a_row_for_training_with_its_ground_truth(folder: Path) -> None:
    task = load_task(folder / "domain.pddl", folder / "new-0001.pddl")
    events = run(task, "taskgraph", ScriptedModel([""]), names="original", steps=5).events
    (row,) = prompt_rows(events)
    reference = read_references(folder / "tasks.json")[0]
    steps = [f"{name}({', '.join(targets)})" for name, *targets in json.loads(row.graph)["ground_truth"]]
    assert steps == [block.macro for block in reference.ways[0].blocks]


def test_a_ground_truth_that_cannot_be_carried_out_is_no_traceback(folder: Path) -> None:
    file = folder / "tasks.json"
    file.write_text(file.read_text(encoding="utf-8").replace("(break ", "(fill "), encoding="utf-8")
    task = load_task(folder / "domain.pddl", folder / "new-0001.pddl")
    events = run(task, "taskgraph", ScriptedModel([""]), names="original", steps=5).events
    with pytest.raises(InputError, match="the ground truth of new-0001"):
        next(prompt_rows(events))


def test_an_unknown_set_is_refused_with_a_near_name() -> None:
    with pytest.raises(InputError, match="there is no set 'lng'; did you mean 'long'"):
        next(set_tasks("lng"))
