"""References: the file they stand in, which task they are of, and what a run's record holds of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.tasks import ShippedDomain, authored_domains, shipped_domain
from pddl2nl.tasks.reference_files import ReferenceBlock, ReferenceWay, TaskReference, read_references
from pddl2nl.tasks.references import reference_of, references_of
from pddlval import Simulator, validate
from tests.editing import edited

KITCHEN = shipped_domain("kitchen")


def _block(name: str) -> ReferenceBlock:
    return ReferenceBlock(f"do {name}", f"(done {name})", (f"(start {name})", f"(end {name})"))


def _way(order: tuple[tuple[int, int], ...], tied: tuple[tuple[int, int], ...]) -> ReferenceWay:
    return ReferenceWay("a way", tuple(map(_block, "abcd")), order, tied, "hmax")


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────


def test_tied_blocks_are_made_one_and_keep_their_order() -> None:
    merged = _way(((0, 1), (1, 2), (0, 3)), ((1, 2),)).merged()
    assert [block.macro for block in merged.blocks] == ["do a", "do b; do c", "do d"]
    assert merged.blocks[1].goal == "(and (done b) (done c))"
    assert merged.blocks[1].actions == ("(start b)", "(end b)", "(start c)", "(end c)")
    assert merged.order == ((0, 1), (0, 2))
    assert merged.tied == ()
    assert (merged.name, merged.proof) == ("a way", "hmax")


def test_what_a_record_holds_is_json_and_has_all_steps() -> None:
    for reference in KITCHEN.references:
        said = json.loads(json.dumps(reference.to_json("constructive")))
        assert set(said) == {*("task", "title", "complexity", "form", "text", "ways", "averaged", "length_counted")}
        assert said["text"] == reference.texts["constructive"]
        for way, told in zip(reference.ways, said["ways"], strict=True):
            assert [action for block in told["blocks"] for action in block["actions"]] == list(way.plan)
            assert all(0 <= first < second < len(told["blocks"]) for first, second in told["order"])
            assert set(told) == {"name", "blocks", "order", "proof"}


@pytest.mark.parametrize(
    ("shipped", "reference"),
    [
        pytest.param(shipped, reference, id=f"{shipped.name}-{reference.instance}")
        for shipped in map(shipped_domain, authored_domains())
        for reference in shipped.references
    ],
)
def test_the_plans_of_a_task_are_valid_and_its_goal_does_not_hold_at_first(
    shipped: ShippedDomain, reference: TaskReference
) -> None:
    task = shipped.task(reference.instance)
    simulator = Simulator(task)
    assert not simulator.is_goal(simulator.initial)
    assert reference.ways
    for way in reference.ways:
        assert validate(task, "\n".join(way.plan)).verdict == "valid"


# ── which task ───────────────────────────────────────────────────────────────────────────────────


def _of(task: str) -> Any:
    return next(reference for reference in KITCHEN.references if reference.task == task)


def test_tasks_are_known_by_domain_text_and_problem() -> None:
    assert references_of(KITCHEN.domain) == KITCHEN.references
    assert references_of(shipped_domain("ferry").domain) == ()
    assert reference_of(KITCHEN.task("t05bis")) == _of("T5bis")


# ── the file ─────────────────────────────────────────────────────────────────────────────────────

TASK: dict[str, Any] = {
    "task": "T1",
    "instance": "t01",
    "role": "benchmark",
    "title": "Serve tea",
    "complexity": "high",
    "objects": 3,
    "averaged": True,
    "length_counted": False,
    "texts": {"goal": "I want tea."},
    "ways": [
        {
            "name": "the only way",
            "blocks": [
                {"macro": "Boil", "goal": "(hot k)", "actions": ["(boil k)"]},
                {"macro": "Pour", "goal": "(full c)", "actions": ["(lift k)", "(pour k c)"]},
            ],
            "order": [[0, 1]],
            "tied": [],
            "proof": "blind",
            "note": "with milk",
        }
    ],
}


DATA: dict[str, Any] = {"format": 1, "domain": "tea", "tasks": [TASK]}


def _written(folder: Path, data: dict[str, Any] = DATA) -> Path:
    path = folder / "tasks.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_file_is_read(tmp_path: Path) -> None:
    [reference] = read_references(_written(tmp_path))
    assert (reference.task, reference.instance, reference.role, reference.objects) == ("T1", "t01", "benchmark", 3)
    assert (reference.averaged, reference.length_counted, reference.length) == (True, False, 3)
    [way] = reference.ways
    assert way.plan == ("(boil k)", "(lift k)", "(pour k c)")
    assert (way.order, way.tied, way.proof, way.note) == (((0, 1),), (), "blind", "with milk")


CHANGES: list[tuple[str, Any, str]] = [
    ("format", 2, "format is 2; expected one of 1"),
    ("tasks", ..., "tasks is missing"),
    ("tasks", {}, "tasks is {}; expected a list"),
    ("tasks", [TASK, TASK], "two tasks have the task 'T1'"),
    ("tasks.0.task", ..., r"tasks\[0\].task is missing"),
    ("tasks.0.complexity", "low", r"tasks\[0\].complexity is 'low'; expected one of high, moderate"),
    ("tasks.0.objects", "3", r"tasks\[0\].objects is '3'; expected a whole number"),
    ("tasks.0.texts", {}, "texts has no 'goal'"),
    ("tasks.0.texts.poem", "O tea", r"tasks\[0\].texts: Invalid enum value 'poem'"),
    ("tasks.0.texts.goal", " ", "goal is empty"),
    ("tasks.0.ways", [], "a task needs at least one way of reaching its goal"),
    (
        "tasks.0.ways.0.order",
        [[1, 0]],
        r"order has \[1, 0\]; expected two places of the 2 blocks, from 0 and ascending",
    ),
    ("tasks.0.ways.0.order", [[0, 2]], r"order has \[0, 2\]; expected two places of the 2"),
    ("tasks.0.ways.0.tied", [[0, 1], [0, 1]], "tied: block 1 follows two blocks directly"),
    ("tasks.0.ways.0.proof", "sure", r"tasks\[0\].ways\[0\].proof is 'sure'; expected one of best known"),
    ("tasks.0.ways.0.blocks.1.actions", [3], r"tasks\[0\].ways\[0\].blocks\[1\].actions\[0\] is 3; expected a text"),
]


@pytest.mark.parametrize(("path", "value", "message"), CHANGES)
def test_a_file_that_breaks_the_format_is_refused_with_the_place(
    path: str, value: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        read_references(_written(tmp_path, edited(DATA, path, value)))
