"""What a worker of a cluster does: it runs jobs in the experiment's folder, by the same rules as a thread.

A run is locked there and resumed where another worker left it. Keys do not travel: a worker takes them from its own
environment.
"""

from __future__ import annotations

import logging
import os
import pickle
import platform
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import Job
from pddl2nl.experiments.run_one import Left, Result, Stop, Terms, run_one
from pddl2nl.llm import public_url
from pddl2nl.policies.budget import Account, Limits, SharedBudget

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
    """Runs a job on this worker.

    Args:
        packed: the job, pickled.
        terms: what it has in common with others.
        share: the part of the limits per minute that this process may use.
        already: what all runs have spent so far, of the budget.

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
