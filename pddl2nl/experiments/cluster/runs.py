"""The runs of an experiment on a Dask cluster: submitted a few at a time, and submitted again when a worker is lost.

A run may be started again at any time, because finished records are found and partial ones resumed. So the loss of a
worker or a scheduler, and a run that is executed twice, cost some work and no result.

* A worker dies: Dask gives its runs to other workers, and after some attempts gives up on all of them (`KilledWorker`).
  These are played again last, one at a time; a run that then kills its worker is given up.
* The connection is lost: runs are submitted again as soon as a scheduler answers at the same address. If none answers
  in time, the experiment stops and keeps what is finished.
* A run is executed twice: it is locked in the folder, and the second worker finds it finished or tries again later.
"""

from __future__ import annotations

import os
import pickle
import platform
import queue
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pddl2nl.baselines import TaskTexts
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.cluster import Cluster
from pddl2nl.experiments.cluster.worker import Errand, Played, Sight, files_of, halt, keep_files, play_there, sight
from pddl2nl.experiments.jobs import Job, PlannerSpec
from pddl2nl.experiments.records.writer import claimed
from pddl2nl.experiments.run_one import Done, Left, Result, Terms, record_path
from pddl2nl.llm import public_url
from pddl2nl.llm.settings import load_catalogue
from pddl2nl.llm.urls import holds_more
from pddl2nl.policies.budget import total

__all__ = ["ClusterRuns", "check_workers"]


def check_workers(address: str, token: Path, seen: Mapping[str, Sight | BaseException]) -> tuple[Sight, ...]:
    """The views of the workers that are still connected.

    Args:
        address: of the cluster, for the message.
        token: the file that shows the folder of the records.
        seen: what each worker says of itself, or why it cannot.

    Raises:
        InputError: a worker is without pddl2nl, has another version, or would ask another endpoint.
    """
    here = sight(str(token))
    found: list[Sight] = []
    for worker, there in seen.items():
        if isinstance(there, OSError | TimeoutError):
            # It could not be reached: it has died since it was counted.
            continue
        if isinstance(there, BaseException):
            raise InputError(
                f"--cluster {address}: the worker {worker} cannot run pddl2nl: "
                f"{type(there).__name__}: {there}; install pddl2nl {here.versions[0]} where the workers run"
            )
        if there.versions != here.versions:
            raise InputError(
                f"--cluster {address}: the worker {worker} has pddl2nl {there.versions[0]} on Python "
                f"{there.versions[1]}, and here it is {here.versions[0]} on Python {here.versions[1]}; records "
                "would differ, and jobs may not be readable"
            )
        if there.variables != here.variables:
            said = [
                f"{name} is {that or 'not set'} there and {this or 'not set'} here"
                for (name, this), (_, that) in zip(here.variables, there.variables, strict=True)
                if this != that
            ]
            raise InputError(
                f"--cluster {address}: {', '.join(said)} (worker {worker}); set it where the workers "
                "run, or name base_url in the specification"
            )
        found.append(there)
    return tuple(found)


def travelling(job: Job) -> Job:
    """The job with the content of its files, or their absolute paths.

    Raises:
        InputError: a file that cannot be read, or an address that holds what must not travel.
    """
    spec = job.spec
    if not isinstance(spec, PlannerSpec) and spec.base_url is not None and holds_more(spec.base_url):
        raise InputError(
            f"base_url ({public_url(spec.base_url)}) holds a user, a password or a query, and secrets do not travel to "
            "a cluster; leave base_url out, and set OPENAI_BASE_URL here and where the workers run"
        )
    if isinstance(spec, PlannerSpec):
        if spec.texts is not None:
            return job
        try:
            texts = TaskTexts(spec.domain.read_text(encoding="utf-8"), spec.problem.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}") from error
        return Job(job.name, replace(spec, texts=texts))
    changed: dict[str, Any] = {
        name: Path(value).resolve()
        for name in ("example", "example_plan")
        if isinstance(value := getattr(spec, name), str | Path) and value != "none"
    }
    return Job(job.name, replace(spec, **changed)) if changed else job


def settings_text(models_file: Path | None) -> str | None:
    """The settings by model as a text that may be sent to workers.

    Raises:
        InputError: the file cannot be read, or holds a secret, which must not travel.
    """
    path = models_file or os.environ.get("PDDL2NL_MODELS")
    if not path:
        return None
    catalogue = load_catalogue(path)
    for name in catalogue.names():
        settings = catalogue.of(name)
        if settings.base_url is not None and holds_more(settings.base_url):
            raise InputError(
                f"{path}: the base_url of {name} holds a user, a password or a query, and secrets do not travel to a "
                "cluster; set OPENAI_BASE_URL here and where the workers run instead"
            )
        for header, value in settings.headers.items():
            if "$" not in value and settings.secret_header(header):
                raise InputError(
                    f"{path}: the header {header} of {name} holds a secret as it stands, and secrets do not travel to "
                    'a cluster; write "$VARIABLE" there, and set that variable where the workers run'
                )
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


_AHEAD = 2
"""Submitted runs per running one, so that no worker is idle."""
_LOOK_AGAIN = 2.0
"""Seconds between two looks at how many workers there are."""
_SCALE_AGAIN = 15.0
"""Seconds between two requests for workers that are missing of a deployment."""
_PATIENCE = 100.0
"""Seconds for which a run is tried again that somebody is at: a network file system takes a minute and a half to
notice that a machine is gone which held a lock."""
_TRANSFER = 0.5
"""Seconds for which a result is waited for at first, and each time half as long again: it may be lost with its worker,
and is then made again while others come."""
_LOST = ("cancelled", "lost")


@dataclass
class _Going:
    """A submitted run. ``held`` holds its lock if the worker does not; ``suspect``: its workers died, so it is
    submitted alone; ``transfer``: seconds to wait for its result.
    """

    job: Job
    packed: bytes
    attempt: int = 0
    suspect: bool = False
    transfer: float = _TRANSFER
    # A ``distributed.Future``.
    future: Any = None
    held: ExitStack = field(default_factory=ExitStack)


class ClusterRuns:
    """An `Executor` whose runs are played by the workers of a cluster.

    Raises:
        InputError: the workers are of another version, or would ask another endpoint.
        InfrastructureError: the folder refuses, or the scheduler is gone.
    """

    patience = _PATIENCE

    def __init__(self, cluster: Cluster, terms: Terms):
        self._cluster = cluster
        self._client = cluster.client
        self._terms = terms
        self._going: dict[str, _Going] = {}
        self._ready: list[tuple[Job, Result]] = []
        self._events: queue.SimpleQueue[tuple[str, int] | None] = queue.SimpleQueue()
        self._threads = self._processes = 0
        self._looked = float("-inf")
        self._winding = False
        self._errand: Errand | None = None
        self._scaled = time.monotonic()
        self._settings = settings_text(terms.access.models_file)
        name = f"0{secrets.token_hex(6)}"
        self._name, self._token = name, terms.folder / f".cluster-{name}"
        try:
            self._token.write_text("shows workers of a cluster that they see this folder\n", encoding="utf-8")
        except OSError as error:
            raise InfrastructureError(f"cannot write in {terms.folder}: {error.strerror}") from error

    # ── as an executor ───────────────────────────────────────────────────────────────────────────

    @property
    def going(self) -> int:
        """The number of submitted runs without a result."""
        return len(self._going) + len(self._ready)

    @property
    def playing(self) -> int:
        """The number of runs that workers can play now."""
        return min(len(self._going), self._threads)

    @property
    def room(self) -> int:
        """The number of runs to submit now; at least one if none is running."""
        self._look()
        return max(1, _AHEAD * self._threads) - self.going

    @property
    def note(self) -> str:
        """Whether there are workers."""
        return "" if self._threads or not self._going else "waiting for workers"

    def submit(self, job: Job) -> None:
        """Submits a run."""
        from distributed.protocol.pickle import dumps

        # It takes a model that was made in a notebook as well.
        pack: Any = dumps
        try:
            going = _Going(job, pack(travelling(job)))
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            message = f"it cannot travel to a cluster: {error}; a model that is named (--model) can"
            self._ready.append((job, Left("bad", message)))
            return
        except InputError as error:
            self._ready.append((job, Left("bad", str(error))))
            return
        self._going[job.name] = going
        if self._errand is not None:
            self._hand_out(going)

    def receive(self, seconds: float) -> tuple[Job, Result] | None:
        """A result, or None."""
        if self._ready:
            return self._ready.pop()
        self._look()
        self._lost()
        self._suspected()
        if self._winding and not self._threads:
            # No worker is left to return the submitted runs.
            for going in [*self._going.values()]:
                self._give_back(going, Left("unfinished"))
        try:
            event = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        handed = None if event is None else self._going.get(event[0])
        if event is None or handed is None or handed.attempt != event[1]:
            return None
        result = self._result(handed)
        if result is None:
            return None
        self._forget(handed)
        return handed.job, result

    def wake(self) -> None:
        """Ends the wait of `receive`."""
        self._events.put(None)

    def wind_down(self) -> None:
        """Takes back the runs that no worker has begun."""
        if not self._winding:
            self._winding = True
            self._halt(now=self._terms.stop.now)

    def abandon(self, grace: float) -> None:
        """Stops the workers and cancels their runs."""
        self._halt(now=True)
        futures = [going.future for going in self._going.values() if going.future is not None]
        with suppress(Exception):
            self._client.cancel(futures, force=True)

    def close(self) -> None:
        """Releases all locks."""
        for going in [*self._going.values()]:
            self._forget(going)
        self._token.unlink(missing_ok=True)

    # ── the workers ──────────────────────────────────────────────────────────────────────────────

    def _look(self) -> None:
        """The number of workers; the first ones are checked."""
        if time.monotonic() < self._looked + _LOOK_AGAIN or self._client.status != "running":
            return
        try:
            threads = self._client.nthreads()
            self._threads, self._processes = sum(threads.values()), len(threads)
            if self._errand is None and threads:
                seen = check_workers(self._cluster.address, self._token, self._seen([*threads]))
                if not seen:
                    return
                self._errand = self._errand_for(seen)
                for going in [*self._going.values()]:
                    self._hand_out(going)
        except (OSError, TimeoutError):
            # The connection is lost: seen by the state of the client.
            return
        if self._winding:
            # Who has come since does not know yet.
            self._halt(now=self._terms.stop.now)
        wanted = self._cluster.workers
        if wanted is not None and len(threads) < wanted and time.monotonic() > self._scaled + _SCALE_AGAIN:
            # Dask starts what is missing of a deployment when it is told the number again.
            self._scaled = time.monotonic()
            self._cluster.deployed.scale(wanted)
        self._looked = time.monotonic() if self._errand is not None else float("-inf")

    def _seen(self, workers: list[str]) -> dict[str, Sight | BaseException]:
        try:
            seen: dict[str, Sight | BaseException] = self._client.run(
                sight, str(self._token.resolve()), workers=workers, on_error="return"
            )
        except (OSError, TimeoutError):
            raise
        except Exception as error:  # noqa: BLE001 — a worker without our modules does not even know what to answer
            return {workers[0]: error}
        return seen

    def _errand_for(self, seen: Sequence[Sight]) -> Errand:
        access = self._terms.access
        cache = access.cache if access.cache is None or isinstance(access.cache, Path) else access.cache.path
        return Errand(
            name=self._name,
            folder=str(self._terms.folder.resolve()),
            token=self._token.name,
            carried=not all(there.shared for there in seen),
            host=platform.node(),
            cache=None if cache is None else str(cache.resolve()),
            cache_needed=access.cache_needed,
            requests_per_minute=access.requests_per_minute,
            tokens_per_minute=access.tokens_per_minute,
            settings=self._settings,
            budget=self._terms.budget.limits,
        )

    def _halt(self, now: bool) -> None:
        """Tells the workers to stop; unreachable ones have nothing to stop."""
        if self._client.status != "running":
            return
        reason, owned = self._terms.stop.reason or "stopped", self._cluster.deployed is not None
        with suppress(Exception):
            self._client.run(halt, self._name, reason, now, now and owned, on_error="ignore", wait=True)

    # ── a run ────────────────────────────────────────────────────────────────────────────────────

    def _hand_out(self, going: _Going) -> None:
        job, errand = going.job, self._errand
        assert errand is not None
        files: dict[str, bytes] = {}
        if errand.carried:
            if going.attempt == 0 and not going.held.enter_context(claimed(record_path(self._terms.folder, job))):
                self._give_back(going, Left("elsewhere"))
                return
            files = files_of(self._terms.folder, job)
        going.attempt += 1
        attempt, budget = going.attempt, self._terms.budget
        going.future = self._client.submit(
            play_there,
            going.packed,
            errand,
            1.0 / max(1, self._processes),
            total([budget.already, budget.spent]),
            files,
            key=f"pddl2nl-{self._name}-{job.name}-{attempt}",
            pure=False,
        )
        going.future.add_done_callback(lambda future: self._events.put((job.name, attempt)))

    def _result(self, going: _Going) -> Result | None:
        """The result of a run; None if it is submitted again."""
        future = going.future
        if future is None or future.status in _LOST:
            return None
        try:
            played: Any = future.result(timeout=going.transfer)
        except (OSError, TimeoutError):
            # The connection was lost while the result was on its way; its state will say so.
            going.transfer *= 1.5
            self._events.put((going.job.name, going.attempt))
            return None
        except Exception as error:  # noqa: BLE001 — a worker's error concerns only this run
            return self._failed(going, error)
        return self._taken(going, played)

    def _failed(self, going: _Going, error: Exception) -> Result | None:
        from distributed import CancelledError, KilledWorker

        if isinstance(error, CancelledError):
            return None
        if not isinstance(error, KilledWorker):
            return Left("broken", f"on the cluster: {type(error).__name__}: {error}")
        if going.suspect:
            return Left(
                "broken", "all workers died that played it, also when it was alone; their logs may say why (memory?)"
            )
        going.suspect, going.future = True, None
        return None

    def _taken(self, going: _Going, played: Played) -> Result:
        """Books the costs and keeps the files of a worker's run."""
        result = played.result
        if isinstance(result, Done) and result.earlier:
            # Played twice, or by another process since we began: what it cost counts in the folder's budget.
            self._terms.budget.add(result.end.spent)
        else:
            self._terms.budget.add(played.spent)
        if played.refused:
            self._terms.stop.wish(played.refused, refused=True)
        carried = self._errand is not None and self._errand.carried
        # A worker that came late and does not see the folder knows nothing of what the run had left there before.
        if played.files is not None and (carried or isinstance(result, Done)):
            try:
                keep_files(self._terms.folder, going.job, played.files)
            except OSError as error:
                return Left("broken", f"cannot write the record {going.job.name}: {error.strerror}")
        return result

    def _lost(self) -> None:
        """Submits runs again that were lost with the connection, once there is one."""
        status = self._client.status
        if status in ("closed", "closing"):
            raise InfrastructureError(
                f"--cluster {self._cluster.address}: the scheduler is gone and has not come back; what is finished is "
                "kept"
            )
        if status != "running":
            return
        for going in [*self._going.values()]:
            if going.future is not None and going.future.status in _LOST:
                if self._terms.stop.reason is None:
                    self._hand_out(going)
                else:
                    self._give_back(going, Left("unfinished"))

    def _suspected(self) -> None:
        """Submits one run whose workers died, if no other run is active."""
        if self._errand is None or any(going.future is not None or not going.suspect for going in self._going.values()):
            return
        for going in [*self._going.values()][:1]:
            if self._terms.stop.reason is None:
                self._hand_out(going)
            else:
                self._give_back(going, Left("unfinished"))

    def _give_back(self, going: _Going, result: Result) -> None:
        self._forget(going)
        self._ready.append((going.job, result))

    def _forget(self, going: _Going) -> None:
        self._going.pop(going.job.name, None)
        going.held.close()
        if going.future is not None:
            with suppress(Exception):
                going.future.release()
