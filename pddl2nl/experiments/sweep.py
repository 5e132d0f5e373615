"""Many runs at once: threads, one shared budget, one shared limiter, a record each.

What is finished is never done again: a run counts as done when its record bears its own name, and does not end with
an infrastructure error. Started again, an experiment does what is missing and goes on with what was cut off
(`pddl2nl.experiments.resume`). Several processes may work in one folder: each run is locked by whoever is at it.

An experiment stops before its end when

* its budget is spent: each run stops before its next call, and is gone on with when there is a greater budget;
* an endpoint refuses for good (no such model, no credit): whatever is left would be refused as well, so nobody is
  asked any more;
* somebody wishes so (Ctrl-C): no run begins, and those that go on stop before their next call.

In none of these cases is the unfinished run a result: its partial record stays.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pddl2nl.baselines import OracleModel
from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.batch_passes import BatchPasses
from pddl2nl.experiments.jobs import Ended, Job, PlannerSpec, play, read_end
from pddl2nl.experiments.record import claimed, partial_path, resuming_path
from pddl2nl.experiments.resume import Recollection, recollect
from pddl2nl.experiments.stopping import Share, Stop, StoppedError, Watched
from pddl2nl.experiments.summary import Progress, SweepSummary, Tally, Trouble
from pddl2nl.llm import (
    Model,
    ReplayModel,
    ReplyPendingError,
    ScriptedModel,
)
from pddl2nl.policies.budget import Account, BudgetSpentError, Limits, Purse, total

__all__ = ["run_all"]

_GRACE = 5.0
"""Seconds that runs get to come to a stop after Ctrl-C: most replies that are on their way arrive, and are kept."""
_TICK = 0.5
_LOCAL = (ScriptedModel, ReplayModel, OracleModel)
"""Models whose replies cost nothing, and some of which go by what they were asked before: they are asked again."""


@dataclass(frozen=True)
class _Left:
    """A run that came to no result."""

    how: Literal["unfinished", "elsewhere", "pending", "bad", "broken"]
    message: str = ""


@dataclass(frozen=True)
class _Done:
    end: Ended
    earlier: bool = False


def run_all(
    jobs: Iterable[Job],
    folder: Path,
    *,
    workers: int = 4,
    access: Access | None = None,
    budget: Limits | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    batch: BatchPasses | None = None,
) -> SweepSummary:
    """Runs what is not finished yet.

    Args:
        jobs: the runs; of several under one name the first.
        folder: of the records, ``NAME.jsonl`` each.
        workers: how many runs go on at once.
        access: how the models are reached.
        budget: calls, tokens and money of all runs together, what earlier starts in this folder spent included.
        on_progress: told in the calling thread, whenever a run has ended and twice a second in between.
        batch: brings the replies of one-shot runs by a provider's batches, in passes.

    Raises:
        InputError: the budget is in money, and what was spent before is not known.
        InfrastructureError: the folder cannot be made or read.
    """
    named = {job.name: job for job in reversed([*jobs])}
    sweep = _Sweep(named, folder, access or Access(), budget or Limits(), batch)
    return sweep.run(workers, on_progress)


class _Sweep:
    def __init__(self, jobs: dict[str, Job], folder: Path, access: Access, budget: Limits, batch: BatchPasses | None):
        self._folder = folder
        self._access = access
        self._batch = batch
        self._stop = Stop()
        self._tally = Tally(len(jobs))
        self._began = time.monotonic()
        self._broke = ""
        self._results: queue.SimpleQueue[tuple[Job, _Done | _Left] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._again: dict[str, list[Job]] = {"elsewhere": [], "pending": []}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfrastructureError(f"cannot make the folder {folder}: {error.strerror}") from error
        self._todo, already = self._sorted([*jobs.values()][::-1])
        if budget.usd is not None and already.usd is None:
            raise InputError(
                f"max_usd is {budget.usd:g}, and what the records in {folder} have cost is not known, as there was no "
                "price for their model; give its price in a file for --models, or begin in another folder"
            )
        self._purse = Purse(budget, already)
        if batch is not None:
            batch.charge(self._purse)

    def run(self, workers: int, on_progress: Callable[[Progress], None]) -> SweepSummary:
        """All passes."""
        jobs = self._todo
        on_progress(self._tally.progress(self._purse.spent))
        while jobs:
            self._pass(jobs, workers, on_progress)
            jobs = self._taken("pending")
            if jobs and self._stop.reason is None and not self._broke:
                self._bring()
            else:
                # Whoever was at these may have ended by now, or died.
                jobs = self._taken("elsewhere") if self._stop.reason is None else []
                if jobs:
                    self._pass(jobs, workers, on_progress)
                jobs = []
        self._tally.elsewhere = len(self._taken("elsewhere"))
        return self._tally.summary(
            spent=self._purse.spent,
            already=self._purse.already,
            seconds=time.monotonic() - self._began,
            stopped=self._stop.reason or self._broke or None,
            refused=self._stop.refused,
            interrupted=self._stop.interrupted,
        )

    # ── what is there already ────────────────────────────────────────────────────────────────────

    def _sorted(self, jobs: Sequence[Job]) -> tuple[list[Job], Account]:
        """The jobs that are to be done, and what was spent on all of them."""
        todo: list[Job] = []
        accounts: list[Account] = []
        for job in jobs:
            path = self._path(job)
            end = read_end(path)
            if end is not None and not end.broken:
                self._note(job, _Done(end, earlier=True))
                accounts.append(end.spent)
                continue
            todo.append(job)
            if end is not None or partial_path(path).exists():
                try:
                    accounts.append(recollect(path).spent())
                except InputError:
                    # It is reported when its turn comes.
                    continue
        return todo, total(accounts)

    def _path(self, job: Job) -> Path:
        return self._folder / f"{job.name}.jsonl"

    # ── passes ───────────────────────────────────────────────────────────────────────────────────

    def _pass(self, jobs: Sequence[Job], workers: int, on_progress: Callable[[Progress], None]) -> None:
        """Every job once; after Ctrl-C those that go on get a moment to stop."""
        waiting = deque(jobs)
        # Daemons: what hangs in a call must not keep the process from its end.
        threads = [
            threading.Thread(target=self._work, args=(waiting,), name=f"run-{number}", daemon=True)
            for number in range(min(workers, len(jobs)))
        ]
        running = len(threads)
        until: float | None = None
        try:
            for thread in threads:
                thread.start()
            while running and (until is None or time.monotonic() < until):
                try:
                    running -= self._receive()
                    on_progress(self._tally.progress(self._purse.spent))
                except KeyboardInterrupt:
                    if until is not None:
                        break
                    until = time.monotonic() + _GRACE
                    self._stop.wish("interrupted", interrupted=True)
                    stop_searches()
        except BaseException as error:
            self._stop.wish("an error in the experiment itself")
            stop_searches()
            if isinstance(error, SystemExit):
                # SIGTERM: whoever sent it mostly leaves us a moment as well.
                end = time.monotonic() + _GRACE
                for thread in threads:
                    thread.join(max(0.0, end - time.monotonic()))
            raise
        waiting.clear()

    def _work(self, waiting: deque[Job]) -> None:
        while (job := self._next(waiting)) is not None:
            self._results.put((job, self._outcome(job)))
        self._results.put(None)

    def _next(self, waiting: deque[Job]) -> Job | None:
        with self._lock:
            while waiting and self._stop.reason is None:
                job = waiting.popleft()
                if not (self._broke and job.asks_model):
                    return job
                self._results.put((job, _Left("unfinished")))
        return None

    def _receive(self) -> int:
        """Waits a moment for a result and notes it; 1 where a thread has ended."""
        try:
            result = self._results.get(timeout=_TICK)
        except queue.Empty:
            return 0
        if result is None:
            return 1
        self._note(*result)
        return 0

    def _note(self, job: Job, result: _Done | _Left) -> None:
        tally = self._tally
        if isinstance(result, _Done):
            tally.earlier += result.earlier
            if result.end.broken:
                tally.broken.append(Trouble(job.name, result.end.message))
            else:
                tally.outcomes[result.end.outcome] += 1
        elif result.how == "bad":
            tally.bad.append(Trouble(job.name, result.message))
        elif result.how == "broken":
            tally.broken.append(Trouble(job.name, result.message))
        elif result.how in self._again:
            self._again[result.how].append(job)

    def _taken(self, how: str) -> list[Job]:
        jobs, self._again[how] = self._again[how], []
        return jobs

    def _bring(self) -> None:
        """Has a batch bring what all the runs of a pass are waiting for."""
        try:
            self._purse.check()
            if self._batch is not None:
                self._batch.bring()
        except InfrastructureError as error:
            # What was submitted is remembered, and what has come is kept.
            self._stop.wish(str(error), refused=True)
        except BudgetSpentError as error:
            self._broke = str(error)
        except KeyboardInterrupt:
            self._stop.wish("interrupted", interrupted=True)

    # ── one run ──────────────────────────────────────────────────────────────────────────────────

    def _outcome(self, job: Job) -> _Done | _Left:
        try:
            return self._played(job)
        except StoppedError:
            return _Left("unfinished")
        except BudgetSpentError as error:
            self._broke = self._broke or str(error)
            return _Left("unfinished")
        except ReplyPendingError:
            return _Left("pending")
        except InputError as error:
            return _Left("bad", str(error))
        except InfrastructureError as error:
            return _Left("broken" if self._stop.reason is None else "unfinished", str(error))
        except Exception as error:  # noqa: BLE001 — a fault of ours in one run of thousands must not cost the others
            return _Left("broken", f"a fault of pddl2nl itself: {_place(error)}: {type(error).__name__}: {error}")

    def _played(self, job: Job) -> _Done | _Left:
        path = self._path(job)
        with claimed(path) as mine:
            if not mine:
                return _Left("elsewhere")
            end = read_end(path)
            if end is not None and not end.broken:
                return _Done(end, earlier=True)
            recollection = recollect(path)
            recalled = len(recollection)

            def work(access: Access) -> Ended:
                share = Share(self._purse, in_passes=self._batch is not None)
                try:
                    return play(job, path, self._reached(access, recollection, share))
                except ReplyPendingError:
                    share.forget()
                    if not recalled:
                        # The cache has all that it holds; recorded here it would count as paid for by this run.
                        partial_path(path).unlink(missing_ok=True)
                    raise
                finally:
                    share.settle()

            end = work(self._access) if self._batch is None else self._batch.attempt(work)
            for leftover in (partial_path(path), resuming_path(path)):
                leftover.unlink(missing_ok=True)
            if end.broken and self._stop.reason is not None:
                if isinstance(job.spec, PlannerSpec):
                    # A planner that we have ended: its record says nothing.
                    path.unlink()
                return _Left("unfinished")
        return _Done(end)

    def _reached(self, access: Access, recollection: Recollection, share: Share) -> Access:
        """How the models are reached by one run: what it had is in front, then what notes a refusal."""
        given = access.before

        def before(model: Model) -> Model:
            watched = Watched(given(model), self._stop)
            return watched if isinstance(model, _LOCAL) else recollection.before(watched)

        return replace(access, purse=share, before=before)


def _place(error: Exception) -> str:
    """The innermost line of ours that an exception came from."""
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "pddl2nl" in code.co_filename or "validators" in code.co_filename:
            place = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
