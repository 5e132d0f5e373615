"""Short runs on a Dask cluster beside threads of one process, with a worker killed in between.

``pytest -m benchmark tests/benchmarks/test_scale_out.py`` makes 10,000 random walks, with threads and with two
processes of this machine. On a real cluster: ``PDDL2NL_SCALE_CLUSTER=tcp://HOST:8786`` and
``PDDL2NL_SCALE_FOLDER=/shared/folder``, as for ``pddl2nl experiment --cluster``. ``PDDL2NL_SCALE_RUNS=1000`` is
shorter. A worker is killed after a third of them.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pddl2nl.experiments.runs import Job, run_job
from pddl2nl.experiments.sweep import SweepSummary, run_all
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import shipped_task

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark
pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")

RUNS = int(os.environ.get("PDDL2NL_SCALE_RUNS", "10000"))
CLUSTER = os.environ.get("PDDL2NL_SCALE_CLUSTER", "local:2")
# Read here: tests run without variables of this name.
FOLDER = os.environ.get("PDDL2NL_SCALE_FOLDER")
STEPS = 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the records go; on a real cluster all machines must see it."""
    # A new one each time: finished runs would be resumed.
    return Path(tempfile.mkdtemp(dir=FOLDER)) if FOLDER else tmp_path


def jobs() -> list[Job]:
    task = shipped_task("blocksworld", "p01")
    return [run_job(RunSpec.of(task, "random", steps=STEPS, seed=seed)) for seed in range(RUNS)]


def memory() -> float:
    """The memory that this process has, in MB.

    Its peak would be no less than what the process had that started it (``ru_maxrss`` is kept by ``exec``).
    """
    import psutil  # Dask needs it.

    return float(psutil.Process().memory_info().rss / 2**20)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_ten_thousand_short_runs_on_a_cluster(bench: Bench, folder: Path) -> None:
    from pddl2nl.experiments.cluster import open_cluster

    began = time.perf_counter()
    threads = run_all(jobs(), folder / "threads", workers=2)
    seconds_of_threads = time.perf_counter() - began
    killed: list[str] = []
    with open_cluster(CLUSTER) as cluster:

        def kill_one(progress: SweepSummary) -> None:
            if not killed and sum(progress.outcomes.values()) > RUNS / 3:
                killed.append(next(iter(cluster.client.scheduler_info()["workers"])))
                with suppress(Exception):
                    # The call itself is lost with its worker.
                    cluster.client.run(die, workers=killed, wait=False)

        began = time.perf_counter()
        spread = run_all(jobs(), folder / "cluster", cluster=cluster, on_progress=kill_one)
        seconds = time.perf_counter() - began
        of_workers = cluster.client.run(memory)
    assert killed
    assert (spread.outcomes, spread.broken, spread.unfinished) == (threads.outcomes, (), 0)
    bench.ratio(
        f"{RUNS:,} short runs on {CLUSTER}, a worker killed", seconds, "threads of one process", seconds_of_threads
    )
    bench.notes.append(f"memory: {max(of_workers.values()):.0f} MB a worker at most, this process {memory():.0f} MB")
