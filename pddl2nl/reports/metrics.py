"""Metrics: pure functions of stored events, each with its name, direction, unit, aggregation and comparability.

A run with an infrastructure error has no value in any metric. If a one-shot mechanism proposed several plans, steps and
mistakes are those of the plan that counts; calls and tokens are those of all plans. Calls, tokens and money count
whether the run paid for them or found the replies in a cache. A role without calls has no value.

**Aggregation** (`pddl2nl.reports.coverage.aggregate`): first the mean over the runs of one task, which differ in their
seeds; then the sum (coverage) or the mean (all others) over the tasks that have a value.

**Comparability** (`RunMetric.comparable`): two columns are compared over the same tasks only, and for most metrics only
over tasks that both solved: a column that solves only the easy tasks has short plans, and one that gives up at once
uses few tokens.

**Optimal lengths**: a plan's length is its number of actions; costs don't count. The optimal length of a task is
known from a shipped manifest, or from a planner's record: breadth-first search finds a shortest plan; A* with LM-cut
finds a cheapest plan, which is a shortest one if the problem has no metric.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType

from pddl2nl.errors import InputError
from pddl2nl.experiments.records.stored import PlannerRecord, Record, RunRecord
from pddl2nl.llm.types import PURPOSES
from pddl2nl.plugins import (
    METRIC_GROUP,
    System,
    by_name,
    fails_alone,
    is_ours,
    load_object,
    loadable,
    provided,
    systems,
)
from pddl2nl.policies.events import Acted, LookedAround, Read, Rejected
from pddl2nl.policies.reporting import RunMetric, ScoredRun
from pddl2nl.tasks import authored_domains, shipped_domain, shipped_domains
from pddl2nl.tasks.shipped import domain_path


def measure(record: Record) -> tuple[Mapping[str, float], frozenset[str]]:
    """The values of all metrics that a run has, and the names of those that contain an estimate."""
    if record.infrastructure:
        return {}, frozenset()
    known = all_metrics()
    values = {name: value for name in record.metrics or known if (value := known[name].of(record)) is not None}
    return values, frozenset(name for name in values if known[name].guessed(record))


# ── optimal lengths ──────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=256)
def task_id(domain_pddl: str, problem_pddl: str) -> str:
    """The SHA-256 of both texts, independent of their line ends."""
    digest = hashlib.sha256()
    for data in (_plain(domain_pddl), _plain(problem_pddl)):
        # The length separates the two texts.
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


def _plain(text: str) -> bytes:
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return plain.encode("utf-8", "surrogatepass")


def optimal_length(record: Record) -> int | None:
    """The length of a shortest plan of a run's task, if the run proves it or a shipped manifest has it."""
    if isinstance(record, PlannerRecord) and record.solved:
        planner, problem = record.planned.planner, record.planned.problem_pddl
        if planner == "brfs" or (planner == "lmcut" and ":metric" not in problem.lower()):
            return len(record.plan)
    domain, problem = record.first.domain_pddl, record.first.problem_pddl
    return shipped_lengths(domain).get(task_id(domain, problem))


def length_ratio(length: float, optimal: float) -> float | None:
    """``length`` over ``optimal``; None if the optimal plan is empty and this one is not."""
    if optimal == 0:
        return 1.0 if length == 0 else None
    return length / optimal


@lru_cache(maxsize=64)
def shipped_lengths(domain_pddl: str) -> Mapping[str, int]:
    """The proved lengths of the shipped tasks with this text of a domain, by `task_id`."""
    found = {}
    for name in (*shipped_domains(), *authored_domains()):
        # Only manifests of domains with the same text are read.
        if _plain(domain_path(name).read_text(encoding="utf-8")) == _plain(domain_pddl):
            for instance in shipped_domain(name).instances:
                if instance.optimal_length is not None and instance.proof in ("lmcut", "brfs", "blind", "hmax"):
                    problem = instance.path.read_text(encoding="utf-8")
                    found[task_id(domain_pddl, problem)] = instance.optimal_length
    return MappingProxyType(found)


# ── the functions ────────────────────────────────────────────────────────────────────────────────

_CLAIMS = ("claimed-done", "claimed-unsolvable")
_UNREAD = ("unreadable", "ambiguous", "unknown-object")


def _over_optimal(record: Record) -> float | None:
    # `pddl2nl.reports.gathering` adds the tasks that an optimal planner solved in another record.
    optimal = optimal_length(record) if record.solved else None
    return None if optimal is None else length_ratio(len(record.plan), optimal)


def _count(record: Record, kinds: tuple[type, ...]) -> float | None:
    if not isinstance(record, RunRecord):
        return None
    return float(sum(isinstance(event, kinds) for event in record.counted))


def _mistakes(record: Record) -> float | None:
    """Turns or plan lines that were meant as actions and not executed.

    In a plan given at once, unreadable lines after the first failure count too, and a reply without any plan is one
    mistake. Corrections that a system's policy makes while it plans do not count.
    """
    if not isinstance(record, RunRecord):
        return None
    rejected = sum(isinstance(event, Rejected) and event.status not in _CLAIMS for event in record.counted)
    if record.system is not None:
        return float(rejected)
    judged = {event.step for event in record.counted if isinstance(event, Acted | Rejected | LookedAround)}
    reads = [event for event in record.counted if isinstance(event, Read)]
    later = sum(read.step not in judged and read.status in _UNREAD for read in reads)
    no_plan = record.outcome == "unreadable" and not reads and not judged
    return float(rejected + later + no_plan)


def _claimed(record: Record, solvable: bool) -> float | None:
    """Whether a run ended with the claim that there is no plan; only for tasks known to be (un)solvable."""
    if not isinstance(record, RunRecord) or record.solvable is not solvable:
        return None
    return float(record.fault is not None and record.fault.status == "claimed-unsolvable")


def _planning(record: Record, what: str) -> float | None:
    """The seconds or the expanded states of the events that have both: of planners, and of searches in a policy."""
    events = [event for event in record.events if hasattr(event, "expanded") and hasattr(event, "seconds")]
    values = [value for event in events if (value := getattr(event, what)) is not None]
    return float(sum(values)) if values else None


def _wall_seconds(record: Record) -> float:
    return float(record.planned.wall_seconds if isinstance(record, PlannerRecord) else record.last.seconds)


def _used(record: Record, what: str, role: str | None = None) -> float | None:
    usage = record.usage.get(role) if role else None
    if not role and (record.model or record.usage):
        usage = record.total_usage
    value = None if usage is None else getattr(usage, what)
    return None if value is None else float(value)


def _estimated(record: Record, what: str, role: str | None = None) -> bool:
    return bool(_used(record, what, role))


def _of_system(system: System, of: Callable[[ScoredRun], float | None], record: Record) -> float | None:
    """A value of the runs of a system's own policies, and of any run whose task has a ground truth."""
    if not isinstance(record, RunRecord) or (record.reference is None and record.system is not system):
        return None
    return of(record)


def _alone(metric: RunMetric, record: Record) -> float | None:
    """A value of another package's metric; none, and a warning, where its function raises or gives no number."""
    with fails_alone(f"the metric '{metric.name}'"):
        value = metric.of(record)
        if value is None or math.isfinite(value):
            return value
        raise InputError(f"expected a number, found {value}")
    return None


# ── the table of them ────────────────────────────────────────────────────────────────────────────


def _metrics() -> Iterator[RunMetric]:
    solved = "tasks whose goal was reached"
    yield RunMetric("coverage", solved, "higher", "sum", lambda run: float(run.solved), "tasks", "always")
    plans = "actions of the plans that reached the goal"
    yield RunMetric(
        "plan-length", plans, "lower", "mean", lambda run: float(len(run.plan)) if run.solved else None, "actions"
    )
    ratio = "actions of these plans, as a multiple of those of a shortest plan, where that is known"
    yield RunMetric("plan-length-over-optimal", ratio, "lower", "mean", _over_optimal)
    steps, looks = partial(_count, kinds=(Acted, Rejected, LookedAround)), partial(_count, kinds=(LookedAround,))
    yield RunMetric("steps", "turns, or judged plan lines", "lower", "mean", steps, "steps")
    # Failed runs have as many turns as others up to the limit, so their mistakes are comparable.
    mistakes = "turns or lines meant as actions and not executed"
    yield RunMetric("mistakes", mistakes, "lower", "mean", _mistakes, "turns", "always")
    yield RunMetric("look-arounds", "turns that asked for the state", "lower", "mean", looks, "turns", "always")
    claim = "tasks that were called unsolvable"
    right, wrong = partial(_claimed, solvable=False), partial(_claimed, solvable=True)
    yield RunMetric("unsolvable-claimed", f"unsolvable {claim}", "higher", "mean", right, "", "always")
    yield RunMetric("unsolvable-claimed-falsely", f"solvable {claim}", "lower", "mean", wrong, "", "always")
    calls = "calls of models that were answered"
    yield RunMetric("calls", f"{calls}, in all roles", "lower", "mean", partial(_used, what="calls"), "calls")
    planner = partial(_used, what="calls", role="planner")
    yield RunMetric("planner-calls", f"{calls}, of the planner", "lower", "mean", planner, "calls")
    for role in (None, *roles()):
        for what, kind, estimate in (
            ("prompt_tokens", "sent", "prompt_estimated"),
            ("completion_tokens", "received", "completion_estimated"),
            ("tokens", "sent and received", "estimated"),
        ):
            key = what.replace("_", "-")
            yield RunMetric(
                key if role is None else f"{role}-{key}",
                f"tokens {kind}, {'in all roles' if role is None else f'as {role}'}",
                "lower",
                "mean",
                partial(_used, what=what, role=role),
                "tokens",
                guessed=partial(_estimated, what=estimate, role=role),
            )
    cached, reasoning = partial(_used, what="cached_tokens"), partial(_used, what="reasoning_tokens")
    yield RunMetric("cached-tokens", "tokens sent that the provider had cached", "higher", "mean", cached, "tokens")
    new = "tokens sent behind the messages with which the run's last prompt in that role began"
    guessed = partial(_estimated, what="prompt_estimated")
    yield RunMetric("new-tokens", new, "lower", "mean", partial(_used, what="new_tokens"), "tokens", guessed=guessed)
    yield RunMetric("reasoning-tokens", "tokens received that are reasoning", "lower", "mean", reasoning, "tokens")
    usd = partial(_used, what="usd")
    yield RunMetric("usd", "what a run's replies cost, where prices are known", "lower", "mean", usd, "USD")
    yield RunMetric("seconds", "wall time of a run or a planner", "lower", "mean", _wall_seconds, "s")
    hits = partial(_used, what="cache_hits")
    yield RunMetric("cache-hits", "replies that our cache had", "higher", "mean", hits, "calls", "never")
    planning = "CPU time of Fast Downward, also if a policy calls it; wall time of a policy's own search"
    yield RunMetric("planning-seconds", planning, "lower", "mean", partial(_planning, what="seconds"), "s")
    by, expanded = "by Fast Downward, or by a policy's planner or search", partial(_planning, what="expanded")
    yield RunMetric("expanded-states", f"states expanded {by}", "lower", "mean", expanded, "states")
    for system, own in provided("metrics", RunMetric):
        for metric in own:
            of = metric.of if is_ours(system.package) else partial(_alone, metric)
            yield replace(metric, of=partial(_of_system, system, of))


_ADDED: dict[str, RunMetric] = {}


@lru_cache(maxsize=1)
def all_metrics() -> Mapping[str, RunMetric]:
    """Every metric by its name: the general ones, those of systems, and those that were added."""
    for _ in loadable(METRIC_GROUP, lambda entry: add_metric(entry.value)):
        pass
    return MappingProxyType(by_name("metric", ((metric.name, metric) for metric in _metrics())) | _ADDED)


def added_metrics() -> tuple[str, ...]:
    """The names of the metrics that packages, or `add_metric`, added."""
    all_metrics()
    return tuple(_ADDED)


@lru_cache(maxsize=1)
def roles() -> tuple[str, ...]:
    """The roles of models in runs: those of every run, then those of systems."""
    return tuple(dict.fromkeys((*PURPOSES, *(role for system in systems().values() for role in system.roles))))


def add_metric(metric: RunMetric | str) -> str:
    """Adds a metric, or that of ``module:NAME``, to all reports of this process, and returns its name.

    Its function takes a `Record` and returns None if it has no value. One of that name that was added is replaced.

    Raises:
        InputError: it is no metric, or has the name of one of ours.
    """
    loaded = load_object(metric) if isinstance(metric, str) else metric
    if not isinstance(loaded, RunMetric):
        raise InputError(f"{metric}: expected a pddl2nl.policies.reporting.RunMetric, found a {type(loaded).__name__}")
    if any(loaded.name == own.name for own in _metrics()):
        raise InputError(f"{metric}: there is a metric '{loaded.name}' already; give it another name")
    _ADDED[loaded.name] = replace(loaded, of=partial(_alone, loaded))
    all_metrics.cache_clear()
    return loaded.name
