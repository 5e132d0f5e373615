"""Planners: the baselines of an experiment, and the plans and limits that runs of policies need.

A baseline has no episode, so its record is a single event, `Planned`. Like the record of an episode it holds the whole
PDDL texts, so that the plan can be validated again without another file.

Runs need FF's plans for step limits and examples, and LM-cut's for shown examples. An experiment asks for the same ones
for every policy, model and seed, from many threads at once. So a result is remembered by its task, and each
search is run once. No more planners run at once than there are processors: a planner's limit is CPU time, which
crowding would not change, but wall time would run out on those that wait.

A step limit is twice the length of FF's plan, as in the AutoPlanBench paper.
"""

from __future__ import annotations

import platform
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError, UnsupportedError
from pddl2nl.experiments.records.writer import RecordWriter, job_name
from pddl2nl.files import read_text
from pddl2nl.limits import processors
from pddl2nl.llm.keys import sha256
from pddl2nl.once import Once
from pddl2nl.pddl import Task, text_of
from pddl2nl.policies import Policy
from pddl2nl.policies.events import Amount, Count, RunEvent
from pddl2nl.policies.spec import RunSpec
from pddl2nl.tasks import match_shipped, shipped_domain
from pddlval import GroundAction

if TYPE_CHECKING:
    from pddl2nl.baselines import PlannerResult, TaskTexts
    from pddl2nl.experiments.models import Access

Plan = tuple[GroundAction, ...]

FF_SECONDS = 300
"""How long FF may take for a step limit or an example that was asked for, in whole seconds of CPU time."""
QUICK_SECONDS = 5
"""How long it may take for one of several problems that could be an example."""
OPTIMAL_SECONDS = 20
"""How long the search for an optimal plan of an example may take; examples are small."""
MOST_EXPANDED = 1000
"""States that such a search, or a quick one, may have expanded: a plan that took more is not used.

Time alone would let a machine and its load decide which plan an example shows, and with it every prompt of a run. A
plan of few steps takes some dozens of expansions, and a thousand take seconds, far less than the limits above.
"""
UNSOLVABLE_STEPS = 40
"""The step limit for a task without a plan, which a model needs time to find out: twice the length of the longest
optimal plan of the primary set."""

_ADVICE = "the step limit by --steps N"


PACKAGES = ("pddl2nl", "up-fast-downward")
"""The packages whose versions every record holds."""


def versions_of(*packages: str) -> dict[str, str]:
    """The versions of Python and of those of the packages that are installed, and under ``machine`` its kind."""
    found = {package: version for package in packages if (version := _version(package)) is not None}
    machine = f"{platform.system()} {platform.machine()}"
    return {"python": platform.python_version(), "machine": machine, **found}


@lru_cache
def _version(package: str) -> str | None:
    # Read once: a package's metadata take a millisecond, and an experiment has thousands of runs.
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


# ── baselines ────────────────────────────────────────────────────────────────────────────────────


class Planned(RunEvent, frozen=True):
    """A planner's result on one task.

    ``planner``, ``search``, ``status``, ``plan``, ``cost``, ``expanded`` and ``message`` are those of
    `pddl2nl.baselines.PlannerResult`, actions as PDDL; a planner that broke has the status ``error``.
    ``domain`` and ``problem`` are the names in the PDDL texts; ``suite`` and ``task`` are what an experiment calls the
    task, else empty. ``versions`` are as those of `pddl2nl.policies.events.Started`. Two runs of one task on one
    machine differ in ``seconds`` (CPU time) and ``wall_seconds`` alone.
    """

    planner: str
    domain: str
    problem: str
    domain_pddl: str
    problem_pddl: str
    status: str
    plan: tuple[str, ...] | None = None
    cost: int | float | None = None
    expanded: Count | None = None
    search: str = ""
    message: str = ""
    domain_file: str = ""
    problem_file: str = ""
    seconds: Amount = 0.0
    wall_seconds: Amount = 0.0
    format: int = 1
    suite: str = ""
    task: str = ""
    versions: Mapping[str, str] = {}
    digest: str = ""

    last = "planned"

    @property
    def outcome(self) -> str:
        """The planner's status."""
        return self.status

    @property
    def spent(self) -> Mapping[str, Mapping[str, Any]]:
        """A planner costs nothing."""
        return {}


@dataclass(frozen=True)
class PlannerRun:
    """A baseline's run on two files.

    ``seconds`` and ``memory_mb`` are its limits, None for none. ``texts`` replace what the files hold, for a task that
    was transformed. ``parts`` are the readable parts of its name, by default those of the files.
    """

    domain: Path
    problem: Path
    planner: str
    seconds: int | None = None
    memory_mb: int | None = None
    texts: TaskTexts | None = None
    suite: str = ""
    task: str = ""
    parts: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """The name of its record without the ending."""
        texts = self._texts(errors="replace")
        identity = {
            "planner": self.planner,
            "seconds": self.seconds,
            "memory_mb": self.memory_mb,
            "domain": sha256(texts.domain),
            "problem": sha256(texts.problem),
        }
        return job_name(self.parts or (self.domain.parent.name, self.problem.stem, self.planner), identity)

    def play(self, record: Path, access: Access, observe: Callable[[RunEvent], None]) -> Planned:
        """Runs the planner, writes its record and returns it.

        A planner that crashes is recorded with the status ``error`` instead of raising: in a sweep it must cost one
        cell and not the whole table.

        Raises:
            MissingExtraError: the planner is not installed.
            PDDLError: a file cannot be read.
            InfrastructureError: the record cannot be written.
        """
        from pddl2nl.baselines import solve
        from pddl2nl.pddl import parse_task

        texts = self._texts()
        task = parse_task(texts.domain, texts.problem)
        try:
            result = solve(texts, self.planner, time_limit=self.seconds, memory_limit_mb=self.memory_mb)
            plan = None if result.plan is None else tuple(map(str, result.plan))
            outcome: dict[str, Any] = {**result.as_json(), "plan": plan, "message": result.message}
            outcome["wall_seconds"] = round(result.wall_seconds, 3)
        except InfrastructureError as error:
            outcome = {"planner": self.planner, "status": "error", "message": str(error)}
        planned = Planned(
            domain=task.domain.name,
            problem=task.problem.name,
            domain_pddl=texts.domain,
            problem_pddl=texts.problem,
            domain_file=str(self.domain),
            problem_file=str(self.problem),
            suite=self.suite,
            task=self.task,
            versions=versions_of(*PACKAGES),
            **outcome,
        )
        with RecordWriter(record) as writer:
            writer.write(planned)
        return planned

    def _texts(self, errors: Literal["strict", "replace"] = "strict") -> TaskTexts:
        from pddl2nl.baselines import TaskTexts

        files = (self.domain, self.problem)
        return self.texts or TaskTexts(*(read_text(path, "PDDL file", errors=errors) for path in files))


# ── plans that runs need ─────────────────────────────────────────────────────────────────────────


class NoPlanExistsError(InputError):
    """A planner proved that a task has no plan."""


_PLANNERS = threading.BoundedSemaphore(processors())


def _solve(task: Task, planner: str, seconds: int) -> PlannerResult:
    from pddl2nl.baselines import solve

    with _PLANNERS:
        result = solve(task, planner, time_limit=seconds)
    if result.status == "error":
        raise InfrastructureError(f"Fast Downward failed: {result.message}")
    return result


_search = Once(_solve, 1024)


def ff_plan(task: Task, advice: str) -> Plan:
    """FF's plan; ``advice`` names the user's alternative if FF finds none.

    Raises:
        InputError: the planner is missing, does not take the task, or found no plan; `NoPlanExistsError` where it
            proved that there is none.
        InfrastructureError: the planner failed.
    """
    try:
        result = _search(task, "ff", FF_SECONDS)
    except MissingExtraError as error:
        raise InputError(f"{error}; without a planner, give {advice}") from error
    if result.plan is None:
        kind = NoPlanExistsError if result.status == "unsolvable" else InputError
        why = f"ff found no plan ({result.status}: {result.message})"
        raise kind(f"problem '{task.problem.name}': {why}; give {advice}")
    return result.plan


def quick_plan(task: Task) -> Plan | None:
    """FF's plan within `QUICK_SECONDS` and `MOST_EXPANDED`; None if it finds none or no planner is installed."""
    return _small_plan(task, "ff", QUICK_SECONDS)


def optimal_plan(task: Task) -> Plan | None:
    """A plan of least cost by LM-cut within `OPTIMAL_SECONDS` and `MOST_EXPANDED`; None as in `quick_plan`."""
    return _small_plan(task, "lmcut", OPTIMAL_SECONDS)


def _small_plan(task: Task, planner: str, seconds: int) -> Plan | None:
    try:
        result = _search(task, planner, seconds)
    except (MissingExtraError, UnsupportedError):
        return None
    return result.plan if result.expanded is None or result.expanded <= MOST_EXPANDED else None


# ── step limits ──────────────────────────────────────────────────────────────────────────────────


def foreseen(spec: RunSpec, policy: Policy) -> tuple[int | None, bool | None]:
    """The step limit of a run, or None, and whether its task has a plan, None if unknown.

    A planner is asked for a missing limit, or to judge claims.

    Raises:
        InputError: a step limit is needed, and there is no planner, or it neither found a plan nor proved that there
            is none.
        InfrastructureError: the planner failed.
    """
    solvable = shipped_as_solvable(spec.task)
    steps = policy.own_steps if spec.steps is None else spec.steps
    if steps is not None or policy.one_shot:
        if solvable is None and getattr(policy, "unsolvable", "") == "tell":
            solvable = _proved(spec.task)
        return steps, solvable
    if solvable is False:
        return UNSOLVABLE_STEPS, False
    try:
        plan = ff_plan(spec.task, _ADVICE)
    except NoPlanExistsError:
        return UNSOLVABLE_STEPS, False
    # At least one, so that a goal that holds at once leaves a valid limit.
    return max(1, 2 * len(plan)), True


def shipped_as_solvable(task: Task) -> bool | None:
    """Whether a shipped problem, known by its text, has a plan by its manifest; None for another problem."""
    shipped = match_shipped(task.domain)
    return None if shipped is None else _solvable_texts(shipped.name).get(text_of(task.problem))


@lru_cache(maxsize=8)
def _solvable_texts(domain: str) -> dict[str, bool]:
    return {each.path.read_text(encoding="utf-8"): each.solvable for each in shipped_domain(domain).instances}


def _proved(task: Task) -> bool | None:
    try:
        ff_plan(task, _ADVICE)
    except NoPlanExistsError:
        return False
    except InputError:
        return None
    return True
