"""The runs of an experiment on a Dask cluster: submitted a few at a time, and submitted again when a worker is lost.

All workers must see the folder of the records: each run is locked, resumed and recorded there. So a run may be started
again at any time, and the loss of a worker or a scheduler costs some work and no result.

* A worker dies: Dask gives its runs to other workers, and after some attempts gives up on all of them (`KilledWorker`).
  These are run again last, one at a time; a run that then kills its worker is given up.
* The connection is lost: runs are submitted again as soon as a scheduler answers at the same address. If none answers
  in time, the experiment stops and keeps what is finished.
* A run is executed twice: the second worker finds it locked or finished.
"""

from __future__ import annotations

import os
import pickle
import platform
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.cluster import Cluster
from pddl2nl.experiments.cluster.worker import WorkerResult, WorkerTerms, environment, halt, run_on_worker
from pddl2nl.experiments.jobs import Job
from pddl2nl.experiments.run_one import Done, Left, Result, Terms
from pddl2nl.llm import public_url
from pddl2nl.llm.endpoint.urls import holds_more
from pddl2nl.policies.budget import total

_PATIENCE = 100.0
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
        """The number of jobs whose results were not received yet."""
        return len(self._runs) + len(self._refused)

    @property
    def room(self) -> int:
        """How many more jobs may be submitted now; at least one if none is running."""
        # Runs that other processes seem to run wait without keeping others from being submitted.
        return max(1, _AHEAD * self._threads) - sum(not run.give_up_at for run in self._runs.values())

    @property
    def note(self) -> str:
        """Whether there are workers."""
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
            time.sleep(_TICK)
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
        """Forgets all runs."""
        for run in [*self._runs.values()]:
            self._drop(run)
        self._token.unlink(missing_ok=True)

    # ── the workers ──────────────────────────────────────────────────────────────────────────────

    def _look_at_workers(self) -> None:
        """Counts the workers, and asks for missing ones."""
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
            if ready and (not run.suspect or self._is_alone(run)):
                self._hand_out(run)
            return None
        if run.future.status == "pending":
            # No worker is left to return what was submitted.
            return Left("unfinished") if self._stopping and not self._threads else None
        return self._fetched(run)

    def _is_alone(self, run: _ClusterRun) -> bool:
        """Whether all other runs wait as well, because their workers died."""
        return all(other.suspect and other.future is None for other in self._runs.values() if other is not run)

    def _hand_out(self, run: _ClusterRun) -> None:
        budget = self._terms.budget
        spent, share = total([budget.already, budget.spent]), 1.0 / max(1, self._processes)
        run.future = self._client.submit(run_on_worker, run.packed, self._worker_terms, share, spent, pure=False)

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
            run.give_up_at = run.give_up_at or now + _PATIENCE
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
