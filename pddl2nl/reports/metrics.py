"""Metrics: pure functions of stored events, each knowing its name, direction, unit, aggregation and comparability.

A run that infrastructure broke is never scored: it has no value in any metric. Of several plans that a one-shot
mechanism proposed, steps and mistakes are those of the one that counts, calls and tokens those of all. Calls, tokens
and money are what replies took when they were paid, whether the run paid them or found them in a cache; those of the
planner alone, which chooses the actions, stand beside those of the other roles (wording, thoughts, translator) and of
all together. A role that nobody was asked in has no value.

**Aggregation** (`aggregate`), the same for every metric: the runs of one task, which differ in their seeds, become one
number first, their mean; then the tasks become one, each counting alike, by their sum (coverage) or their mean (all
else). Coverage is thus the mean over the seeds of the number of tasks that were solved, where every task was run with
every seed. A task none of whose runs has a value, as a plan's length where none was found, is left out of a mean.

**Comparability** (`Metric.compares`): a difference of two columns means something over the same tasks alone, and for
most metrics only over those that both solved: the plans of a column that solves the easy tasks alone are short, and
one that gives up at once takes few tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from pddl2nl.llm.types import PURPOSES
from pddl2nl.policies.events import Acted, LookedAround, Read, Rejected
from pddl2nl.policies.families import FAMILIES
from pddl2nl.policies.family import Comparable, Family, Metric, ScoredRun
from pddl2nl.reports.optima import over_optimal
from pddl2nl.reports.records import Record, RunRecord
from pddl2nl.reports.usage import Usage

if TYPE_CHECKING:
    from pddl2nl.reports.summaries import RunSummary

__all__ = [
    "METRICS",
    "Aggregate",
    "Comparable",
    "Metric",
    "aggregate",
    "claims_unsolvable",
    "measure",
    "mistakes",
    "task_means",
]

_CLAIMS = ("claimed-done", "claimed-unsolvable")
_UNREAD = ("unreadable", "ambiguous", "unknown-object")


@dataclass(frozen=True)
class Aggregate:
    """A metric over several runs: ``value`` of ``runs`` on ``tasks``; ``estimated`` where an estimate is in it."""

    value: float
    runs: int
    tasks: int
    estimated: bool = False


def measure(record: Record) -> tuple[Mapping[str, float], frozenset[str]]:
    """The values of all metrics that a run has, and the names of those with an estimate in them.

    Both are empty for a run that infrastructure broke.
    """
    if record.infrastructure:
        return {}, frozenset()
    values = {name: value for name, metric in METRICS.items() if (value := metric.of(record)) is not None}
    return values, frozenset(name for name in values if METRICS[name].guessed(record))


def aggregate(metric: Metric, runs: Iterable[RunSummary]) -> Aggregate | None:
    """The metric over the runs of one column: the mean of each task's runs, then the sum or mean over the tasks.

    None where no run has a value.
    """
    runs = [run for run in runs if metric.name in run.values]
    if not runs:
        return None
    means = task_means(metric.name, runs)
    whole = sum(means.values())
    if metric.together == "mean":
        whole /= len(means)
    return Aggregate(whole, len(runs), len(means), any(metric.name in run.estimated for run in runs))


def task_means(name: str, runs: Iterable[RunSummary]) -> dict[tuple[str, str, str], float]:
    """A metric of each task, the mean over its runs: by suite, task and texts; tasks without a value are left out."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for run in runs:
        value = run.values.get(name)
        if value is not None:
            # Two tasks with the same text are two where an experiment calls them so.
            found.setdefault((run.suite, run.task, run.task_id), []).append(value)
    return {task: sum(values) / len(values) for task, values in found.items()}


# ── the functions ────────────────────────────────────────────────────────────────────────────────


def mistakes(record: Record) -> int | None:
    """How many turns or plan lines were meant as actions and not executed; None for planners.

    Of a plan that was given at once the lines behind the first broken link count where they cannot be read, and a reply
    that holds no plan at all is one mistake. What a hierarchical policy corrects while it plans is none.
    """
    if not isinstance(record, RunRecord):
        return None
    rejected = sum(isinstance(event, Rejected) and event.status not in _CLAIMS for event in record.counted)
    if record.family is not None:
        return rejected
    judged = {event.step for event in record.counted if isinstance(event, Acted | Rejected | LookedAround)}
    reads = [event for event in record.counted if isinstance(event, Read)]
    behind = sum(read.step not in judged and read.status in _UNREAD for read in reads)
    nothing = record.outcome == "unreadable" and not reads and not judged
    return rejected + behind + nothing


def claims_unsolvable(record: Record) -> bool | None:
    """Whether a run ended with the statement that there is no plan; None for planners, which prove it or don't."""
    if not isinstance(record, RunRecord):
        return None
    return record.fault is not None and record.fault.status == "claimed-unsolvable"


def _claimed(record: Record, solvable: bool) -> float | None:
    """For tasks of one kind alone; None for those of the other, and where it is not known which they are."""
    claimed = claims_unsolvable(record)
    return None if claimed is None or record.solvable is not solvable else float(claimed)


def _coverage(record: Record) -> float | None:
    return float(record.solved)


def _plan_length(record: Record) -> float | None:
    return float(len(record.plan)) if record.solved else None


def _steps(record: Record) -> float | None:
    return _count(record, Acted, Rejected, LookedAround)


def _mistakes(record: Record) -> float | None:
    found = mistakes(record)
    return None if found is None else float(found)


def _look_arounds(record: Record) -> float | None:
    return _count(record, LookedAround)


def _count(record: Record, *kinds: type) -> float | None:
    if not isinstance(record, RunRecord):
        return None
    return float(sum(isinstance(event, kinds) for event in record.counted))


def _seconds(record: Record) -> float | None:
    return record.seconds


def _usage(record: Record, role: str | None) -> Usage | None:
    """What was taken in a role, or in all; None where nobody was asked in it."""
    if not isinstance(record, RunRecord):
        return None
    if role is not None:
        return record.usage.get(role)
    return record.total_usage if record.started.model != "none" or record.usage else None


def _taken(record: Record, what: str, role: str | None = None) -> float | None:
    usage = _usage(record, role)
    value = None if usage is None else getattr(usage, what)
    return None if value is None else float(value)


def _guessed(record: Record, what: str, role: str | None = None) -> bool:
    usage = _usage(record, role)
    return usage is not None and bool(getattr(usage, what))


# ── the table of them ────────────────────────────────────────────────────────────────────────────


def _outcomes() -> Iterator[Metric]:
    yield Metric("coverage", "tasks whose goal was reached", "higher", "sum", _coverage, "tasks", "always")
    yield Metric("plan-length", "actions of the plans that reached the goal", "lower", "mean", _plan_length, "actions")
    yield Metric(
        "plan-length-over-optimal",
        "actions of these plans, as a multiple of those of a shortest plan, where that is known",
        "lower",
        "mean",
        over_optimal,
    )
    yield Metric("steps", "turns, or judged plan lines", "lower", "mean", _steps, "steps")
    # Up to their limit failed runs have as many turns as others: where mistakes count, they count all the more.
    yield Metric(
        "mistakes", "turns or lines meant as actions and not executed", "lower", "mean", _mistakes, "turns", "always"
    )
    yield Metric("look-arounds", "turns that asked for the state", "lower", "mean", _look_arounds, "turns", "always")
    for name, what, better, solvable in (
        ("unsolvable-claimed", "unsolvable tasks of which it was said that there is no plan", "higher", False),
        ("unsolvable-claimed-falsely", "solvable tasks of which it was said that there is no plan", "lower", True),
    ):
        claimed = partial(_claimed, solvable=solvable)
        yield Metric(name, what, "higher" if better == "higher" else "lower", "mean", claimed, "", "always")


def _amounts() -> Iterator[Metric]:
    calls = "calls of models that were answered"
    yield Metric("calls", f"{calls}, in all roles", "lower", "mean", partial(_taken, what="calls"), "calls")
    planner = partial(_taken, what="calls", role="planner")
    yield Metric("planner-calls", f"{calls}, of the planner", "lower", "mean", planner, "calls")
    # What the planner was sent is in Tables 6 and 7 of the AutoPlanBench paper.
    tokens = (
        ("prompt_tokens", "sent", "prompt_estimated"),
        ("completion_tokens", "received", "completion_estimated"),
        ("tokens", "sent and received", "estimated"),
    )
    for role in (None, *PURPOSES):
        for what, said, guess in tokens:
            key = what.replace("_", "-")
            yield Metric(
                key if role is None else f"{role}-{key}",
                f"tokens {said}, {'in all roles' if role is None else f'as {role}'}",
                "lower",
                "mean",
                partial(_taken, what=what, role=role),
                "tokens",
                guessed=partial(_guessed, what=guess, role=role),
            )
    for what, said, better in (
        ("cached", "tokens sent that the provider had cached", "higher"),
        ("reasoning", "tokens received that are reasoning", "lower"),
    ):
        of = partial(_taken, what=f"{what}_tokens")
        yield Metric(f"{what}-tokens", said, "higher" if better == "higher" else "lower", "mean", of, "tokens")
    usd = partial(_taken, what="usd")
    yield Metric("usd", "what a run's replies cost, where prices are known", "lower", "mean", usd, "USD")
    yield Metric("seconds", "wall time of a run", "lower", "mean", _seconds, "s")
    hits = partial(_taken, what="cache_hits")
    yield Metric("cache-hits", "replies that our cache had", "higher", "mean", hits, "calls", "never")


def _of_families() -> Iterator[Metric]:
    """The metrics of all families; planners have none."""
    for family in FAMILIES.values():
        for metric in family.metrics:
            yield replace(metric, of=partial(_of_family, family, metric.of))


def _of_family(family: Family, of: Callable[[ScoredRun], float | None], record: Record) -> float | None:
    """A value of the family's own runs, and of any run whose task has a ground truth."""
    if not isinstance(record, RunRecord) or (record.reference is None and record.family is not family):
        return None
    return of(record)


METRICS: Mapping[str, Metric] = MappingProxyType(
    {metric.name: metric for metric in (*_outcomes(), *_amounts(), *_of_families())}
)
"""Every metric by its name."""
