"""One run of an experiment, whoever plays it: a thread here or a worker of a cluster, always by the same rules.

The run is locked, found to be finished already or gone on with where it was, played, and what an unfinished one has
left is removed. What comes of it is a `Result`, never an exception: a fault in one run of thousands costs no other.
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
from pddl2nl.experiments.record import claimed, partial_path, resuming_path
from pddl2nl.experiments.resume import Recollection, recollect
from pddl2nl.experiments.stopping import Share, Stop, StoppedError, Watched
from pddl2nl.llm import Model, ReplayModel, ReplyPendingError, ScriptedModel
from pddl2nl.policies.budget import BudgetSpentError, SharedBudget

if TYPE_CHECKING:
    from pddl2nl.experiments.batch_passes import BatchPasses

__all__ = ["Done", "Left", "Result", "Terms", "outcome_of", "record_path"]

_LOCAL = (ScriptedModel, ReplayModel, OracleModel)
"""Models whose replies cost nothing, and some of which go by what they were asked before: they are asked again."""


@dataclass(frozen=True)
class Done:
    """A run with a result; ``earlier`` says that it was there already."""

    end: Ended
    earlier: bool = False


@dataclass(frozen=True)
class Left:
    """A run that came to no result, and why.

    ``unfinished``: the experiment was stopped; ``spent``: its budget is; ``elsewhere``: another process is at it;
    ``pending``: a batch will bring what it asked for; ``bad``: it cannot be, as it is specified; ``broken``: a tool
    or an endpoint failed, or we did.
    """

    how: Literal["unfinished", "spent", "elsewhere", "pending", "bad", "broken"]
    message: str = ""


Result = Done | Left


@dataclass(frozen=True)
class Terms:
    """What all runs of an experiment have in common: where their records go, and what they share."""

    folder: Path
    access: Access
    stop: Stop
    budget: SharedBudget
    batch: BatchPasses | None = None


def record_path(folder: Path, job: Job) -> Path:
    """Where the record of a run stands when it is finished."""
    return folder / f"{job.name}.jsonl"


def outcome_of(job: Job, terms: Terms) -> Result:
    """Plays a run, unless it is finished or another process is at it; raises nothing."""
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
                    # The cache has all that it holds; recorded here it would count as paid for by this run.
                    partial_path(path).unlink(missing_ok=True)
                raise
            finally:
                share.settle()

        end = work(terms.access) if terms.batch is None else terms.batch.attempt(work)
        for leftover in (partial_path(path), resuming_path(path)):
            leftover.unlink(missing_ok=True)
        if end.broken and terms.stop.now:
            if isinstance(job.spec, PlannerSpec):
                # A planner that we have ended: its record says nothing.
                path.unlink()
            return Left("unfinished")
    return Done(end)


def _reached(access: Access, recollection: Recollection, share: Share, stop: Stop) -> Access:
    """How the models are reached by one run: what it had is in front, then what notes a refusal."""
    given: Callable[[Model], Model] = access.before

    def before(model: Model) -> Model:
        watched = Watched(given(model), stop)
        return watched if isinstance(model, _LOCAL) else recollection.before(watched)

    return replace(access, budget=share, before=before)


def _place(error: Exception) -> str:
    """The innermost line of ours that an exception came from."""
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "pddl2nl" in code.co_filename or "pddlval" in code.co_filename:
            place = f"{Path(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
