"""Clusters that lose workers by the dozen, their scheduler, or a run's worker each time: ``pytest -m heavy``."""

from __future__ import annotations

import os
import random
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from pddl2nl.experiments import cluster as cluster_runs
from pddl2nl.experiments.cluster import open_cluster
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.pddl import load_task
from pddl2nl.policies.spec import RunSpec
from tests.experiments.conftest import planner_job
from tests.llm.chat_server import ChatServer

pytestmark = pytest.mark.heavy
pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")

KILLS = 8
SEED = 7


@pytest.fixture
def task(lamps):
    return load_task(*lamps)


@pytest.fixture
def jobs(task):
    """A function: so many runs, most of which ask a server."""

    def made(server, count):
        asking = [
            run_job(RunSpec.of(task, policy, model="m", example="none", steps=8, seed=seed, base_url=server.base_url))
            for seed in range(count // 5)
            for policy in ("basic", "cot", "act", "react")
        ]
        return [*asking, *(run_job(RunSpec.of(task, "random", steps=5, seed=seed)) for seed in range(count // 5))]

    return made


def test_eight_killed_workers_change_no_record(jobs, same_records, whimsical, tmp_path):
    dice, killed = random.Random(SEED), []
    over = threading.Event()
    with ChatServer(whimsical(), delay=0.02) as server, open_cluster("local:3") as cluster:
        todo = jobs(server, 150)

        def kill():
            while len(killed) < KILLS and not over.wait(dice.uniform(0.1, 0.4)):
                alive = [nanny.pid for nanny in [*cluster.deployed.workers.values()] if nanny.pid is not None]
                if alive:
                    killed.append(dice.choice(alive))
                    with suppress(ProcessLookupError):
                        os.kill(killed[-1], signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        summary = run_all(todo, tmp_path / "killed", access=Access(cache=tmp_path / "a"), cluster=cluster)
        over.set()
        killer.join()
        server.delay = 0.0
        whole = run_all(todo, tmp_path / "whole", access=Access(cache=tmp_path / "b"))
    assert len(killed) == KILLS, "the runs were over too soon"
    assert (summary.outcomes, summary.broken, summary.unfinished) == (whole.outcomes, (), 0)
    same_records(tmp_path / "killed", tmp_path / "whole", 150)


# ── schedulers ───────────────────────────────────────────────────────────────────────────────────


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _listens(port) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _started(tmp_path, *arguments):
    with (tmp_path / "dask.log").open("ab") as log:
        command = [sys.executable, "-m", "dask", *map(str, arguments)]
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, cwd=tmp_path)


def _killed(process):
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def _scheduler(tmp_path, port):
    """A scheduler and two workers as somebody else would start them; gives the list of their processes."""
    address = f"tcp://127.0.0.1:{port}"
    arguments = ("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show")
    processes = [_started(tmp_path, *arguments)]
    worker = ("worker", address, "--nworkers", 2, "--nthreads", 2, "--no-dashboard", "--local-directory", tmp_path)

    def again():
        processes.append(_started(tmp_path, *arguments))
        processes.append(_started(tmp_path, *worker))

    processes.append(_started(tmp_path, *worker))
    while not _listens(port):
        assert processes[0].poll() is None, (tmp_path / "dask.log").read_text(encoding="utf-8")
        time.sleep(0.05)
    try:
        yield processes, again, address
    finally:
        for process in processes:
            _killed(process)


def test_a_scheduler_that_is_restarted_changes_no_record(jobs, same_records, whimsical, tmp_path):
    with (
        ChatServer(whimsical(), delay=0.02) as server,
        _scheduler(tmp_path, _free_port()) as (processes, again, address),
    ):
        todo = jobs(server, 100)
        restarted = []

        def restart(progress):
            if progress.ended > 40 and not restarted:
                restarted.append(progress.ended)
                _killed(processes[0])
                again()

        with open_cluster(address, patience=60) as cluster:
            summary = run_all(todo, tmp_path / "restarted", cluster=cluster, access=Access(), on_progress=restart)
        server.delay = 0.0
        whole = run_all(todo, tmp_path / "whole", access=Access())
    assert restarted
    assert (summary.outcomes, summary.broken, summary.unfinished) == (whole.outcomes, (), 0)
    same_records(tmp_path / "restarted", tmp_path / "whole", 100)


def test_a_scheduler_that_is_gone_stops_the_experiment_with_one_message_and_what_is_finished_stays(
    jobs, same_records, whimsical, tmp_path
):
    with ChatServer(whimsical(), delay=0.02) as server, _scheduler(tmp_path, _free_port()) as (processes, _, address):
        todo = jobs(server, 100)

        def kill(progress):
            if progress.ended > 20:
                for process in processes:
                    _killed(process)

        with open_cluster(address, patience=3) as cluster:
            summary = run_all(todo, tmp_path / "gone", cluster=cluster, access=Access(), on_progress=kill)
        assert (summary.refused, summary.exit_code) == (True, 3)
        assert "the scheduler is gone and has not come back" in summary.stopped
        assert summary.unfinished > 0
        assert len([*(tmp_path / "gone").glob("*.jsonl")]) >= 20
        # Gone on with, by threads this time.
        assert run_all(todo, tmp_path / "gone", access=Access()).unfinished == 0
        run_all(todo, tmp_path / "whole", access=Access())
    for lock in (tmp_path / "gone").glob("*.lock"):
        lock.unlink()
    same_records(tmp_path / "gone", tmp_path / "whole", 100)


# ── workers ──────────────────────────────────────────────────────────────────────────────────────


class Deadly:
    """A model whose first call ends the process."""

    name = "deadly"

    def complete(self, request):
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError(request)


def test_a_run_that_kills_its_workers_is_given_up_and_costs_no_other(jobs, task, whimsical, tmp_path):
    import cloudpickle
    import dask

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    deadly = run_job(RunSpec.of(task, "act", model=Deadly(), example="none"))
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), ChatServer(whimsical()) as server:
        todo = [deadly, *jobs(server, 20)]
        with open_cluster("local:2") as cluster:
            summary = run_all(todo, tmp_path / "runs", access=Access(), cluster=cluster)
    assert [trouble.run for trouble in summary.broken] == [deadly.name]
    assert "all workers died that ran it, also when it was alone" in summary.broken[0].message
    assert (sum(summary.outcomes.values()), summary.exit_code) == (20, 3)


SBATCH = """#!{python}
import subprocess, sys
log = open({jobs!r} + ".log", "ab")
process = subprocess.Popen(["/bin/sh", sys.argv[-1]], stdout=log, stderr=log, start_new_session=True)
open({jobs!r}, "a").write(f"{{process.pid}}\\n")
print(f"Submitted batch job {{process.pid}}")
"""
SCANCEL = """#!{python}
import os, signal, sys
for job in sys.argv[1:]:
    try:
        os.killpg(int(job), signal.SIGKILL)
    except ProcessLookupError:
        pass
"""


@pytest.mark.usefixtures("needs_planner")
def test_jobs_of_slurm_play_the_runs_and_one_that_ends_is_replaced(
    jobs, lamps, same_records, whimsical, tmp_path, monkeypatch
):
    """With a ``sbatch`` that starts what it is given at once, on this machine."""
    pytest.importorskip("dask_jobqueue", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    started = tmp_path / "started"
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        command = tmp_path / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(text.format(python=sys.executable, jobs=str(started)), encoding="utf-8")
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    options = {"workers": 2, "cores": 1, "memory": "1GB", "interface": "lo", "python": sys.executable}
    monkeypatch.setattr(cluster_runs, "_SCALE_AGAIN", 0.2)
    dask = pytest.importorskip("dask")
    quick = dask.config.set({"distributed.deploy.lost-worker-timeout": "200ms"})
    with ChatServer(whimsical(), delay=0.05) as server, quick:
        todo = [planner_job(*lamps), *jobs(server, 60)]
        killed = []

        def kill(progress):
            if progress.ended > 10 and not killed:
                for pid in map(int, started.read_text(encoding="utf-8").split()):
                    # On a loaded machine the first may have been replaced already.
                    with suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)
                        killed.append(pid)
                        break

        with open_cluster("slurm", {**options, "log_directory": str(tmp_path)}) as cluster:
            summary = run_all(todo, tmp_path / "runs", access=Access(), cluster=cluster, on_progress=kill)
        whole = run_all(todo, tmp_path / "whole", access=Access())
    for job in started.read_text(encoding="utf-8").split():
        with suppress(ProcessLookupError):
            os.killpg(int(job), signal.SIGKILL)
    assert killed
    assert len(started.read_text(encoding="utf-8").split()) >= 3
    assert (summary.outcomes, summary.broken, summary.unfinished) == (whole.outcomes, (), 0)
    same_records(tmp_path / "runs", tmp_path / "whole", 61)
