"""Many runs at once: threads or a cluster, with one shared budget, one shared limiter, and one record each.

A run is finished if its record has its own name and does not end with an infrastructure error. A second start plays
the missing runs and resumes those that were cut off. Several processes may work in one
folder; each locks the run that it plays.

An experiment stops early when

* its budget is spent: each run stops before its next call, and is resumed under a larger budget;
* an endpoint refuses permanently (unknown model, no credit): no further call is made;
* the user presses Ctrl-C: no further run begins, and running ones finish; a second Ctrl-C stops them at once.

A run that was cut off has no result, only a partial record.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.executor import Executor, Threads
from pddl2nl.experiments.jobs import Job, read_end
from pddl2nl.experiments.records.resume import recollect
from pddl2nl.experiments.records.writer import partial_path
from pddl2nl.experiments.run_one import Done, Left, Result, Terms, record_path, run_one
from pddl2nl.experiments.stopping import Stop, interrupts_heard
from pddl2nl.policies.budget import Account, BudgetSpentError, Limits, SharedBudget, total

if TYPE_CHECKING:
    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.cluster import Cluster

__all__ = ["Progress", "SweepSummary", "Tally", "Trouble", "run_all"]


INTERRUPTED = 130
_MESSAGE = 500


@dataclass(frozen=True)
class Trouble:
    """A run without a result, and the reason."""

    run: str
    message: str

    def __post_init__(self) -> None:
        # Thousands may fail for one reason, so each message is shortened.
        if len(self.message) > _MESSAGE:
            object.__setattr__(self, "message", self.message[:_MESSAGE] + " …")


@dataclass(frozen=True)
class Progress:
    """The progress of an experiment: ``ended`` of ``runs``, including those of earlier starts.

    Attributes:
        runs, ended: the number of runs, and of those that have ended.
        solved, failed: of those that have ended; failed ones have no result.
        spent: the costs of this start, with the hits of the cache.
        earlier: runs that an earlier start finished.
        going: running runs.
        seconds: since this start.
        stopping: whether the user stopped it, so that no further run begins.
        note: a remark for people; may be empty.
    """

    runs: int
    ended: int
    solved: int
    failed: int
    spent: Account
    earlier: int = 0
    going: int = 0
    seconds: float = 0.0
    stopping: bool = False
    note: str = ""

    @property
    def seconds_left(self) -> float | None:
        """An estimate for the rest from the runs so far; None before the first."""
        done = self.ended - self.earlier
        return (self.runs - self.ended) * self.seconds / done if done > 0 else None


@dataclass(frozen=True)
class SweepSummary:
    """The result of an experiment.

    Attributes:
        runs: the number of runs.
        earlier: finished by an earlier start or another process.
        outcomes: of all runs with a result, including earlier ones and planners' statuses.
        broken: runs without a result because a tool or endpoint failed; the next start plays them again.
        bad: runs whose specification is impossible.
        unfinished: runs for the next start, because the experiment was stopped.
        elsewhere: runs that another process plays.
        stopped: why it stopped early; None if it did not. ``refused``: because an endpoint refused permanently;
            ``interrupted``: by the user.
        spent: the costs of this start, with the hits of the cache; ``already``: those of earlier starts in the folder.
        seconds: wall time.
    """

    runs: int
    earlier: int
    outcomes: Mapping[str, int]
    broken: tuple[Trouble, ...] = ()
    bad: tuple[Trouble, ...] = ()
    unfinished: int = 0
    elsewhere: int = 0
    stopped: str | None = None
    refused: bool = False
    interrupted: bool = False
    spent: Account = field(default_factory=Account)
    already: Account = field(default_factory=Account)
    seconds: float = 0.0

    @property
    def solved(self) -> int:
        """The number of runs that reached the goal."""
        return self.outcomes.get("solved", 0)

    @property
    def exit_code(self) -> int:
        """0: all solved; 1: some unsolved or unfinished; 2: some impossible; 3: some failed; 130: Ctrl-C."""
        if self.interrupted:
            return INTERRUPTED
        if self.refused:
            return 3
        if self.bad:
            return 2
        if self.broken:
            return 3
        return int(self.solved < self.runs)

    def as_json(self) -> dict[str, Any]:
        """The summary as ``pddl2nl experiment --json`` prints it."""
        return {
            "runs": self.runs,
            "earlier": self.earlier,
            "solved": self.solved,
            "outcomes": dict(sorted(self.outcomes.items())),
            "infrastructure_errors": [asdict(trouble) for trouble in self.broken],
            "bad_input": [asdict(trouble) for trouble in self.bad],
            "unfinished": self.unfinished,
            "elsewhere": self.elsewhere,
            "stopped": self.stopped,
            "spent": asdict(self.spent),
            "spent_before": asdict(self.already),
            "seconds": round(self.seconds, 3),
        }


class Tally:
    """Counts results for a `SweepSummary`; not safe for several threads."""

    def __init__(self, runs: int):
        self.runs = runs
        self.earlier = 0
        self.outcomes: Counter[str] = Counter()
        self.broken: list[Trouble] = []
        self.bad: list[Trouble] = []
        self.elsewhere = 0

    def note(self, run: str, result: Result) -> None:
        """Counts the result of a run; runs that are never counted are unfinished."""
        if isinstance(result, Done):
            self.earlier += result.earlier
            if result.end.broken:
                self.broken.append(Trouble(run, result.end.message))
            else:
                self.outcomes[result.end.outcome] += 1
        elif result.how == "bad":
            self.bad.append(Trouble(run, result.message))
        elif result.how == "broken":
            self.broken.append(Trouble(run, result.message))

    def progress(self, spent: Account, **now: Any) -> Progress:
        """The progress; ``now`` holds the other fields."""
        failed = len(self.broken) + len(self.bad)
        ended = self.outcomes.total() + failed
        return Progress(self.runs, ended, self.outcomes["solved"], failed, spent, earlier=self.earlier, **now)

    def summary(self, *, spent: Account, already: Account, seconds: float, **ending: Any) -> SweepSummary:
        """The summary; ``ending`` holds the fields on how it stopped."""
        return SweepSummary(
            runs=self.runs,
            earlier=self.earlier,
            outcomes=dict(self.outcomes),
            broken=tuple(self.broken),
            bad=tuple(self.bad),
            unfinished=self.runs - self.outcomes.total() - len(self.broken) - len(self.bad) - self.elsewhere,
            elsewhere=self.elsewhere,
            spent=total([spent]),
            already=total([already]),
            seconds=seconds,
            **ending,
        )


_GRACE = 5.0
"""Seconds of grace for running runs when the process ends: most pending replies arrive in time."""
_TICK = 0.5
_LOOK_AGAIN = 2.0
"""Seconds between two checks of runs that another process plays."""


def run_all(
    jobs: Iterable[Job],
    folder: Path,
    *,
    workers: int = 4,
    access: Access | None = None,
    budget: Limits | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    batch: BatchPasses | None = None,
    cluster: Cluster | None = None,
) -> SweepSummary:
    """Plays all runs that are not finished yet.

    Args:
        jobs: the runs; of several with one name the first.
        folder: of the records, ``NAME.jsonl`` each.
        workers: runs at a time; ignored on a cluster.
        access: how models are reached.
        budget: calls, tokens and money of all runs together, including earlier starts in this folder. On a cluster
            each run gets the rest when it is submitted, and its costs are booked when it ends, so the runs submitted
            at that moment can exceed the budget.
        on_progress: called in the calling thread when a run has ended, and twice a second in between.
        batch: brings the replies of one-shot runs by a provider's batches, in passes.
        cluster: plays the runs (`pddl2nl.experiments.cluster.open_cluster`); None for threads of this process.

    Raises:
        InputError: the budget is in money, and what was spent before is not known; a cluster is asked to wait for
            batches, or its workers are no match for this process.
        InfrastructureError: the folder cannot be made or read.
    """
    if batch is not None and cluster is not None:
        raise InputError(
            "--provider-batch with --cluster: a batch is waited for by one process, and needs no cluster; give one of "
            "the two"
        )
    named = {job.name: job for job in reversed([*jobs])}
    sweep = _Sweep([*named.values()][::-1], folder, access or Access(), budget or Limits(), batch)
    return sweep.run(sweep.executor(workers, cluster), on_progress)


class _Sweep:
    def __init__(self, jobs: Sequence[Job], folder: Path, access: Access, budget: Limits, batch: BatchPasses | None):
        self._folder = folder
        self._tally = Tally(len(jobs))
        self._began = time.monotonic()
        self._broke = ""
        self._again: dict[str, list[Job]] = {"elsewhere": [], "pending": []}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InfrastructureError(f"cannot make the folder {folder}: {error.strerror}") from error
        self._todo, already = self._sorted(jobs)
        if budget.usd is not None and already.usd is None:
            raise InputError(
                f"budgets.usd is {budget.usd:g}, and what the records in {folder} have cost is not known, as there was "
                "no price for their model; give its price in a file for --models, or begin in another folder"
            )
        self._budget = SharedBudget(budget, already)
        self._stop = Stop()
        self._batch = batch
        self._terms = Terms(folder, access, self._stop, self._budget, batch)
        if batch is not None:
            batch.charge(self._budget)

    def executor(self, workers: int, cluster: Cluster | None) -> Executor:
        """The executor that plays the runs."""
        if cluster is None or not self._todo:
            return Threads(partial(run_one, terms=self._terms), workers)
        from pddl2nl.experiments.cluster.runs import ClusterRuns

        return ClusterRuns(cluster, self._terms)

    def run(self, executor: Executor, on_progress: Callable[[Progress], None]) -> SweepSummary:
        """All passes."""
        try:
            self._passes(executor, on_progress)
        finally:
            executor.close()
        self._tally.elsewhere = len(self._taken("elsewhere"))
        return self._tally.summary(
            spent=self._budget.spent,
            already=self._budget.already,
            seconds=time.monotonic() - self._began,
            stopped=self._stop.reason or self._broke or None,
            refused=self._stop.refused,
            interrupted=self._stop.interrupted,
        )

    def _passes(self, executor: Executor, on_progress: Callable[[Progress], None]) -> None:
        jobs = self._todo
        self._say(executor, on_progress)
        while jobs:
            self._pass(jobs, executor, on_progress)
            jobs = self._taken("pending")
            if jobs and self._stop.reason is None and not self._broke:
                self._bring()
            else:
                self._at_last(executor, on_progress)
                jobs = []

    # ── earlier starts ──────────────────────────────────────────────────────────────────────────

    def _sorted(self, jobs: Sequence[Job]) -> tuple[list[Job], Account]:
        """The jobs to play, and the costs of all earlier starts."""
        todo: list[Job] = []
        accounts: list[Account] = []
        for job in jobs:
            path = record_path(self._folder, job)
            end = read_end(path)
            if end is not None and not end.broken:
                self._note(job, Done(end, earlier=True))
                accounts.append(end.spent)
                continue
            todo.append(job)
            if end is not None or partial_path(path).exists():
                try:
                    accounts.append(recollect(path).spent())
                except InputError:
                    # Playing the run reports the error.
                    continue
        return todo, total(accounts)

    # ── passes ───────────────────────────────────────────────────────────────────────────────────

    def _pass(self, jobs: Sequence[Job], executor: Executor, on_progress: Callable[[Progress], None]) -> None:
        """Plays every job once; after a stop, only those that were running."""
        waiting = deque(jobs)
        try:
            with interrupts_heard(lambda: self._interrupt(executor)):
                while True:
                    try:
                        if not self._goes_on(waiting, executor):
                            break
                        received = executor.receive(_TICK)
                        if received is not None:
                            self._note(*received)
                        self._say(executor, on_progress)
                    except KeyboardInterrupt:
                        self._interrupt(executor)
                    except InfrastructureError as error:
                        # The executor has no workers left.
                        self._stop.wish(str(error), refused=True)
                        executor.abandon(0.0)
                        break
        except BaseException as error:
            self._stop.wish("an error in the experiment itself")
            stop_searches()
            # After SIGTERM there is usually some time before SIGKILL.
            executor.abandon(_GRACE if isinstance(error, SystemExit) else 0.0)
            raise

    def _goes_on(self, waiting: deque[Job], executor: Executor) -> bool:
        """Submits runs; returns whether there is a result to wait for."""
        if self._stop.reason is not None:
            if self._stop.interrupted and self._stop.now:
                stop_searches()
                executor.abandon(0.0)
                while (received := executor.receive(0.0)) is not None:
                    self._note(*received)
                return False
            executor.wind_down()
            return executor.going > 0
        while waiting and executor.room > 0:
            job = waiting.popleft()
            if self._broke and job.asks_model:
                self._note(job, Left("unfinished"))
            else:
                executor.submit(job)
        return executor.going > 0

    def _interrupt(self, executor: Executor) -> None:
        """Ctrl-C: the first stops further runs from starting, the second stops running ones."""
        self._stop.wish("interrupted", now=self._stop.interrupted, interrupted=True)
        executor.wake()

    def _at_last(self, executor: Executor, on_progress: Callable[[Progress], None]) -> None:
        """Tries runs of other processes again: these may have finished or died by now."""
        until = time.monotonic() + executor.patience
        try:
            while self._stop.reason is None and (jobs := self._taken("elsewhere")):
                self._pass(jobs, executor, on_progress)
                if time.monotonic() >= until:
                    break
                if self._again["elsewhere"]:
                    time.sleep(_LOOK_AGAIN)
        except KeyboardInterrupt:
            self._interrupt(executor)

    def _say(self, executor: Executor, on_progress: Callable[[Progress], None]) -> None:
        on_progress(
            self._tally.progress(
                self._budget.spent,
                going=executor.playing,
                seconds=time.monotonic() - self._began,
                stopping=self._stop.interrupted,
                note=executor.note,
            )
        )

    def _note(self, job: Job, result: Result) -> None:
        if isinstance(result, Left) and result.how == "spent":
            self._broke = self._broke or result.message
        elif isinstance(result, Left) and result.how in self._again:
            self._again[result.how].append(job)
        else:
            self._tally.note(job.name, result)

    def _taken(self, how: str) -> list[Job]:
        jobs, self._again[how] = self._again[how], []
        return jobs

    def _bring(self) -> None:
        """Gets the replies that the runs of a pass wait for, in one batch."""
        try:
            self._budget.check()
            if self._batch is not None:
                self._batch.bring()
        except InfrastructureError as error:
            # Submitted batches are remembered, and their results kept.
            self._stop.wish(str(error), refused=True)
        except BudgetSpentError as error:
            self._broke = str(error)
        except KeyboardInterrupt:
            self._stop.wish("interrupted", interrupted=True)
