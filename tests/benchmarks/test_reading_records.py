"""Ten thousand records, gathered for a report: ``pytest -m benchmark tests/benchmarks/test_reading_records.py``.

The bound is fifteen seconds on two cores, half of what a report over as many runs may take, pages and all; the times
are printed with ``-s``. Episodes are those of Act on Blocksworld, of twelve turns with eleven mistakes.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.experiments.records.writer import RecordWriter
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports.gathering import gather
from pddl2nl.reports.html import write_html
from pddl2nl.reports.live import LiveFolder
from pddl2nl.tasks import shipped_task
from tests.records import changed

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
    for number in range(RECORDS):
        task, column = number % TASKS, number // TASKS % 4
        problem = record.started.problem_pddl.replace("(define (problem ", f"(define (problem t{task}-", 1)
        named = {"task": f"t{task}", "problem": f"t{task}-{record.started.problem}", "policy": f"act{column}"}
        started = changed(record.started, **named, seed=number // (4 * TASKS), problem_pddl=problem)
        with RecordWriter(folder / f"t{task:03}-act{column}-{number}.jsonl") as writer:
            for event in (started, *record.events[1:]):
                writer.write(event)
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


def test_the_live_list_of_ten_thousand_runs_opens_in_a_second_and_a_half_and_a_refresh_costs_little(
    folder: Path,
) -> None:
    found = LiveFolder(folder)
    times = []
    for name in ("", "more"):
        if name:
            (folder / f"{name}.jsonl.partial").write_text("", encoding="utf-8")
        began = time.process_time()
        found.refresh()
        times.append(time.process_time() - began)
    (folder / "more.jsonl.partial").unlink()
    print(f"opened in {times[0]:.2f} s of CPU; with one record more in {1000 * times[1]:.0f} ms")  # noqa: T201
    assert sum(run.outcome == "budget" for run in found.runs.values()) == RECORDS
    assert times[0] < 1.5
    assert times[1] < 0.1
