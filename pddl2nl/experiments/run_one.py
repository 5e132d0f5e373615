"""One run of an experiment, in a thread of this process or on a worker of a cluster, always by the same rules.

The run is locked, found finished or resumed, played, and the files of its unfinished attempts are removed. The result
is a `Result` and never an exception: a fault in one run of thousands must not cost the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pddl2nl.baselines import OracleModel
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.access import Access
from pddl2nl.experiments.jobs import Ended, Job, PlannerSpec, play, read_end
from pddl2nl.experiments.records.resume import Recollection, recollect
from pddl2nl.experiments.records.writer import claimed, partial_path, resuming_path
from pddl2nl.experiments.stopping import Share, Stop, StoppedError, Watched
from pddl2nl.llm import Model, ReplayModel, ReplyPendingError, ScriptedModel
from pddl2nl.policies.budget import BudgetSpentError, SharedBudget

if TYPE_CHECKING:
    from pddl2nl.experiments.batch_passes import BatchPasses

__all__ = ["Done", "Left", "Result", "Terms", "run_one", "record_path"]

_LOCAL = (ScriptedModel, ReplayModel, OracleModel)
"""Models whose replies cost nothing, and may depend on what was asked before: they are asked again."""


@dataclass(frozen=True)
class Done:
    """A run with a result; ``earlier`` says that it was finished before."""

    end: Ended
    earlier: bool = False


@dataclass(frozen=True)
class Left:
    """A run without a result, and why.

    ``unfinished``: the experiment was stopped; ``spent``: its budget is spent; ``elsewhere``: another process plays it;
    ``pending``: it waits for a batch; ``bad``: its specification is impossible; ``broken``: a tool, an endpoint or this
    package failed.
    """

    how: Literal["unfinished", "spent", "elsewhere", "pending", "bad", "broken"]
    message: str = ""


Result = Done | Left


@dataclass(frozen=True)
class Terms:
    """What the runs of an experiment share: the folder of their records, access to models, stop, budget and batches."""

    folder: Path
    access: Access
    stop: Stop
    budget: SharedBudget
    batch: BatchPasses | None = None


def record_path(folder: Path, job: Job) -> Path:
    """The path of a run's finished record."""
    return folder / f"{job.name}.jsonl"


def run_one(job: Job, terms: Terms) -> Result:
    """Plays a run, unless it is finished or another process plays it; raises nothing."""
    if terms.stop.reason is not None:
        return Left("unfinished")
    try:
        return _played(job, terms)
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
        return Left("broken", f"a fault of pddl2nl itself: {_place(error)}: {type(error).__name__}: {error}")


def _played(job: Job, terms: Terms) -> Result:
    path = record_path(terms.folder, job)
    with claimed(path) as mine:
        if not mine:
            return Left("elsewhere")
        end = read_end(path)
        if end is not None and not end.broken:
            return Done(end, earlier=True)
        recollection = recollect(path)
        recalled = len(recollection)

        def work(access: Access) -> Ended:
            share = Share(terms.budget, in_passes=terms.batch is not None)
            try:
                return play(job, path, _reached(access, recollection, share, terms.stop))
            except ReplyPendingError:
                share.forget()
                if not recalled:
                    # All its replies are in the cache; in this record they would count as paid by this run.
                    partial_path(path).unlink(missing_ok=True)
                raise
            finally:
                share.settle()

        end = work(terms.access) if terms.batch is None else terms.batch.attempt(work)
        for leftover in (partial_path(path), resuming_path(path)):
            leftover.unlink(missing_ok=True)
        if end.broken and terms.stop.now:
            if isinstance(job.spec, PlannerSpec):
                # The planner was ended by us, so its record says nothing.
                path.unlink()
            return Left("unfinished")
    return Done(end)


def _reached(access: Access, recollection: Recollection, share: Share, stop: Stop) -> Access:
    """One run's access to the models: the replies that it already has come first, then what notes a refusal."""
    given: Callable[[Model], Model] = access.before

    def before(model: Model) -> Model:
        watched = Watched(given(model), stop)
        return watched if isinstance(model, _LOCAL) else recollection.before(watched)

    return replace(access, budget=share, before=before)


def _place(error: Exception) -> str:
    """The innermost line of this package that raised the exception."""
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "pddl2nl" in code.co_filename or "pddlval" in code.co_filename:
            place = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
