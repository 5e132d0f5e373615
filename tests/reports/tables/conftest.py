"""Experiments made by hand: a layout, and in every cell runs of which a given number is solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable
from pddl2nl.policies.paper import Paper
from pddl2nl.reports.gathering import Gathered
from tests.records import experiment

Key = tuple[int, int]
Builder = Callable[..., Gathered]


def build(
    rows: Sequence[LayoutRow],
    heads: Sequence[LayoutColumn],
    solved: Mapping[Key, float],
    *,
    seeds: Mapping[str, int] | None = None,
    broken: Sequence[str] = (),
    missing: Sequence[str] = (),
    tables: Sequence[LayoutTable] = (),
) -> Gathered:
    """An experiment in which, of every cell, so many tasks are solved, in the mean over the seeds.

    Args:
        rows, heads: of the layout.
        solved: by row and column; a cell that is not there is not run.
        seeds: by column label, else 1; planners have one run a task.
        broken, missing: names of runs, ``r0c1t02s1``: row, column, task, seed.
        tables: that are asked for.
    """

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> Any:
        place = (rows.index(row), heads.index(column))
        number = (seeds or {}).get(column.label, 1)
        if place not in solved or task >= row.tasks or (seed or 1) > number:
            return "absent"
        name = f"r{place[0]}c{place[1]}t{task:02}s{seed or 1}"
        if name in missing or name in broken:
            return "missing" if name in missing else "broken"
        # Each seed solves the first tasks, the last ones one task less.
        total = round(solved[place] * number)
        values: dict[str, Any] = {
            "link": "inapplicable",
            "coverage": float(task < total // number + ((seed or 1) <= total % number)),
        }
        if column.kind == "model":
            values |= {"planner-prompt-tokens": 100.0 * len(column.label), "steps": 4.0}
        return values

    most = max((seeds or {}).values(), default=1)
    return experiment(heads, rows, result, max(row.tasks for row in rows), range(1, most + 1), tables)


@pytest.fixture(autouse=True)
def own_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paper of these tests stands in the place of those of systems."""
    paper = msgspec.toml.decode((Path(__file__).parent / "paper.toml").read_bytes(), type=Paper)
    monkeypatch.setattr(
        "pddl2nl.reports.tables.grid.paper_tables", lambda: {table.paper: table for table in paper.tables}
    )
    monkeypatch.setattr("pddl2nl.reports.tables.grid.papers", lambda: {"made": paper})


@pytest.fixture(name="build")
def build_fixture() -> Builder:
    """Makes an experiment; see `build`."""
    return build


@pytest.fixture
def heads() -> tuple[LayoutColumn, ...]:
    """Two mechanisms on told tasks, one on PDDL, a walk and a planner."""
    model = {"model": "m", "style": "nl", "wording": "llm"}
    return (
        LayoutColumn("Bas", "NL", "model", "basic", **model),
        LayoutColumn("Act", "NL", "model", "act", **model),
        LayoutColumn("Act", "PDDL", "model", "act", "m", "pddl"),
        LayoutColumn("rnd", "Symb.", "walk", "random"),
        LayoutColumn("FF", "Symb.", "planner", "ff"),
    )


@pytest.fixture(name="experiment")
def small_experiment(heads: tuple[LayoutColumn, ...]) -> Gathered:
    """Blocksworld with a hand-written text, ferry, and a scaled set; five seeds, a broken and a missing run."""
    rows = (
        LayoutRow("blocksworld", "primary", "", 4),
        LayoutRow("ferry", "primary", "", 4),
        LayoutRow("blocksworld", "primary", "PlanBench", 4),
        LayoutRow("ferry", "scaled", "", 2),
    )
    counts = {
        (0, 0): 2.4, (0, 1): 3.2, (0, 2): 3.2, (0, 3): 0.1, (0, 4): 4,
        (1, 0): 1, (1, 1): 3, (1, 2): 2, (1, 3): 0, (1, 4): 4,
        (2, 0): 2, (2, 1): 1.6,
        (3, 0): 0, (3, 1): 0, (3, 2): 0, (3, 3): 0, (3, 4): 2,
    }  # fmt: skip
    return build(
        rows,
        heads,
        counts,
        tables=(LayoutTable("coverage", paper="table-2"), LayoutTable("runs", columns=("NL Act", "PDDL Act"))),
        seeds={"NL Bas": 5, "NL Act": 5, "PDDL Act": 5, "Symb. rnd": 10},
        broken=("r1c2t03s2",),
        missing=("r3c1t01s5",),
    )
