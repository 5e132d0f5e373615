"""Connects to a Dask cluster: a running scheduler, or one of Dask's deployments.

A deployment is started and scaled by Dask: processes of this machine, jobs of Slurm or PBS
(https://jobqueue.dask.org), pods of Kubernetes (https://kubernetes.dask.org). What it needs to know (queue, cores,
image) are keyword arguments of Dask's own class, from the table ``[cluster]`` of a specification.

What a worker of a cluster does: it runs jobs in the experiment's folder, by the same rules as a thread.

A run is locked there and resumed where another worker left it. Keys do not travel: a worker takes them from its own
environment.

The runs of an experiment on a Dask cluster: submitted a few at a time, and submitted again when a worker is lost.

All workers must see the folder of the records: each run is locked, resumed and recorded there. So a run may be started
again at any time, and the loss of a worker or a scheduler costs some work and no result.

* A worker dies: Dask gives its runs to other workers, and after some attempts gives up on all of them (`KilledWorker`).
  These are run again last, one at a time; a run that then kills its worker is given up.
* The connection is lost: runs are submitted again as soon as a scheduler answers at the same address. If none answers
  in time, the experiment stops and keeps what is finished.
* A run is executed twice: the second worker finds it locked or finished.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import secrets
import shutil
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple

from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError
from pddl2nl.experiments.models import Access
from pddl2nl.experiments.runs import Done, Job, Left, Result, Stop, Terms, run_one
from pddl2nl.limits import processors
from pddl2nl.llm import public_url
from pddl2nl.llm.endpoint.urls import holds_more
from pddl2nl.policies.budget import Account, Limits, SharedBudget, total

_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")
_PATIENCE = 30.0
_SHORT_LOGS = {"distributed.admin.log-length": 200, "distributed.admin.low-level-log-length": 200}
"""Dask's scheduler keeps its last 10,000 events, which hold whole runs; a local one is part of this process."""
_LOCAL_DEFAULTS = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
"""One run for each process, and no page that others can reach."""
_PRELOAD = "pddl2nl.experiments.cluster"
"""Makes processes of this machine ignore Ctrl-C, which only the experiment handles."""


class Deployment(NamedTuple):
    """A kind of cluster that Dask starts: its class, the extra of pddl2nl with it, and the command that it needs."""

    module: str
    name: str
    extra: str
    command: str | None = None


DEPLOYMENTS: dict[str, Deployment] = {
    "local": Deployment("distributed", "LocalCluster", "cluster"),
    "slurm": Deployment("dask_jobqueue", "SLURMCluster", "cluster", "sbatch"),
    "pbs": Deployment("dask_jobqueue", "PBSCluster", "cluster", "qsub"),
    "kubernetes": Deployment("dask_kubernetes.operator", "KubeCluster", "kubernetes"),
}
"""The deployments by their name in ``--cluster``."""


@dataclass(frozen=True)
class Cluster:
    """A connection to a scheduler by a ``distributed.Client``.

    ``deployed`` was started for this experiment and ends with it, and is to have so many ``workers``; both are None for
    a running scheduler.
    """

    client: Any
    address: str
    deployed: Any = None
    workers: int | None = None


def check_address(address: str) -> None:
    """Raises `InputError` if ``--cluster`` does not accept the address."""
    kind, _, count = address.partition(":")
    if kind == "local" and count:
        if not count.isascii() or not count.isdigit() or int(count) == 0:
            raise InputError(f"--cluster {address}: local:N takes a number of processes from 1; found {count!r}")
    elif address not in DEPLOYMENTS and not address.startswith(_SCHEMES) and not Path(address).is_file():
        raise InputError(
            f"--cluster {address}: neither the address of a scheduler (tcp://HOST:8786), nor the file that one writes "
            f"(dask scheduler --scheduler-file FILE), nor one of {', '.join(DEPLOYMENTS)} (local:N for N processes)"
        )


@contextmanager
def open_cluster(
    address: str, options: Mapping[str, Any] | None = None, workers: int | None = None, *, patience: float = _PATIENCE
) -> Iterator[Cluster]:
    """Connects to a scheduler, or starts a deployment, for as long as the context lasts.

    Args:
        address: ``tcp://HOST:PORT`` or the scheduler's file; ``local`` or ``local:N`` for N processes of this machine;
            ``slurm``, ``pbs`` or ``kubernetes``.
        options: keyword arguments of the deployment's class in Dask; of them ``workers`` is the number to scale to.
        workers: the number to scale to, over that in the options.
        patience: seconds for which a scheduler is waited for, at first and when the connection is lost.

    Raises:
        InputError: a wrong address, or options that Dask's class does not take; `MissingExtraError` where a package is
            missing.
        InfrastructureError: the scheduler cannot be reached, or the deployment does not start.
    """
    check_address(address)
    client_class = _class(Deployment("distributed", "Client", "cluster"), address)
    arguments = dict(options or {})
    in_options = arguments.pop("workers", None)
    scaled = in_options if workers is None else workers
    if scaled is not None and (type(scaled) is not int or scaled < 1):
        raise InputError(f"[cluster] workers: a whole number from 1 was expected; found {scaled!r}")
    # The experiment itself reports lost workers and schedulers.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    kind, _, count = address.partition(":")
    if kind not in DEPLOYMENTS:
        where = {"address": address} if address.startswith(_SCHEMES) else {"scheduler_file": address}
        with _closing(_connect(client_class, address, {**where, "timeout": patience}), 2) as client:
            yield Cluster(client, address)
        return
    size = int(count) if count else scaled or arguments.pop("n_workers", None) or processors()
    with (
        # Processes of this machine that still wait for a reply are killed; jobs elsewhere are to be cancelled.
        _closing(_deploy(DEPLOYMENTS[kind], address, arguments, size), 1 if kind == "local" else 5) as deployed,
        _closing(client_class(deployed, set_as_default=False), 2) as client,
    ):
        if kind != "local":
            deployed.scale(size)
        yield Cluster(client, address, deployed, size)


def _package(deployment: Deployment) -> str:
    return deployment.module.partition(".")[0].replace("_", "-")


def _class(deployment: Deployment, address: str) -> Any:
    handler = signal.getsignal(signal.SIGINT)
    try:
        return getattr(import_module(deployment.module), deployment.name)
    except ImportError as error:
        raise MissingExtraError(_package(deployment), deployment.extra, f"--cluster {address}") from error
    finally:
        # dask_jobqueue, when it is imported, makes Ctrl-C end the process at once.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


@contextmanager
def _closing(opened: Any, seconds: float) -> Iterator[Any]:
    """Closes a client or a deployment, which may be gone already."""
    try:
        yield opened
    finally:
        with suppress(Exception):
            opened.close(timeout=seconds)


def _connect(client_class: Any, address: str, arguments: Mapping[str, Any]) -> Any:
    try:
        return client_class(**arguments, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InfrastructureError(
            f"--cluster {address}: no scheduler answers there ({type(error).__name__}); 'dask scheduler' starts one "
            "and prints its address"
        ) from error
    except (ValueError, KeyError) as error:
        raise InputError(f"--cluster {address}: {error}") from error


def _deploy(deployment: Deployment, address: str, options: dict[str, Any], size: int) -> Any:
    cluster_class = _class(deployment, address)
    if deployment.command is not None and shutil.which(deployment.command) is None:
        raise InfrastructureError(
            f"--cluster {address}: there is no command {deployment.command} here; start the experiment where jobs are "
            "submitted, or give the address of a scheduler"
        )
    if deployment.name == "LocalCluster":
        preload = (*options.get("preload", ()), _PRELOAD)
        options = {**_LOCAL_DEFAULTS, **options, "n_workers": size, "preload": preload}
    try:
        with warnings.catch_warnings(), import_module("dask").config.set(_SHORT_LOGS):
            # Another scheduler on this machine may have the usual port for Dask's own pages already.
            warnings.filterwarnings("ignore", message=r"\s*Port \d+ is already in use")
            return cluster_class(**options)
    except Exception as error:
        # Wrong arguments; some classes find them only when they start, and say so inside another error. KubeCluster
        # raises ValueError where credentials are missing.
        wrong = isinstance(error, TypeError | ValueError) or "TypeError(" in str(error)
        if wrong and not (deployment.name == "KubeCluster" and isinstance(error, ValueError)):
            raise InputError(
                f"[cluster]: {deployment.name} of {_package(deployment)} does not take that: {error}; see its "
                "documentation"
            ) from error
        raise InfrastructureError(f"--cluster {address}: it does not start: {type(error).__name__}: {error}") from error


# ── on a worker ────────────────────────────────────────────────────────────────────────────────────

_LOG = logging.getLogger(__name__)
_LOCK = threading.Lock()
_STOPS: dict[str, Stop] = {}
_ACCESS: dict[tuple[str, float], Access] = {}
"""The access to models from this process, by experiment and share: its runs use the same connections and limiters."""


@dataclass(frozen=True)
class WorkerTerms:
    """What all runs of an experiment share, as sent to the workers.

    Attributes:
        name: of this start of the experiment, no other's.
        address: of the cluster, for messages.
        folder: of the records, absolute; the file ``.cluster-NAME`` in it shows that a worker sees it.
        directory: to which relative paths in jobs refer.
        host: where the experiment was started.
        environment: what must be the same there and on all workers (`environment`).
        access: how models are reached, with the path of the cache; its limits are those of all workers together.
        budget: of all runs.
    """

    name: str
    address: str
    folder: Path
    directory: Path
    host: str
    environment: Mapping[str, str]
    access: Access
    budget: Limits


@dataclass(frozen=True)
class WorkerResult:
    """The result of a run, what was paid for it, and why an endpoint refuses for good, if one does."""

    result: Result
    spent: Account
    refused: str = ""


def environment() -> dict[str, str]:
    """What must be the same in the experiment's process and on all workers, for equal records."""
    endpoint = os.environ.get("OPENAI_BASE_URL")
    return {
        "pddl2nl": metadata.version("pddl2nl"),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "OPENAI_BASE_URL": public_url(endpoint) if endpoint else "not set",
    }


def _check(terms: WorkerTerms) -> None:
    """Raises `InputError` where this process differs from the experiment's."""
    if not (terms.folder / f".cluster-{terms.name}").exists():
        raise InputError(
            f"--cluster {terms.address}: a worker on {platform.node()} does not see {terms.folder}; name a folder by "
            "--out that all machines share"
        )
    here = environment()
    for name, value in terms.environment.items():
        if here[name] != value:
            raise InputError(
                f"--cluster {terms.address}: {name} is {here[name]} on a worker on {platform.node()}, and {value} "
                "where the experiment was started; records would differ"
            )


def dask_setup(worker: object) -> None:
    """Called by Dask when it preloads this module: makes the worker ignore Ctrl-C at the terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def halt(name: str, reason: str, now: bool, searches: bool) -> None:
    """Starts no further run of an experiment here; with ``now``, also stops running ones.

    ``searches`` says whether planners are killed as well, those of all experiments on this worker.
    """
    _stop_of(name).request(reason, now=now, interrupted=True)
    if searches:
        stop_searches()


def _stop_of(name: str) -> Stop:
    with _LOCK:
        return _STOPS.setdefault(name, Stop())


def run_on_worker(packed: bytes, terms: WorkerTerms, share: float, already: Account) -> WorkerResult:
    """Runs a pickled job on this worker.

    ``share`` is the part of the limits per minute that this process may use, ``already`` what all runs have spent.

    Raises:
        InputError: this process does not see the folder, or has another version or endpoint.
    """
    _check(terms)
    with suppress(OSError):
        os.chdir(terms.directory)
    job: Job = pickle.loads(packed)
    stop = _stop_of(terms.name)
    budget = SharedBudget(terms.budget, already)
    result = run_one(job, Terms(terms.folder, _access(terms, share), stop, budget))
    if isinstance(result, Left) and result.how == "bad":
        where = f"reported by a worker on {platform.node()}: keys do not travel, so they must be set there"
        result = Left("bad", f"{result.message} ({where})")
    return WorkerResult(result, budget.spent, (stop.reason or "") if stop.refused else "")


def _access(terms: WorkerTerms, share: float) -> Access:
    cache, here = terms.access.cache, platform.node()
    if isinstance(cache, Path) and here != terms.host:
        # A cache for each machine: SQLite's write-ahead log works on one machine only.
        cache = cache.with_name(f"{cache.stem}-{here}{cache.suffix}")
    with _LOCK:
        access = replace(terms.access, cache=cache, share=share, warn=_LOG.warning, made={})
        return _ACCESS.setdefault((terms.name, share), access)


# ── in the process of the experiment ───────────────────────────────────────────────────────────────

_LOCKED_PATIENCE = 100.0
"""Seconds for which a locked run is tried again: another worker may run it still, and a network file system takes a
minute and a half to notice that a machine is gone which held a lock."""
_AHEAD = 2
"""Submitted runs per thread of a worker, so that none is idle."""
_LOOK_AGAIN = 2.0
"""Seconds between two looks at the workers, or two attempts of a locked run."""
_SCALE_AGAIN = 15.0
"""Seconds between two requests for workers that are missing of a deployment."""
_TRANSFER = 2.0
"""Seconds that a result is waited for: it may be lost with its worker, and is then made again while others come."""
_TICK = 0.02


@dataclass
class _ClusterRun:
    """A job on the cluster.

    Attributes:
        future: a ``distributed.Future``; None while the job waits to be submitted.
        suspect: whether its workers died, so that it is submitted alone.
        not_before: when it may be submitted; ``give_up_at``: until when it is tried again that is locked.
    """

    job: Job
    packed: bytes
    future: Any = None
    suspect: bool = False
    not_before: float = 0.0
    give_up_at: float = 0.0


class ClusterRuns:
    """Runs jobs on the workers of a cluster; has the interface of `pddl2nl.experiments.sweep.Threads`.

    Raises:
        InputError: the workers do not see the folder, are of another version, or would ask another endpoint.
        InfrastructureError: nothing can be written in the folder, or the scheduler is gone.
    """

    def __init__(self, cluster: Cluster, terms: Terms):
        self._cluster = cluster
        self._client = cluster.client
        self._terms = terms
        self._runs: dict[str, _ClusterRun] = {}
        self._refused: list[tuple[Job, Result]] = []
        self._ended = threading.Event()
        self._threads = self._processes = 0
        self._stopping = False
        self._looked = self._scaled = float("-inf")
        access = terms.access
        cache = access.cache if access.cache is None or isinstance(access.cache, Path) else access.cache.path
        models_file = access.models_file or os.environ.get("PDDL2NL_MODELS")
        self._worker_terms = WorkerTerms(
            name=secrets.token_hex(6),
            address=cluster.address,
            folder=terms.folder.resolve(),
            directory=Path.cwd(),
            host=platform.node(),
            environment=environment(),
            access=replace(
                access,
                cache=None if cache is None else cache.resolve(),
                models_file=Path(models_file).resolve() if models_file else None,
                warn=_no_warning,
                made={},
            ),
            budget=terms.budget.limits,
        )
        self._token = self._worker_terms.folder / f".cluster-{self._worker_terms.name}"
        try:
            self._token.write_text("shows the workers of a cluster that they see this folder\n", encoding="utf-8")
        except OSError as error:
            raise InfrastructureError(f"cannot write in {terms.folder}: {error.strerror}") from error

    @property
    def submitted(self) -> int:
        return len(self._runs) + len(self._refused)

    @property
    def room(self) -> int:
        """How many more jobs may be submitted now; at least one if none is running."""
        # Runs that other processes seem to run wait without keeping others from being submitted.
        return max(1, _AHEAD * self._threads) - sum(not run.give_up_at for run in self._runs.values())

    @property
    def note(self) -> str:
        return "" if self._threads or not self._runs else "waiting for workers"

    def submit(self, job: Job) -> None:
        """Adds a job, which `receive` hands out."""
        from distributed.protocol.pickle import dumps

        base_url = job.base_url
        if base_url is not None and holds_more(base_url):
            message = (
                f"base_url ({public_url(base_url)}) holds a user, a password or a query, and secrets do not travel to "
                "a cluster; leave base_url out, and set OPENAI_BASE_URL here and where the workers run"
            )
            self._refused.append((job, Left("bad", message)))
            return
        # It also takes a model that was made in a notebook.
        pack: Any = dumps
        try:
            self._runs[job.name] = _ClusterRun(job, pack(job))
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            message = f"it cannot travel to a cluster: {error}; a model that is named (--model) can"
            self._refused.append((job, Left("bad", message)))

    def receive(self, seconds: float) -> tuple[Job, Result] | None:
        """The next result; None if none came within so many seconds."""
        deadline = time.monotonic() + seconds
        while not self._refused:
            self._look_at_workers()
            for run in [*self._runs.values()]:
                result = self._result(run)
                if result is not None:
                    self._drop(run)
                    return run.job, result
            if time.monotonic() >= deadline:
                return None
            # A run that ends is seen at once; what has no end of its own, such as a lost scheduler, a moment later.
            self._ended.wait(_TICK)
            self._ended.clear()
        return self._refused.pop()

    def stop(self, now: bool) -> None:
        """Takes back the runs that no worker has begun; with ``now``, also cancels running ones."""
        if now or not self._stopping:
            self._stopping = True
            self._halt()
        if now:
            with suppress(Exception):
                self._client.cancel([run.future for run in self._runs.values() if run.future is not None], force=True)

    def close(self) -> None:
        for run in [*self._runs.values()]:
            self._drop(run)
        self._token.unlink(missing_ok=True)

    # ── the workers ──────────────────────────────────────────────────────────────────────────────

    def _look_at_workers(self) -> None:
        if self._client.status in ("closed", "closing"):
            raise InfrastructureError(
                f"--cluster {self._cluster.address}: the scheduler is gone and has not come back; what is finished is "
                "kept"
            )
        if time.monotonic() < self._looked + _LOOK_AGAIN or self._client.status != "running":
            return
        self._looked = time.monotonic()
        # A connection that is lost here shows in the client's status.
        with suppress(OSError, TimeoutError):
            threads = self._client.nthreads()
            self._threads, self._processes = sum(threads.values()), len(threads)
            if self._stopping:
                # Workers that have come since do not know yet.
                self._halt()
            wanted = self._cluster.workers
            if wanted is not None and len(threads) < wanted and time.monotonic() > self._scaled + _SCALE_AGAIN:
                # Dask starts what is missing of a deployment when it is told the number again.
                self._scaled = time.monotonic()
                self._cluster.deployed.scale(wanted)

    def _halt(self) -> None:
        """Tells the workers to stop; unreachable ones have nothing to stop."""
        stop, owned = self._terms.stop, self._cluster.deployed is not None
        if self._client.status == "running":
            arguments = (self._worker_terms.name, stop.reason or "stopped", stop.now, stop.now and owned)
            with suppress(Exception):
                self._client.run(halt, *arguments, on_error="ignore", wait=True)

    # ── a run ────────────────────────────────────────────────────────────────────────────────────

    def _result(self, run: _ClusterRun) -> Result | None:
        """The result of a run; submits it where it waits for that, also once more."""
        if run.future is None or run.future.status in ("cancelled", "lost"):
            run.future = None
            if self._stopping:
                return Left("unfinished")
            ready = self._threads and self._client.status == "running" and time.monotonic() >= run.not_before
            others = (other for other in self._runs.values() if other is not run)
            # One whose workers died runs when all others wait as well.
            if ready and (not run.suspect or all(other.suspect and other.future is None for other in others)):
                budget = self._terms.budget
                spent, share = total([budget.already, budget.spent]), 1.0 / max(1, self._processes)
                arguments = run.packed, self._worker_terms, share, spent
                run.future = self._client.submit(run_on_worker, *arguments, pure=False)
                run.future.add_done_callback(lambda _: self._ended.set())
            return None
        if run.future.status == "pending":
            # No worker is left to return what was submitted.
            return Left("unfinished") if self._stopping and not self._threads else None
        return self._fetched(run)

    def _fetched(self, run: _ClusterRun) -> Result | None:
        from distributed import CancelledError, KilledWorker

        try:
            ended: WorkerResult = run.future.result(timeout=_TRANSFER)
        except (OSError, TimeoutError, CancelledError):
            # The connection was lost while the result was on its way; its state will say so.
            return None
        except KilledWorker:
            if run.suspect:
                message = "all workers died that ran it, also when it was alone; their logs may say why (memory?)"
                return Left("broken", message)
            run.suspect, run.future = True, None
            return None
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 — a worker's error concerns only this run
            return Left("broken", f"on the cluster: {type(error).__name__}: {error}")
        if ended.refused:
            self._terms.stop.request(ended.refused, refused=True)
        result = ended.result
        # A run that was finished already was executed twice, or by another process since we began: it counts as well.
        twice = isinstance(result, Done) and result.earlier
        self._terms.budget.add(total(result.end.spent.values()) if isinstance(result, Done) and twice else ended.spent)
        if isinstance(result, Left) and result.how == "elsewhere" and not self._stopping:
            now = time.monotonic()
            run.give_up_at = run.give_up_at or now + _LOCKED_PATIENCE
            if now < run.give_up_at:
                run.future, run.not_before = None, now + _LOOK_AGAIN
                return None
        return result

    def _drop(self, run: _ClusterRun) -> None:
        del self._runs[run.job.name]
        if run.future is not None:
            with suppress(Exception):
                run.future.release()


def _no_warning(message: str) -> None:
    """Workers log their own warnings."""
