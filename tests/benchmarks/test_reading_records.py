"""Ten thousand records, gathered for a report: ``pytest -m benchmark tests/benchmarks/test_reading_records.py``.

The bound is fifteen seconds on two cores, half of what a report over as many runs may take, pages and all; the times
are printed with ``-s``. Episodes are those of Act on Blocksworld, of twelve turns with eleven mistakes.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.events import event_to_json
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.tasks import shipped_task

pytestmark = pytest.mark.benchmark

RECORDS = 10_000
TASKS = 250
SECONDS = 15.0
REPORT_SECONDS = 30.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten thousand episodes on 250 tasks that differ in their names, in four columns."""
    folder = tmp_path_factory.mktemp("records")
    model = ScriptedModel(["Action: look around", "Action: stack it", *["Action: unstack b from a"] * 10])
    first = folder / "first.jsonl"
    run_spec(RunSpec.of(shipped_task("blocksworld", "p10"), "act", model=model, steps=12, example="none", record=first))
    record = read_record(first)
    assert isinstance(record, RunRecord)
    first.unlink()
    rest = "".join(json.dumps(event_to_json(event)) + "\n" for event in record.events[1:])
    for number in range(RECORDS):
        task, column = number % TASKS, number // TASKS % 4
        problem = record.started.problem_pddl.replace("(define (problem ", f"(define (problem t{task}-", 1)
        started = replace(
            record.started, task=f"t{task}", policy=f"act{column}", seed=number // (4 * TASKS), problem_pddl=problem
        )
        text = json.dumps(event_to_json(started)) + "\n" + rest
        (folder / f"t{task:03}-act{column}-{number}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_ten_thousand_records_are_gathered_in_fifteen_seconds(folder: Path) -> None:
    began = time.perf_counter()
    found = gather(folder, workers=2)
    seconds = time.perf_counter() - began
    size = sum(path.stat().st_size for path in folder.iterdir()) / RECORDS / 1000
    print(f"{RECORDS} records of {size:.0f} kB in {seconds:.1f} s")  # noqa: T201
    assert len(found.runs) == RECORDS
    assert [row.tasks for row in found.layout.rows] == [TASKS]
    assert seconds < SECONDS


def test_a_report_of_all_pages_takes_thirty_seconds(folder: Path, tmp_path: Path) -> None:
    began = time.perf_counter()
    index = write_html(gather(folder, workers=2), tmp_path / "report", workers=2)
    seconds = time.perf_counter() - began
    pages = sum(1 for _ in (index.parent / "runs").iterdir())
    print(f"{pages} pages and an index of {index.stat().st_size / 1e6:.1f} MB in {seconds:.1f} s")  # noqa: T201
    assert pages == TASKS
    assert seconds < REPORT_SECONDS
