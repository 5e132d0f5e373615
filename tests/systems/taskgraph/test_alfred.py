"""The household of ALFRED: its tasks and their plans."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import And, Task, load_problem, load_task, parse_problem
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.systems.taskgraph.alfred.sets import LONG_LENGTHS, SUITE_SIZES, SetTask, set_tasks, suite_calls, write_set
from pddl2nl.systems.taskgraph.alfred.tasks import task_of_seed
from pddl2nl.systems.taskgraph.alfred.types import (
    AFFORDANCES,
    ALL_CLASSES,
    FIXTURES,
    MOVABLES,
    SKILLS,
    TASK_TYPES,
    type_of,
)
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import generate
from pddl2nl.tasks.isomorphism import DistinctProblems
from pddl2nl.tasks.reference_files import read_references
from pddl2nl.tasks.references import reference_of
from pddl2nl.tasks.suites import find_suites
from pddl2nl.training import prompt_rows
from pddlval import validate
from pddlval.semantics import holds

ALFRED = shipped_domain("alfred")


def problem(seed: int, **values: int | str) -> Task:
    return Task(ALFRED.domain, parse_problem(generate("alfred", seed, **values).text, ALFRED.domain))


def test_the_classes_are_those_of_the_papers_prompt() -> None:
    # Appendix E lists 86 objects, among them 31 receptacles of which 7 can be carried.
    assert (len(ALL_CLASSES), len(FIXTURES), len(MOVABLES)) == (86, 24, 7)
    assert {*FIXTURES, *MOVABLES} <= {*ALL_CLASSES}
    declared = {item.name for item in ALFRED.domain.types}
    assert {type_of(name) for name in ALL_CLASSES} <= declared
    assert len({*map(type_of, ALL_CLASSES)}) == 86
    assert {name for names in (*AFFORDANCES.values(), *SKILLS.values()) for name in names} <= {*ALL_CLASSES}


def test_the_lengths_of_the_types_are_the_papers() -> None:
    lengths = {kind.name: kind.length for kind in TASK_TYPES.values()}
    assert Counter(kind.group for kind in TASK_TYPES.values()) == {"base": 12, "long": 17, "new": 10}
    assert [lengths[name] for name in ("Pick&Place", "PickTwo&Place", "Examine", "Heat&Place", "Stack&Place")] == [
        2,
        5,
        2,
        3,
        3,
    ]
    # The longest sliced variant has 8 subtasks (appendix C.2).
    assert max(kind.length for kind in TASK_TYPES.values() if kind.group == "base") == 8
    assert {kind.length for kind in TASK_TYPES.values() if kind.group == "long"} == {*LONG_LENGTHS}


def test_the_sets_have_the_papers_sizes_and_lengths() -> None:
    assert SUITE_SIZES["seen"] == 820
    assert SUITE_SIZES["unseen"] == 815
    assert (SUITE_SIZES["test-seen"], SUITE_SIZES["test-unseen"]) == (1533, 1529)
    lengths = {name.lower().replace("&", "-"): kind.length for name, kind in TASK_TYPES.items()}
    long = [lengths[values["task"]] for _, values in suite_calls("long")]
    assert Counter(long) == {7: 315, 8: 315, 9: 381, 10: 105, 11: 140, 12: 140}
    assert sum(long) / len(long) == pytest.approx(8.9, abs=0.05)
    seeds = [seed for name in SUITE_SIZES for seed, _ in suite_calls(name)]
    assert len({*seeds}) == len(seeds)


def test_the_plan_of_a_task_has_the_subtasks_of_its_type() -> None:
    for reference in ALFRED.references:
        assert [len(way.blocks) for way in reference.ways] == [TASK_TYPES[reference.title].length]


def test_texts_name_one_task_each() -> None:
    texts = Counter(reference.texts["goal"] for reference in ALFRED.references)
    assert set(texts.values()) == {1}


def test_a_scene_has_about_68_objects_and_each_thing_is_at_one_place() -> None:
    sizes = []
    for seed, values in suite_calls("long", 34):
        task = problem(seed, **values)
        sizes.append(len(task.problem.objects))
        where = Counter(fact[1] for fact in task.problem.init if fact[0] == "in")
        assert set(where.values()) == {1}
        places = {fact[2] for fact in task.problem.init if fact[0] == "in"}
        assert places <= {*task.objects_of(("place",))}
    assert 60 <= sum(sizes) / len(sizes) <= 76


def test_hidden_things_are_behind_doors_and_others_can_be_seen() -> None:
    for things in ("seen", "hidden"):
        for seed in range(10):
            made = task_of_seed(seed, {"task": "pick-place", "things": things})
            task = problem(seed, task="pick-place", things=things)
            shut = {fact[1] for fact in task.problem.init if fact[0] == "shut"}
            spots = {made.scene.where[name] for name in made.scene.of(made.errands[0].thing)}
            assert spots <= shut if things == "hidden" else not spots & shut


def test_an_ambiguous_place_is_told_by_what_only_it_stands_beside() -> None:
    for seed in range(10):
        made = task_of_seed(seed, {"task": "pick-place", "place": "ambiguous"})
        errand = made.errands[0]
        marks = made.scene.of(errand.beside)
        assert (errand.place, marks[0]) in made.scene.beside
        assert made.scene.classes[errand.place] in FIXTURES
        assert errand.place not in made.text


def test_unseen_layouts_differ_from_all_seen_ones() -> None:
    def furniture(layout: str, seed: int) -> tuple[tuple[str, str], ...]:
        return task_of_seed(seed, {"task": "cool-place", "layout": layout}).scene.beside

    seen = {furniture("seen", seed) for seed in range(60)}
    assert not seen & {furniture("unseen", seed) for seed in range(20)}


# ── sets of tasks ─────────────────────────────────────────────────────────────────────────────────


ALFRED_DOMAIN = shipped_domain("alfred").domain


def task_of(made: SetTask) -> Task:
    return Task(ALFRED_DOMAIN, parse_problem(made.text, ALFRED_DOMAIN))


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
            scene = Task(ALFRED_DOMAIN, replace(task.problem, goal=And()))
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
        return distinct.add(Task(ALFRED_DOMAIN, replace(task.problem, goal=And())), name)

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
    assert reference_of(Task(ALFRED_DOMAIN, load_problem(folder / "new-0002.pddl", ALFRED_DOMAIN))) is None


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
