"""Ten thousand records, gathered for a report: ``pytest -m benchmark tests/benchmarks/test_reading_records.py``.

The peer is pandas, which reads the same files and judges nothing. Episodes are those of Act on Blocksworld, of twelve
turns with eleven mistakes.
"""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

RECORDS = 10_000
TASKS = 250
READ_BY_PANDAS = 1_000
"""So many files; the time for all is in proportion."""


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


def spent() -> float:
    """The CPU time of this process and of those that it started and waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.fixture(scope="module")
def pandas_seconds(folder: Path) -> float:
    """The CPU time that pandas takes to read all records into tables."""
    pandas = pytest.importorskip("pandas", reason="pandas is absent: pip install 'pddl2nl[frames]'")
    pandas.read_json(min(folder.iterdir()), lines=True)
    began = spent()
    for path in sorted(folder.iterdir())[:READ_BY_PANDAS]:
        pandas.read_json(path, lines=True)
    return (spent() - began) * RECORDS / READ_BY_PANDAS


def test_gathering_ten_thousand_records(folder: Path, pandas_seconds: float, bench: Bench) -> None:
    began = spent()
    found = gather(folder, workers=2)
    seconds = spent() - began
    assert len(found.runs) == RECORDS
    assert [row.tasks for row in found.layout.rows] == [TASKS]
    what = f"gathering {RECORDS:,} records for a report, each judged again, CPU time"
    assert bench.ratio(what, seconds, "pandas.read_json of each", pandas_seconds) > 1


def test_the_pages_of_ten_thousand_records(folder: Path, tmp_path: Path, pandas_seconds: float, bench: Bench) -> None:
    began = spent()
    index = write_html(gather(folder, workers=2), tmp_path / "report", workers=2)
    seconds = spent() - began
    assert sum(1 for _ in (index.parent / "runs").iterdir()) == TASKS
    bench.ratio(f"pages of {RECORDS:,} records, CPU time", seconds, "pandas.read_json of each", pandas_seconds)


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
