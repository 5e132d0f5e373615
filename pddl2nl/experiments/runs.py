"""One run: a policy on a task with a model, from its description to its result and record; alone, or as a job of many.

An experiment runs each `Job`: that of a policy (`run_job`), of a baseline (`pddl2nl.experiments.planners.PlannerRun`),
or of a system. In a thread of this process or on a worker of a cluster, `run_one` locks the record of a job, finds
it finished or resumes it, and removes what unfinished attempts left. It ends in a `Result`, never in an exception: a
fault in one run of thousands must not cost the others.
"""

from __future__ import annotations

import os
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from pddl2nl.baselines import PlanOracle
from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments.models import Access, model_identity, reach
from pddl2nl.experiments.preparing import prepare_run
from pddl2nl.experiments.records.reader import End, is_broken, read_end
from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.records.writer import (
    RecordWriter,
    claimed,
    free_record_path,
    job_name,
    leftovers,
    partial_path,
    recollect,
    record_name,
)
from pddl2nl.files import read_text
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
from pddl2nl.llm.keys import sha256
from pddl2nl.llm.replay import RecordedCompletion
from pddl2nl.nl import Wording
from pddl2nl.pddl import Task, text_of
from pddl2nl.plugins import said, their_place
from pddl2nl.policies import Policy, RunEvent, make_policy
from pddl2nl.policies.budget import Account, BudgetSpentError, SharedBudget, total
from pddl2nl.policies.events import Started
from pddl2nl.policies.policy import WorldPolicy, options_of
from pddl2nl.policies.setting import SolvedProblem
from pddl2nl.policies.spec import RUN_OPTIONS, RunSpec, options_text

if TYPE_CHECKING:
    from pddl2nl.experiments.batch_passes import BatchPasses


def run(
    task: Task,
    policy: str | Policy = "react",
    model: str | Model = "oracle",
    *,
    record: str | Path | None = None,
    cache: str | Path | None = None,
    models_file: str | Path | None = None,
    **options: Any,
) -> RunRecord:
    """Runs a policy on a task. Needs no file and writes none unless ``record`` or ``out`` names one.

    Failures on the way (an endpoint, a planner in the model) are an outcome, ``infrastructure-error``. Wrong arguments
    raise. What the command line prints as a warning is a `UserWarning`.

    Args:
        task: the task to be solved.
        policy: a policy's name, ``module:Class``, or a `pddl2nl.policies.Policy`.
        model: a model's name, or a model.
        record: the file to write; an older one is replaced.
        cache: where replies of models behind an endpoint are kept; None for the usual file, ``none`` for nowhere.
        models_file: settings and prices by model, TOML.
        options: the options of a run, listed below, and those of the policy; the command line has the same.

    Raises:
        InputError: an unknown option or a wrong value, a task that cannot be executed, or no planner where one is
            needed.
        InfrastructureError: the planner that sets the step limit failed, or the record cannot be written.
    """
    path = None if record is None else Path(record)
    spec = RunSpec.of(task, policy, model=model, record=path, **options)
    return run_spec(spec, reach(cache, models_file, warn=warnings.warn))


run.__doc__ = f"{run.__doc__}\n    Options:\n{options_text()}\n    "


class _RecordLostError(Exception):
    """No `InfrastructureError`, which an episode would take for a failing model and go on to its end."""


def run_spec(
    spec: RunSpec, access: Access | None = None, observe: Callable[[RunEvent], None] = lambda event: None
) -> RunRecord:
    """Runs what a specification says, as `run`; ``observe`` is given every event as it happens."""
    events: list[RunEvent] = []
    path: Path | None = None
    try:
        with ExitStack() as stack:

            def begin(started: Started) -> Callable[[RunEvent], None]:
                nonlocal path
                path = _record_path(spec, started)
                writer = stack.enter_context(RecordWriter(path)) if path is not None else None

                def emit(event: RunEvent) -> None:
                    events.append(event)
                    observe(event)
                    try:
                        if writer is not None:
                            writer.write(event)
                    except InfrastructureError as error:
                        raise _RecordLostError(str(error)) from error

                emit(started)
                return emit

            prepare_run(spec, access, begin).play()
    except ReplyPendingError:
        if path is not None and spec.record is None:
            # The name was reserved for this attempt, and is free for the next one.
            partial_path(path).unlink(missing_ok=True)
        raise
    except _RecordLostError as lost:
        raise InfrastructureError(str(lost)) from lost
    return RunRecord.played(path, tuple(events))


def _record_path(spec: RunSpec, started: Started) -> Path | None:
    if spec.record is not None or spec.out is None:
        return spec.record
    name = record_name(started.domain, started.problem, started.policy, started.model, started.style, str(started.seed))
    return free_record_path(spec.out, name)


# ── jobs of an experiment ───────────────────────────────────────────────────────────────────────────

_NOT_IDENTITY = ("out", "timeout", "base_url", "options", "model", "models", "wording", "example", "example_plan")
"""Options that do not determine what happens in a run, and those that are identified by more than their value."""


@dataclass(frozen=True)
class Job:
    """One run of an experiment, which can be played and recorded.

    Attributes:
        about: what is run: a `RunSpec`, a `pddl2nl.experiments.planners.PlannerRun`, or what a system asks a model.
        name: of its record without the ending: the same for the same run, and no other's.
        play: runs it until the record at a path is finished, with the access to models, and returns the last event;
            the function that it is given gets every event.
        asks_model: whether it asks a model, which may cost money.
        base_url: the endpoint that it names.
    """

    about: Any
    name: str
    play: Callable[[Path, Access, Callable[[RunEvent], None]], End]
    asks_model: bool = False
    base_url: str | None = None


def run_job(spec: RunSpec, parts: tuple[str, ...] = (), models_file: Path | None = None) -> Job:
    """The run of a policy; ``parts`` are the readable parts of its name, by default what usually tells runs apart."""
    policy = make_policy(spec.policy, spec.options)
    model = spec.model if isinstance(spec.model, str) else spec.model.name
    asked = (model, spec.style) if policy.needs_model else ()
    told = (spec.task.domain.name, spec.task.problem.name, spec.policy_name, *asked, str(spec.seed))
    name = job_name(parts or told, _identity(spec, policy, models_file))
    return Job(spec, name, partial(_play, spec), policy.needs_model, spec.base_url)


def _play(spec: RunSpec, record: Path, access: Access, observe: Callable[[RunEvent], None]) -> End:
    return cast(End, run_spec(replace(spec, record=record, out=None), access, observe).events[-1])


def _identity(spec: RunSpec, policy: Policy, models_file: Path | None) -> dict[str, Any]:
    """Everything that determines the run, as JSON: files by the hashes of their texts, a wording by its content.

    Defaults are left out, so that a new option changes the name of no run.
    """
    given = {name: getattr(spec, name) for name in RUN_OPTIONS if name not in _NOT_IDENTITY}
    options = {name: value for name, value in given.items() if value != RUN_OPTIONS[name].default}
    for name in ("files", "prompts"):
        if name in options:
            options[name] = {key: _text_hash(value) for key, value in options[name].items()}
    task, wording, example = spec.task, spec.wording, spec.example
    return {
        **options,
        "policy": spec.policy_name,
        "options": _policy_options(policy),
        **({} if spec.profile is None else {"profile": spec.profile}),
        "domain": sha256(text_of(task.domain)),
        "problem": sha256(text_of(task.problem)),
        "wording": wording.to_json() if isinstance(wording, Wording) else _file_or_word(wording, "llm", "template"),
        "example": [sha256(text_of(example.task.problem)), [str(action) for action in example.plan]]
        if isinstance(example, SolvedProblem)
        else _file_or_word(example, "none"),
        "example_plan": _file_or_word(spec.example_plan),
        "model": model_identity(spec.model, models_file),
        "models": {role: model_identity(model, models_file) for role, model in spec.models.items()},
    }


def _policy_options(policy: Policy) -> dict[str, Any]:
    """The policy's options that differ from their defaults; a file of faults by its text."""
    values = msgspec.structs.asdict(policy)
    faults: Any = policy.faults if isinstance(policy, WorldPolicy) else None
    if faults is not None:
        # Faults are a file, a text, or an object.
        is_file = isinstance(faults, str) and os.path.isfile(faults)
        values["faults"] = _text_hash(faults) if is_file else getattr(faults, "text", faults)
    defaults = {name: option.default for name, option in options_of(type(policy)).items()}
    changed = {name: value for name, value in values.items() if value != defaults[name]}
    return cast("dict[str, Any]", msgspec.to_builtins(changed))


def _file_or_word(value: Any, *words: str) -> str | None:
    return str(value) if value in words else None if value is None else _text_hash(value)


def _text_hash(given: Any) -> str:
    """The hash of a file's text, or of that of an object with the attribute ``text``."""
    return sha256(read_text(Path(given), errors="replace") if isinstance(given, str | Path) else given.text)


# ── a job, run once ─────────────────────────────────────────────────────────────────────────────────

_LOCAL = (ScriptedModel, ReplayModel, PlanOracle)
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
    """Whether an experiment is to stop, and why: the first ``reason`` stands, None if runs may begin.

    With ``now`` running runs stop as well, before their next call. ``refused`` says that an endpoint or a cluster is
    gone for good, ``interrupted`` that the user asked to stop.
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
    """What the runs of an experiment share; the folder is that of their records."""

    folder: Path
    access: Access
    stop: Stop
    budget: SharedBudget
    batch: BatchPasses | None = None
    observe: Observe = unobserved


def record_path(folder: Path, job: Job) -> Path:
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
        ours = traceback.extract_tb(error.__traceback__)[-1]
        place = their_place(error) or f"a fault of pddl2nl itself: {Path(ours.filename).name}:{ours.lineno}: "
        return Left("broken", f"{place}{said(error)}")


def _run_locked(job: Job, terms: Terms) -> Result:
    path = record_path(terms.folder, job)
    with claimed(path) as mine:
        if not mine:
            return Left("elsewhere")
        end = read_end(path)
        if end is not None and not is_broken(end):
            return Done(end, earlier=True)
        end = _run(job, path, terms)
        for leftover in leftovers(path):
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
        return self._shared.spent

    def check(self, promised: Account | None = None) -> None:
        self._shared.check(promised)

    def book(self, completion: Completion, usd: float | None) -> None:
        if not self._batched and not isinstance(completion, RecordedCompletion):
            self._shared.book(completion, usd)
