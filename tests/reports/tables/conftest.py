"""Experiments made by hand: a layout, and in every cell runs of which a given number is solved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, Place, TableLayout
from pddl2nl.policies.paper import Paper
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.summaries import BrokenLink, RunSummary

Key = tuple[int, int]
Builder = Callable[..., Gathered]


def columns() -> tuple[LayoutColumn, ...]:
    """Two mechanisms on told tasks, one on PDDL, a walk and a planner."""
    model = {"model": "m", "style": "nl", "wording": "llm"}
    return (
        LayoutColumn("Bas", "NL", "model", "basic", **model),
        LayoutColumn("Act", "NL", "model", "act", **model),
        LayoutColumn("Act", "PDDL", "model", "act", "m", "pddl"),
        LayoutColumn("rnd", "Symb.", "walk", "random"),
        LayoutColumn("FF", "Symb.", "planner", "ff"),
    )


def run(name: str, row: LayoutRow, column: LayoutColumn, task: str, seed: int | None, outcome: str) -> RunSummary:
    """A run with its coverage, and tokens where a model was asked: 100 for each letter of the column's label."""
    values = {} if outcome == "infrastructure-error" else {"coverage": float(outcome == "solved")}
    if values and column.kind == "model":
        values |= {"planner-prompt-tokens": 100.0 * len(column.label), "steps": 4.0}
    link = None if outcome == "solved" else BrokenLink(outcome, ("clear",) if outcome == "inapplicable" else ())
    return RunSummary(
        name,
        Path(f"{name}.jsonl"),
        f"{row.label}-{row.section}" if row.section else row.label,
        task,
        f"{row.label} {row.section} {task}",
        row.label,
        task,
        5,
        column.policy,
        column.model,
        column.style,
        column.wording,
        seed=seed,
        outcome=outcome,
        link=link,
        message=f"why {name}" if outcome == "infrastructure-error" else "",
        values=values,
    )


def build(
    rows: Sequence[LayoutRow],
    heads: Sequence[LayoutColumn],
    solved: Mapping[Key, float | None],
    *,
    tables: Sequence[LayoutTable] = (),
    seeds: Mapping[str, int] | None = None,
    broken: Sequence[str] = (),
    missing: Sequence[str] = (),
    outcome: str = "inapplicable",
) -> Gathered:
    """An experiment in which, of every cell, so many tasks are solved, in the mean over the seeds.

    Args:
        rows, heads: of the layout.
        solved: by row and column; a cell that is not there is not run.
        tables: that are asked for.
        seeds: by column label, else 1; planners have one run a task.
        broken, missing: names of runs, ``r0c1t02s1``: row, column, task, seed.
        outcome: of what is not solved.
    """
    runs: dict[str, RunSummary] = {}
    cells: dict[Place, tuple[RunSummary, ...]] = {}
    places: dict[str, tuple[Place, ...]] = {}
    for (row, column), count in solved.items():
        head = heads[column]
        number = 1 if head.kind == "planner" else (seeds or {}).get(head.label, 1)
        # The mean over the seeds: each of them solves the first tasks, the last ones one task less.
        total = round((count or 0) * number)
        here = []
        for seed in range(1, number + 1):
            first = total // number + (seed <= total % number)
            for task in range(rows[row].tasks):
                name = f"r{row}c{column}t{task:02}s{seed}"
                places[name] = (Place(row, column),)
                if name in missing:
                    continue
                ended = "infrastructure-error" if name in broken else "solved" if task < first else outcome
                named = None if head.kind == "planner" else seed
                runs[name] = run(name, rows[row], head, f"p{task:02}", named, ended)
                here.append(runs[name])
        cells[Place(row, column)] = tuple(here)
    layout = TableLayout("made", tuple(heads), tuple(rows), places, tuple(tables))
    return Gathered(None, layout, runs, tuple(missing), cells=cells)


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
    """The columns of a small experiment; see `columns`."""
    return columns()


@pytest.fixture
def experiment() -> Gathered:
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
        columns(),
        counts,
        tables=(LayoutTable("coverage", paper="table-2"), LayoutTable("runs", columns=("NL Act", "PDDL Act"))),
        seeds={"NL Bas": 5, "NL Act": 5, "PDDL Act": 5, "Symb. rnd": 10},
        broken=("r1c2t03s2",),
        missing=("r3c1t01s5",),
    )
