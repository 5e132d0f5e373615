"""The oracle over all shipped benchmarks, by hand: ``pytest -m benchmark tests/benchmarks/test_oracle_all.py``.

It reads the task back out of the prompt's text, plans on what it read and answers in the wording, so it must solve
every benchmark with every mechanism and without a mistake; the random walk solves few. Of the unsolvable tasks it must
say that there is no plan. Minutes on two cores; failures are reported by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pddl2nl.experiments import RunSpec
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.reports import RunRecord, read_record
from pddl2nl.tasks import Instance, shipped_domain, shipped_domains

pytestmark = pytest.mark.benchmark

MECHANISMS = (("basic", "nl"), ("cot", "nl"), ("act", "nl"), ("react", "nl"), ("basic", "pddl"), ("act", "pddl"))
WORKERS = 2


def _records(
    domain: str, instances: tuple[Instance, ...], folder: Path, *columns: tuple[str, str], seeds: int = 1
) -> list[RunRecord]:
    shipped = shipped_domain(domain)
    jobs = [
        run_job(
            RunSpec.of(
                shipped.task(each.name),
                policy,
                model="oracle",
                wording=str(shipped.wording_path),
                style=style,
                seed=seed,
            ),
            (domain, each.name, policy, style, str(seed)),
        )
        for each in instances
        for policy, style in columns
        for seed in range(1, seeds + 1)
    ]
    summary = run_all(jobs, folder, workers=WORKERS)
    assert not summary.bad, summary.bad
    assert not summary.broken, summary.broken
    records = [read_record(folder / f"{job.name}.jsonl") for job in jobs]
    return [record for record in records if isinstance(record, RunRecord)]


@pytest.mark.parametrize("domain", shipped_domains())
def test_it_solves_every_benchmark_with_every_mechanism(domain: str, needs_planner: None, tmp_path: Path) -> None:
    benchmarks = shipped_domain(domain).benchmarks
    assert len(benchmarks) == 20
    records = _records(domain, benchmarks, tmp_path, *MECHANISMS)
    assert len(records) == len(benchmarks) * len(MECHANISMS)
    failed = {record.id: record.finished.message for record in records if not record.solved or record.finished.mistakes}
    assert not failed


@pytest.mark.parametrize("domain", shipped_domains())
def test_it_says_of_every_unsolvable_task_that_there_is_no_plan(
    domain: str, needs_planner: None, tmp_path: Path
) -> None:
    records = _records(domain, shipped_domain(domain).unsolvable, tmp_path, ("basic", "nl"), ("act", "nl"))
    silent = {
        record.id: record.finished.message
        for record in records
        if record.fault is None or record.fault.status != "claimed-unsolvable"
    }
    assert not silent


def test_the_random_walk_solves_few(needs_planner: None, tmp_path: Path) -> None:
    records = [
        record
        for domain in shipped_domains()
        for record in _records(domain, shipped_domain(domain).benchmarks, tmp_path, ("random", "nl"), seeds=2)
    ]
    solved = sum(record.solved for record in records)
    # The paper's solves 13 of 260.
    assert 0 < solved < 0.2 * len(records)
