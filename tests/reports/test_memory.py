"""How much memory a report takes for each record: nothing of its events, and what many runs have in common once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, Place, TableLayout, write_layout
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.experiments.runs import run_spec
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.tasks import shipped_task
from tests.records import changed

FEW, MANY, TASKS = 240, 1_440, 20


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[int], Path]:
    """Makes the folder of an experiment with so many random walks on twenty tasks."""
    first = tmp_path / "first.jsonl"
    run_spec(RunSpec.of(shipped_task("blocksworld", "p01"), "random", steps=4, record=first))
    started, *others = read_record(first).events

    def made(number: int) -> Path:
        folder = tmp_path / f"of-{number}"
        names = [f"blocksworld-{run % TASKS:02}-random-{run}" for run in range(number)]
        for run, name in enumerate(names):
            with RecordWriter(folder / f"{name}.jsonl") as writer:
                for event in (changed(started, task=f"t{run % TASKS}", seed=run // TASKS), *others):
                    writer.write(event)
        column, row = LayoutColumn("walk", kind="walk", policy="random"), LayoutRow("blocksworld", tasks=TASKS)
        write_layout(folder, TableLayout("mine", (column,), (row,), dict.fromkeys(names, (Place(0, 0),))))
        return folder

    return made


def _peaks(folder: Path) -> tuple[int, int]:
    """The most memory, in bytes, while records are gathered, and while their pages are written."""
    tracemalloc.start()
    found = gather(folder, workers=1)
    assert len(found.runs) == len(found.layout.runs)
    gathered = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    # The pages of runs are made by other processes.
    write_html(found, folder / "report", plots=False, workers=2)
    written = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return gathered, written


@pytest.mark.heavy
def test_a_record_costs_little_memory_of_a_report(recorded: Callable[[int], Path]) -> None:
    folders = [recorded(FEW), recorded(MANY)]
    # What is read once, the task and the templates, is not counted.
    write_html(gather(folders[0], workers=1), folders[0] / "report", plots=False, workers=1)
    few, many = map(_peaks, folders)
    gathered, written = ((most - least) / (MANY - FEW) for least, most in zip(few, many, strict=True))
    assert gathered < 900
    assert written < 1_100
