"""Runs on a Dask cluster whose workers are killed: the records are those of threads that nothing disturbed."""

from __future__ import annotations

import json
import pickle
import platform
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError
from pddl2nl.experiments import cluster as module
from pddl2nl.experiments.batch_passes import BatchPasses
from pddl2nl.experiments.cluster import WorkerTerms, check_address, environment, halt, open_cluster, run_on_worker
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.reader import read_end
from pddl2nl.experiments.runs import run_job
from pddl2nl.experiments.sweep import run_all
from pddl2nl.llm import OpenAIModel
from pddl2nl.pddl import load_task
from pddl2nl.policies.budget import Account, Limits
from pddl2nl.policies.spec import RunSpec
from tests.experiments.conftest import planner_job
from tests.llm.chat_server import ChatServer


@pytest.fixture(scope="module")
def local():
    """A cluster of two processes on this machine."""
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    with open_cluster("local:2") as cluster:
        yield cluster


@pytest.fixture
def task(lamps):
    return load_task(*lamps)


@pytest.fixture
def jobs(task, lamps):
    """A function: runs of four policies that ask a server, some walks, and whatever else."""

    def made(server, seeds=range(3), walks=2):
        asking = [
            run_job(RunSpec.of(task, policy, model="m", example="none", steps=5, seed=seed, base_url=server.base_url))
            for policy in ("basic", "cot", "act", "react")
            for seed in seeds
        ]
        walking = [run_job(RunSpec.of(task, "random", steps=5, seed=seed)) for seed in range(walks)]
        return [*asking, *walking]

    return made


# ── addresses and deployments ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("address", ["local:0", "local:x", "local:٣", "host:8786", "slurm:3", "no/such/file", ""])
def test_what_it_cannot_be_is_said_with_what_it_can(address):
    with pytest.raises(InputError, match="--cluster"):
        check_address(address)


@pytest.mark.parametrize(("kind", "extra"), [("local", "cluster"), ("slurm", "cluster"), ("kubernetes", "kubernetes")])
def test_a_missing_package_is_named_with_what_installs_it(kind, extra, monkeypatch):
    absent = module.DEPLOYMENTS[kind]._replace(module="no_such_package.of_dask")
    monkeypatch.setitem(module.DEPLOYMENTS, kind, absent)
    monkeypatch.setattr(module.shutil, "which", lambda name: "/usr/bin/" + name)
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    with pytest.raises(MissingExtraError, match=rf"pip install 'pddl2nl\[{extra}\]'"), open_cluster(kind):
        pass


def test_kubernetes_gets_its_options_and_what_it_lacks_is_no_bad_input(monkeypatch):
    """A stand-in for dask-kubernetes, with what its class was seen to do where there is no Kubernetes."""
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")

    class KubeCluster:
        _instances: ClassVar = set()

        def __init__(self, image):
            self._instances.add(image)
            raise ValueError("Unable to find valid credentials")

    stand_in = SimpleNamespace(KubeCluster=KubeCluster)
    monkeypatch.setitem(sys.modules, "dask_kubernetes", SimpleNamespace(operator=stand_in))
    monkeypatch.setitem(sys.modules, "dask_kubernetes.operator", stand_in)
    with (
        pytest.raises(InfrastructureError, match=r"^--cluster kubernetes: it does not start: .*valid credentials$"),
        open_cluster("kubernetes", {"image": "a/b", "workers": 2}),
    ):
        pass
    with (
        pytest.raises(InputError, match=r"^\[cluster\]: KubeCluster of dask-kubernetes does not take that: .*imaage"),
        open_cluster("kubernetes", {"imaage": "a/b"}),
    ):
        pass


def test_where_no_jobs_can_be_submitted_that_is_said(monkeypatch):
    pytest.importorskip("dask_jobqueue", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    with pytest.raises(InfrastructureError, match="no command sbatch here"), open_cluster("slurm"):
        pass


@pytest.mark.heavy
def test_ctrl_c_is_heard_as_before_when_a_deployment_was_loaded():
    pytest.importorskip("dask_jobqueue", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    code = (
        "import signal\n"
        "from pddl2nl.experiments import cluster\n"
        "cluster._class(cluster.DEPLOYMENTS['slurm'], 'slurm')\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_options_that_dask_does_not_take_and_a_number_that_is_none_are_bad_input(monkeypatch):
    pytest.importorskip("dask_jobqueue", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    monkeypatch.setattr(module.shutil, "which", lambda name: "/usr/bin/" + name)
    with pytest.raises(InputError, match=r"^\[cluster\]: PBSCluster of dask-jobqueue does not take that: .*coers"):
        open_cluster("pbs", {"coers": 4, "cores": 1, "memory": "1GB"}).__enter__()
    with pytest.raises(InputError, match=r"^\[cluster\]: SLURMCluster of dask-jobqueue does not take that: .*cores"):
        open_cluster("slurm", {"workers": 4}).__enter__()
    with pytest.raises(InputError, match=r"^\[cluster\] workers: a whole number from 1 was expected; found 'many'"):
        open_cluster("slurm", {"workers": "many"}).__enter__()


def test_a_scheduler_that_does_not_answer_is_infrastructure():
    pytest.importorskip("distributed", reason="Dask is absent: pip install 'pddl2nl[cluster]'")
    with pytest.raises(InfrastructureError, match=r"tcp://127\.0\.0\.1:9: no scheduler answers there"):
        open_cluster("tcp://127.0.0.1:9", patience=0.2).__enter__()


def test_batches_and_a_cluster_exclude_each_other(tmp_path):
    batch = BatchPasses(Access(cache=tmp_path / "cache.sqlite"))
    with pytest.raises(InputError, match="--provider-batch with --cluster"):
        run_all([], tmp_path, batch=batch, cluster=object())


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_planners_budgets_refusals_and_what_cannot_travel(local, jobs, lamps, whimsical, tmp_path, settled):
    with ChatServer(whimsical(short=0.0)) as server:
        planned = planner_job(*lamps)
        locked = run_job(RunSpec.of(load_task(*lamps), "act", model=Locked(), example="none", seed=77))
        todo = [planned, locked, *jobs(server)]
        summary = run_all(todo, tmp_path / "runs", access=Access(), budget=Limits(calls=7), cluster=local)
        assert summary.stopped == "the limit of 7 calls is reached"
        assert [trouble.run for trouble in summary.bad] == [locked.name]
        assert "it cannot travel to a cluster" in summary.bad[0].message
        assert summary.spent.calls == len(server.calls) >= 7
        assert summary.unfinished > 0
        assert read_end(tmp_path / "runs" / f"{planned.name}.jsonl").outcome == "solved"
        run_all([planned], tmp_path / "here")
        name = f"{planned.name}.jsonl"
        assert settled(tmp_path / "runs" / name) == settled(tmp_path / "here" / name)
        rest = run_all([planned, *jobs(server)], tmp_path / "runs", access=Access(), cluster=local)
        assert (rest.unfinished, rest.already.calls) == (0, summary.spent.calls)


class Locked:
    """A model that no process can send to another one."""

    name = "locked"

    def __init__(self):
        self.lock = threading.Lock()

    def complete(self, request):
        raise AssertionError(request)


@pytest.fixture
def terms(tmp_path):
    """What travels with every run."""
    (tmp_path / ".cluster-start").touch()
    return WorkerTerms("start", "local", tmp_path, Path.cwd(), "elsewhere", environment(), Access(), Limits())


def test_a_run_that_is_executed_twice_at_once_is_run_once(task, terms, whimsical):
    with ChatServer(whimsical(), delay=0.05) as server:
        job = run_job(RunSpec.of(task, "act", model="m", example="none", steps=5, seed=3, base_url=server.base_url))
        found = []

        def work():
            found.append(run_on_worker(pickle.dumps(job), terms, 1.0, Account()))

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(type(ended.result).__name__ for ended in found) == ["Done", "Left"]
        calls = len(server.calls)
        again = run_on_worker(pickle.dumps(job), terms, 1.0, Account())
        assert again.result.earlier
        assert len(server.calls) == calls == max(ended.spent.calls for ended in found)


def test_a_missing_key_is_reported_with_the_worker(task, terms, monkeypatch):
    job = run_job(RunSpec.of(task, "act", model="gpt-4o", example="none", base_url="https://models.example/v1"))
    assert b"sk-never" not in pickle.dumps(job)
    monkeypatch.delenv("OPENAI_API_KEY")
    ended = run_on_worker(pickle.dumps(job), terms, 1.0, Account())
    assert ended.result.how == "bad"
    assert "OPENAI_API_KEY" in ended.result.message
    assert "keys do not travel" in ended.result.message


def test_workers_divide_the_limits_a_minute_keep_a_cache_each_and_record_the_whole_limit(
    task, terms, tmp_path, whimsical, monkeypatch
):
    made = []
    init = OpenAIModel.__init__
    monkeypatch.setattr(OpenAIModel, "__init__", lambda self, *a, **k: (init(self, *a, **k), made.append(self))[0])
    settings = tmp_path / "models.toml"
    settings.write_text("[models.m]\ntokens_per_minute = 90000\n", encoding="utf-8")
    cache = tmp_path / "cache" / "r.sqlite"
    access = Access(cache=cache, models_file=settings, requests_per_minute=6e6)
    terms = replace(terms, name="divided", access=access)
    (tmp_path / ".cluster-divided").touch()
    with ChatServer(whimsical()) as server:
        job = run_job(RunSpec.of(task, "basic", model="m", example="none", base_url=server.base_url))
        assert run_on_worker(pickle.dumps(job), terms, 0.25, Account()).result.end.outcome
    assert made[-1].settings.requests_per_minute == 1.5e6
    assert made[-1].settings.tokens_per_minute == 22500
    first = json.loads((tmp_path / f"{job.name}.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["model_settings"]["tokens_per_minute"] == 90000
    # On another machine than that of the experiment.
    assert [path.name for path in cache.parent.glob("*.sqlite")] == [f"r-{platform.node()}.sqlite"]


def test_a_halted_worker_begins_nothing(task, terms):
    job = run_job(RunSpec.of(task, "random", steps=3))
    halt("halted", "interrupted", now=False, searches=False)
    (terms.folder / ".cluster-halted").touch()
    assert run_on_worker(pickle.dumps(job), replace(terms, name="halted"), 1.0, Account()).result.how == "unfinished"
    assert run_on_worker(pickle.dumps(job), terms, 1.0, Account()).result.end.outcome


def test_workers_that_would_ask_another_endpoint_are_refused(local, jobs, tmp_path, monkeypatch, whimsical):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:s3cret@there.example/v1")
    with ChatServer(whimsical()) as server, pytest.raises(InputError) as refused:
        run_all(jobs(server), tmp_path / "runs", cluster=local)
    assert "OPENAI_BASE_URL is not set on a worker on" in str(refused.value)
    assert "and http://there.example/v1 where the experiment was started" in str(refused.value)
    assert not [*(tmp_path / "runs").iterdir()]


def test_a_worker_that_differs_or_does_not_see_the_folder_refuses(task, terms, tmp_path):
    packed = pickle.dumps(run_job(RunSpec.of(task, "random", steps=3)))
    with pytest.raises(InputError, match=r"--cluster local: pddl2nl is .* on a worker on .*, and 0\.0 where"):
        run_on_worker(packed, replace(terms, environment={"pddl2nl": "0.0"}), 1.0, Account())
    with pytest.raises(InputError, match=r"does not see .*; name a folder by --out that all machines share"):
        run_on_worker(packed, replace(terms, folder=tmp_path / "another"), 1.0, Account())


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("url", ["https://u:sesame@host/v1", "https://host/v1?key=sesame"])
def test_an_address_with_a_secret_does_not_travel(url, local, task, tmp_path):
    job = run_job(RunSpec.of(task, "act", model="m", example="none", steps=5, base_url=url))
    (trouble,) = run_all([job], tmp_path / "runs", cluster=local).bad
    assert trouble.message.startswith("base_url (https://host/v1) holds ")
    assert "OPENAI_BASE_URL" in trouble.message
    assert "sesame" not in trouble.message
