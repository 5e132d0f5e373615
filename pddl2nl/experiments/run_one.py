"""One run of an experiment, in a thread of this process or on a worker of a cluster.

The run is locked, found finished or resumed, run, and the files of its unfinished attempts are removed. It ends in a
`Result`, never in an exception: a fault in one run of thousands must not cost the others.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pddl2nl.baselines import OracleModel
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import Job
from pddl2nl.experiments.records.reader import End, is_broken, read_end
from pddl2nl.experiments.records.resume import recollect
from pddl2nl.experiments.records.writer import claimed, partial_path, resuming_path
from pddl2nl.llm import (
    Completion,
    EndpointRefusedError,
    Model,
    ReplayModel,
    ReplyPendingError,
    Request,
    ScriptedModel,
    Wrapped,
)
from pddl2nl.llm.replay import RecordedCompletion
from pddl2nl.policies import RunEvent
from pddl2nl.policies.budget import Account, BudgetSpentError, SharedBudget, total

if TYPE_CHECKING:
    from pddl2nl.experiments.batch_passes import BatchPasses

_LOCAL = (ScriptedModel, ReplayModel, OracleModel)
"""Models whose replies cost nothing, and may depend on what was asked before: they are asked again."""


@dataclass(frozen=True)
class Done:
    """A run with a result; ``earlier`` says that it was finished before."""

    end: End
    earlier: bool = False


@dataclass(frozen=True)
class Left:
    """A run without a result, and why.

    ``unfinished``: the experiment was stopped; ``spent``: its budget is spent; ``elsewhere``: another process runs it;
    ``pending``: it waits for a batch; ``bad``: its specification is impossible; ``broken``: a tool, an endpoint or this
    package failed.
    """

    how: Literal["unfinished", "spent", "elsewhere", "pending", "bad", "broken"]
    message: str = ""


Result = Done | Left


class StoppedError(Exception):
    """No model may be asked any more. It is no `Pddl2nlError`, as it is no verdict on the run: episodes let it pass."""


class Stop:
    """Whether an experiment is to stop, and why; the first reason stands.

    Attributes:
        reason: why no further run begins; None if runs may begin.
        now: whether running runs must stop as well, before their next call.
        refused: whether an endpoint or a cluster is gone for good.
        interrupted: whether the user asked to stop.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.now = False
        self.refused = False
        self.interrupted = False
        # A signal handler may call `request` in a thread that is within it.
        self._lock = threading.RLock()

    def request(self, reason: str, *, now: bool = True, refused: bool = False, interrupted: bool = False) -> None:
        """Stops the experiment: no further run begins, and with ``now`` no model is asked."""
        with self._lock:
            self.interrupted = self.interrupted or interrupted
            self.now = self.now or now
            if self.reason is None:
                self.reason, self.refused = reason, refused


Observe = Callable[[str, RunEvent], None]
"""Is given the name of a run and each of its events as it happens, in the thread of the run."""


def unobserved(run: str, event: RunEvent) -> None:
    """Ignores events."""


@dataclass(frozen=True)
class Terms:
    """What the runs of an experiment share: the folder of their records, access to models, stop, budget, batches, and
    what observes their events."""

    folder: Path
    access: Access
    stop: Stop
    budget: SharedBudget
    batch: BatchPasses | None = None
    observe: Observe = unobserved


def record_path(folder: Path, job: Job) -> Path:
    """The path of a run's finished record."""
    return folder / f"{job.name}.jsonl"


def run_one(job: Job, terms: Terms) -> Result:
    """Runs a job, unless it is finished or another process runs it; raises nothing."""
    if terms.stop.reason is not None:
        return Left("unfinished")
    try:
        return _run_locked(job, terms)
    except StoppedError:
        return Left("unfinished")
    except BudgetSpentError as error:
        return Left("spent", str(error))
    except ReplyPendingError:
        return Left("pending")
    except InputError as error:
        return Left("bad", str(error))
    except InfrastructureError as error:
        return Left("unfinished" if terms.stop.now else "broken", str(error))
    except Exception as error:  # noqa: BLE001 — a fault of ours in one run of thousands must not cost the others
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return Left("broken", f"a fault of pddl2nl itself: {where}: {type(error).__name__}: {error}")


def _run_locked(job: Job, terms: Terms) -> Result:
    path = record_path(terms.folder, job)
    with claimed(path) as mine:
        if not mine:
            return Left("elsewhere")
        end = read_end(path)
        if end is not None and not is_broken(end):
            return Done(end, earlier=True)
        end = _run(job, path, terms)
        for leftover in (partial_path(path), resuming_path(path)):
            leftover.unlink(missing_ok=True)
        if is_broken(end) and terms.stop.now:
            if not job.asks_model:
                # The stop killed a planner, so the record says nothing, and there are no replies to keep.
                path.unlink()
            return Left("unfinished")
    return Done(end)


def _run(job: Job, path: Path, terms: Terms) -> End:
    recollection = recollect(path)
    resumed = len(recollection) > 0

    def attempt(access: Access) -> End:
        def before(model: Model) -> Model:
            watched = _Watched(access.before(model), terms.stop)
            return watched if isinstance(model, _LOCAL) else recollection.before(watched)

        reached = replace(access, budget=_RunBudget(terms), before=before)
        return job.play(path, reached, partial(terms.observe, job.name))

    if terms.batch is None:
        return attempt(terms.access)
    try:
        end = terms.batch.attempt(attempt)
    except ReplyPendingError:
        if not resumed:
            # All its replies are in the cache; in this record they would count as paid by this run.
            partial_path(path).unlink(missing_ok=True)
        raise
    terms.budget.add(Account(cache_hits=total(end.spent.values()).cache_hits))
    return end


class _Watched(Wrapped):
    """A model that is not asked once the experiment stops, and that stops it when its endpoint refuses for good."""

    def __init__(self, model: Model, stop: Stop):
        super().__init__(model)
        self._stop = stop

    def complete(self, request: Request) -> Completion:
        """The model's reply."""
        if self._stop.now:
            raise StoppedError
        try:
            return self._model.complete(request)
        except EndpointRefusedError as error:
            self._stop.request(str(error), refused=True)
        except InfrastructureError:
            # A failure caused by the stop (a planner that was killed) is no result.
            if not self._stop.now:
                raise
        raise StoppedError


class _RunBudget(SharedBudget):
    """The shared budget as one run sees it.

    Replies from the run's own record are booked there already. A run that waits for batches is repeated after each:
    what a batch brings is booked when it comes (`BatchPasses`), and hits of the cache when the run has ended.
    """

    def __init__(self, terms: Terms):
        super().__init__(terms.budget.limits, terms.budget.already)
        self._shared = terms.budget
        self._batched = terms.batch is not None

    @property
    def spent(self) -> Account:
        """The spending of all runs together."""
        return self._shared.spent

    def check(self, promised: Account | None = None) -> None:
        """As `SharedBudget.check`, for the shared budget."""
        self._shared.check(promised)

    def book(self, completion: Completion, usd: float | None) -> None:
        """Books a reply that is new."""
        if not self._batched and not isinstance(completion, RecordedCompletion):
            self._shared.book(completion, usd)
