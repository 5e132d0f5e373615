"""One run of an experiment, in a thread of this process or on a worker of a cluster.

The run is locked, found finished or resumed, run, and the files of its unfinished attempts are removed. It ends in a
`Result`, never in an exception: a fault in one run of thousands must not cost the others.

Many runs at once: threads or a cluster, with one shared budget, one shared limiter, and one record each.

A run is finished if its record has its own name and does not end with an infrastructure error. A second start runs
what is missing and resumes what was cut off. Several processes may work in one folder; each locks the run that it runs.

An experiment stops early when

* its budget is spent: each run stops before its next call, and is resumed under a larger budget;
* an endpoint refuses permanently (unknown model, no credit): no further call is made;
* the user presses Ctrl-C: no further run begins, and running ones finish; a second Ctrl-C stops them at once.

A run that was cut off has no result, only a partial record.
"""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pddl2nl.baselines.fast_downward import stop_searches
from pddl2nl.errors import InfrastructureError, InputError, did_you_mean
from pddl2nl.experiments.models import Access, reach
from pddl2nl.experiments.preparing import unused_options
from pddl2nl.experiments.records.reader import is_broken, read_end
from pddl2nl.experiments.records.writer import leftovers, recollect
from pddl2nl.experiments.runs import (
    Done,
    Job,
    Left,
    Observe,
    Result,
    Stop,
    Terms,
    record_path,
    run_job,
    run_one,
    unobserved,
)
from pddl2nl.llm import Model
from pddl2nl.pddl import Task
from pddl2nl.policies import Policy, make_policy
from pddl2nl.policies.budget import Account, BudgetSpentError, Limits, SharedBudget, total
from pddl2nl.policies.events import SOLVED
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec, name_of

if TYPE_CHECKING:
    from types import FrameType

    from pddl2nl.experiments.batch_passes import BatchPasses
    from pddl2nl.experiments.cluster import Cluster, ClusterRuns

# ── sweep ───────────────────────────────────────────────────────────────────────────────────────

INTERRUPTED = 130
_LONGEST_MESSAGE = 500
_GRACE = 5.0
_TICK = 0.5


@dataclass(frozen=True)
class Trouble:
    """A run without a result, and the reason."""

    run: str
    message: str


@dataclass(frozen=True)
class SweepSummary:
    """How far an experiment is, and in the end its result.

    Attributes:
        runs: the number of runs; ``earlier`` finished by an earlier start or another process, ``going`` running.
        outcomes: of all runs with a result, including earlier ones and planners' statuses.
        broken: runs without a result because a tool or endpoint failed; the next start runs them again.
        bad: runs whose specification is impossible; ``elsewhere``: that another process runs.
        stopped: why it stops early; None if it does not. ``refused``: because an endpoint refused permanently;
            ``interrupted``: by the user.
        spent: the costs of this start, with the hits of the cache; ``already``: those of earlier starts in the folder.
        seconds: wall time of this start.
        note: a remark for people while it runs; usually empty.
    """

    runs: int
    earlier: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    broken: tuple[Trouble, ...] = ()
    bad: tuple[Trouble, ...] = ()
    elsewhere: int = 0
    stopped: str | None = None
    refused: bool = False
    interrupted: bool = False
    spent: Account = field(default_factory=Account)
    already: Account = field(default_factory=Account)
    seconds: float = 0.0
    going: int = 0
    note: str = ""

    def __repr__(self) -> str:
        outcomes = "".join(f", {count} {outcome}" for outcome, count in self.outcomes.items())
        return f"<SweepSummary of {self.runs} runs{outcomes}, {self.failed} failed>"

    @property
    def solved(self) -> int:
        return sum(self.outcomes.get(outcome, 0) for outcome in SOLVED)

    @property
    def failed(self) -> int:
        return len(self.broken) + len(self.bad)

    @property
    def ended(self) -> int:
        return sum(self.outcomes.values()) + self.failed

    @property
    def unfinished(self) -> int:
        return self.runs - self.ended - self.elsewhere

    @property
    def seconds_left(self) -> float | None:
        """An estimate for the rest from the runs so far; None before the first."""
        done = self.ended - self.earlier
        return (self.runs - self.ended) * self.seconds / done if done > 0 else None

    @property
    def exit_code(self) -> int:
        """0: every run has a verdict; 1: some are left; 2: some are impossible; 3: some failed; 130: Ctrl-C."""
        if self.interrupted:
            return INTERRUPTED
        if self.bad and not self.refused:
            return 2
        if self.broken or self.refused:
            return 3
        return int(self.unfinished > 0 or self.elsewhere > 0)

    def as_json(self) -> dict[str, Any]:
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


class Threads:
    """Runs jobs in threads of this process, one each; `cluster.runs.ClusterRuns` has the same interface.

    Threads wait for models, and for planners, which are processes of their own. ``run`` runs a job, and after a stop
    soon returns; ``size`` jobs run at a time; ``note`` is what a person should know just now.
    """

    note = ""

    def __init__(self, run: Callable[[Job], Result], size: int):
        self._run = run
        self._size = size
        self._threads: dict[str, threading.Thread] = {}
        self._results: queue.SimpleQueue[tuple[Job, Result]] = queue.SimpleQueue()

    @property
    def submitted(self) -> int:
        """The number of jobs whose results were not received yet."""
        return len(self._threads)

    @property
    def room(self) -> int:
        """How many more jobs may be submitted now."""
        return self._size - len(self._threads)

    def submit(self, job: Job) -> None:
        # A daemon: a call that hangs must not keep the process from ending.
        thread = threading.Thread(target=self._work, args=(job,), name=f"run-{job.name}", daemon=True)
        thread.start()
        self._threads[job.name] = thread

    def receive(self, seconds: float) -> tuple[Job, Result] | None:
        """The next result; None if none came in time. Raises `InfrastructureError` if no further ones will come."""
        try:
            received = self._results.get(timeout=seconds)
        except queue.Empty:
            return None
        del self._threads[received[0].name]
        return received

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        for thread in self._threads.values():
            thread.join(max(0.0, deadline - time.monotonic()))

    def stop(self, now: bool) -> None:
        """Starts no further job; with ``now``, also gives up on running ones. Threads see to that by themselves."""

    def close(self) -> None:
        """Releases all resources; a thread that still runs ends with the process."""

    def _work(self, job: Job) -> None:
        try:
            result = self._run(job)
        except BaseException as error:  # noqa: BLE001 — a caller that waits for a result must get one
            result = Left("broken", f"{type(error).__name__}: {error}")
        self._results.put((job, result))


def run_all(
    jobs: Iterable[Job],
    folder: Path,
    *,
    workers: int = 4,
    access: Access | None = None,
    budget: Limits | None = None,
    on_progress: Callable[[SweepSummary], None] = lambda progress: None,
    batch: BatchPasses | None = None,
    cluster: Cluster | None = None,
    observe: Observe = unobserved,
) -> SweepSummary:
    """Runs all jobs that are not finished yet.

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
        cluster: runs the jobs (`pddl2nl.experiments.cluster.open_cluster`); None for threads of this process.
        observe: is given the events of runs of policies as they happen, except on a cluster.

    Raises:
        InputError: the budget is in money, and what was spent before is not known; a cluster is asked to wait for
            batches, does not see the folder, or its workers are no match for this process.
        InfrastructureError: the folder cannot be made or read.
    """
    if batch is not None and cluster is not None:
        raise InputError(
            "--provider-batch with --cluster: a batch is waited for by one process, and needs no cluster; give one of "
            "the two"
        )
    unique: dict[str, Job] = {}
    for job in jobs:
        unique.setdefault(job.name, job)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InfrastructureError(f"cannot make the folder {folder}: {error.strerror}") from error
    sweep = _Sweep([*unique.values()], folder, access or Access(), budget or Limits(), batch, on_progress, observe)
    return sweep.run(workers, cluster)


class _Sweep:
    def __init__(
        self,
        jobs: Sequence[Job],
        folder: Path,
        access: Access,
        budget: Limits,
        batch: BatchPasses | None,
        on_progress: Callable[[SweepSummary], None],
        observe: Observe,
    ):
        self._runs = len(jobs)
        self._on_progress = on_progress
        self._began = time.monotonic()
        self._earlier = 0
        self._outcomes: Counter[str] = Counter()
        self._broken: list[Trouble] = []
        self._bad: list[Trouble] = []
        self._elsewhere = 0
        self._pending: list[Job] = []
        self._budget_spent = ""
        self._stop = Stop()
        self._todo, already = self._sorted(jobs, folder)
        if budget.usd is not None and already.usd is None:
            raise InputError(
                f"budgets.usd is {budget.usd:g}, and what the records in {folder} have cost is not known, as there was "
                "no price for their model; give its price in a file for --models, or begin in another folder"
            )
        self._budget = SharedBudget(budget, already)
        self._batch = batch
        if batch is not None:
            batch.charge(self._budget)
        self._terms = Terms(folder, access, self._stop, self._budget, batch, observe)

    def _sorted(self, jobs: Sequence[Job], folder: Path) -> tuple[list[Job], Account]:
        """The jobs to run, and the costs of all earlier starts."""
        todo: list[Job] = []
        accounts: list[Account] = []
        for job in jobs:
            path = record_path(folder, job)
            end = read_end(path)
            if end is not None and not is_broken(end):
                self._note(job, Done(end, earlier=True))
                accounts.append(total(end.spent.values()))
                continue
            todo.append(job)
            if end is not None or any(left.exists() for left in leftovers(path)):
                try:
                    accounts.append(recollect(path).spent())
                except InputError:
                    # Running the job reports the error.
                    continue
        return todo, total(accounts)

    def run(self, workers: int, cluster: Cluster | None) -> SweepSummary:
        executor: Threads | ClusterRuns = Threads(partial(run_one, terms=self._terms), workers)
        if cluster is not None and self._todo:
            from pddl2nl.experiments.cluster import ClusterRuns

            executor = ClusterRuns(cluster, self._terms)
        try:
            self._passes(executor)
        except BaseException as error:
            self._stop.request("an error in the experiment itself")
            stop_searches()
            executor.stop(now=True)
            if isinstance(error, SystemExit) and isinstance(executor, Threads):
                # After SIGTERM there is usually some time before SIGKILL: most pending replies arrive in it.
                executor.wait(_GRACE)
            raise
        finally:
            executor.close()
        return self._summary()

    def _summary(self, going: int = 0, note: str = "") -> SweepSummary:
        return SweepSummary(
            runs=self._runs,
            earlier=self._earlier,
            outcomes=dict(self._outcomes),
            broken=tuple(self._broken),
            bad=tuple(self._bad),
            elsewhere=self._elsewhere,
            stopped=self._stop.reason or self._budget_spent or None,
            refused=self._stop.refused,
            interrupted=self._stop.interrupted,
            spent=self._budget.spent,
            already=self._budget.already,
            seconds=time.monotonic() - self._began,
            going=going,
            note=note,
        )

    # ── passes ───────────────────────────────────────────────────────────────────────────────────

    def _passes(self, executor: Threads | ClusterRuns) -> None:
        """Runs what is to do; then, again and again, what waits for a batch."""
        self._on_progress(self._summary(executor.submitted, executor.note))
        jobs = self._todo
        while jobs:
            with _handling_interrupts(self._interrupt):
                self._pass(deque(jobs), executor)
            jobs, self._pending = self._pending, []
            if jobs and not self._bring_batch():
                return

    def _pass(self, waiting: deque[Job], executor: Threads | ClusterRuns) -> None:
        """Runs every job once; after a stop, only those that are running already."""
        while True:
            try:
                self._submit(waiting, executor)
                if not executor.submitted:
                    return
                received = executor.receive(_TICK)
                if received is not None:
                    self._note(*received)
                self._on_progress(self._summary(executor.submitted, executor.note))
            except KeyboardInterrupt:
                self._interrupt()
            except InfrastructureError as error:
                # The executor has no workers left.
                self._stop.request(str(error), refused=True)
                executor.stop(now=True)
                return
            if self._stop.interrupted and self._stop.now:
                stop_searches()
                executor.stop(now=True)
                while (received := executor.receive(0.0)) is not None:
                    self._note(*received)
                return

    def _submit(self, waiting: deque[Job], executor: Threads | ClusterRuns) -> None:
        if self._stop.reason is not None:
            executor.stop(now=False)
            return
        while waiting and executor.room > 0:
            job = waiting.popleft()
            # When the budget is spent, runs that cost nothing go on.
            if not (self._budget_spent and job.asks_model):
                executor.submit(job)

    def _interrupt(self) -> None:
        """Ctrl-C: the first stops further runs from starting, the second stops running ones."""
        self._stop.request("interrupted", now=self._stop.interrupted, interrupted=True)

    def _bring_batch(self) -> bool:
        """Gets the replies that the runs of a pass wait for, in one batch; whether to go on."""
        if self._batch is None or self._stop.reason is not None or self._budget_spent:
            return False
        try:
            self._budget.check()
            self._batch.bring()
        except InfrastructureError as error:
            # Submitted batches are remembered, and their results kept.
            self._stop.request(str(error), refused=True)
        except BudgetSpentError as error:
            self._budget_spent = str(error)
        except KeyboardInterrupt:
            self._interrupt()
        return True

    # ── results ──────────────────────────────────────────────────────────────────────────────────

    def _note(self, job: Job, result: Result) -> None:
        """Counts a result; runs that are counted nowhere are unfinished."""
        if isinstance(result, Done):
            self._earlier += result.earlier
            if is_broken(result.end):
                self._broken.append(_trouble(job, result.end.message))
            else:
                self._outcomes[result.end.outcome] += 1
        elif result.how == "spent":
            self._budget_spent = self._budget_spent or result.message
        elif result.how == "bad":
            self._bad.append(_trouble(job, result.message))
        elif result.how == "broken":
            self._broken.append(_trouble(job, result.message))
        elif result.how == "elsewhere":
            self._elsewhere += 1
        elif result.how == "pending":
            self._pending.append(job)


def _trouble(job: Job, message: str) -> Trouble:
    # Thousands may fail for one reason, so each message is shortened.
    return Trouble(job.name, message if len(message) <= _LONGEST_MESSAGE else message[:_LONGEST_MESSAGE] + " …")


@contextmanager
def _handling_interrupts(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """Calls ``on_interrupt`` at the first two Ctrl-C instead of raising, so that no result gets lost.

    Nothing changes if other code handles the signal (a notebook, ``nohup``), or outside of the main thread.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    count = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count > 2:
            raise KeyboardInterrupt
        on_interrupt()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# ── grid ────────────────────────────────────────────────────────────────────────────────────────


def experiment(
    tasks: Iterable[Task],
    policies: Sequence[str | Policy],
    models: Sequence[str | Model] = ("oracle",),
    seeds: Sequence[int] = (1,),
    *,
    out: str | Path,
    workers: int = 4,
    cache: str | Path | None = None,
    models_file: str | Path | None = None,
    **options: Any,
) -> SweepSummary:
    """Runs every policy with every model and seed on every task; `pddl2nl.load_records` reads the result.

    A second call does what is missing, as the command ``pddl2nl experiment`` does, which takes a file instead. A policy
    that asks no model is run once for each task and seed.

    Args:
        tasks: the tasks to be solved.
        policies: names, ``module:Class``, or objects; each run gets a copy of its object.
        models: names or objects; runs share an object, from ``workers`` threads.
        seeds: of the runs.
        out: the folder of the records.
        workers: runs at a time.
        cache, models_file: as in `pddl2nl.run`.
        options: those of runs (`help(pddl2nl.run)`) and of policies, for every policy that takes them.

    Raises:
        InputError: an unknown policy or option, or two policies or models of one name.
        InfrastructureError: the folder cannot be made or read.
    """
    known = [*RUN_OPTIONS, *(name for policy in policies for name in type(make_policy(policy)).__struct_fields__)]
    for name in options:
        if name not in known:
            raise InputError(f"{name}: no option of a run, nor of these policies{did_you_mean(name, known)}")
    for kind, names in (
        ("policies", [policy if isinstance(policy, str) else name_of(type(policy)) for policy in policies]),
        ("models", [model if isinstance(model, str) else model.name for model in models]),
    ):
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            raise InputError(f"two {kind} are called '{twice[0]}'; give one of them another name")
    jobs = _jobs(tasks, policies, models, seeds, options)
    return run_all(jobs, Path(out), workers=workers, access=reach(cache, models_file))


def _jobs(
    tasks: Iterable[Task],
    policies: Sequence[str | Policy],
    models: Sequence[str | Model],
    seeds: Sequence[int],
    options: dict[str, Any],
) -> Iterator[Job]:
    for task, policy in product(tasks, policies):
        made = make_policy(policy)
        unused = unused_options(made, options.get("style", "nl"))
        takes = ({*RUN_OPTIONS} - {*unused}) | {*type(made).__struct_fields__}
        used = {name: value for name, value in options.items() if name in takes}
        for model, seed in product(models if made.needs_model else ("oracle",), seeds):
            yield run_job(RunSpec.of(task, deepcopy(policy), model=model, seed=seed, **used))
