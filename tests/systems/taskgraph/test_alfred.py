"""The household of ALFRED: its tasks and their plans."""

from __future__ import annotations

from collections import Counter

import pytest

from pddl2nl.pddl import Task, parse_problem
from pddl2nl.systems.taskgraph.alfred.sets import LONG_LENGTHS, SUITE_SIZES, suite_calls
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
from pddl2nl.tasks.references import TaskReference
from pddlval import Simulator, validate

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


@pytest.mark.parametrize("reference", ALFRED.references, ids=lambda reference: reference.instance)
def test_the_plan_of_a_task_is_valid_and_has_the_subtasks_of_its_type(reference: TaskReference) -> None:
    task = ALFRED.task(reference.instance)
    simulator = Simulator(task)
    assert not simulator.is_goal(simulator.initial)
    (way,) = reference.ways
    assert validate(task, "\n".join(way.plan)).verdict == "valid"
    assert len(way.blocks) == TASK_TYPES[reference.title].length


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


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        # The door of a microwave must be shut, and cannot be opened while it runs.
        ("(turn-on-heater {h})", "inapplicable"),
        ("(navigate {h} {at})(turn-on-heater {h})(open {h})", "inapplicable"),
        ("(navigate {h} {at})(turn-on-heater {h})(turn-off-heater {h})(open {h})", "goal-not-satisfied"),
        # Slicing takes a knife.
        ("(navigate {p} {at})(slice {w} {k} {p})", "inapplicable"),
    ],
)
def test_preconditions_of_devices(plan: str, verdict: str) -> None:
    task = ALFRED.task("s10")
    facts = task.problem.init
    whole = next(name for name in task.objects_of(("apple",)))
    words = {
        "h": task.objects_of(("microwave",))[0],
        "at": next(fact[1] for fact in facts if fact[0] == "at"),
        "w": whole,
        "p": next(fact[2] for fact in facts if fact[:2] == ("in", whole)),
        "k": task.objects_of(("knife",))[0],
    }
    assert validate(task, plan.format(**words)).verdict == verdict
