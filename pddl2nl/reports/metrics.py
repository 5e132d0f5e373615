"""Metrics: pure functions of stored records, each knowing which way is better and how it is put together.

A run that infrastructure broke is never scored: it has no value in any metric. Of several plans that a one-shot
mechanism proposed, steps and mistakes are those of the one that counts, calls and tokens those of all. Calls, tokens
and money are what replies took when they were paid, whether the run paid them or found them in a cache; those of the
planner alone, which chooses the actions, stand beside those of all roles (wording, thoughts, planner, translator).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal

from pddl2nl.policies.events import Acted, LookedAround, Prompted, Rejected, Replied, counted
from pddl2nl.reports.records import Record, RunRecord

__all__ = ["METRICS", "Metric", "aggregate", "claims_unsolvable", "mistakes"]


_CLAIMS = ("claimed-done", "claimed-unsolvable")


@dataclass(frozen=True)
class Metric:
    """One quantity of a run.

    ``of`` gives its value, or None where the run has none (a planner makes no calls, a failed run has no plan
    length); ``better`` says which way improves it; ``together`` how values of several runs become one.
    """

    name: str
    summary: str
    better: Literal["higher", "lower"]
    together: Literal["sum", "mean"]
    of: Callable[[Record], float | None]


def aggregate(metric: Metric, records: Iterable[Record]) -> float | None:
    """The metric over several runs; None where none of them has a value."""
    values = [value for record in records if not record.infrastructure and (value := metric.of(record)) is not None]
    if not values:
        return None
    return sum(values) / len(values) if metric.together == "mean" else sum(values)


def mistakes(record: Record) -> int | None:
    """How many turns or plan lines were meant as actions and not executed; None for planners."""
    if not isinstance(record, RunRecord):
        return None
    return sum(isinstance(event, Rejected) and event.status not in _CLAIMS for event in counted(record.events))


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
    return float(sum(isinstance(event, kinds) for event in counted(record.events)))


def _replies(record: RunRecord, purpose: str | None = None) -> Iterator[Replied]:
    """The replies in one role, or in all."""
    asked = ""
    for event in record.events:
        if isinstance(event, Prompted):
            asked = event.purpose
        elif isinstance(event, Replied) and purpose in (None, asked):
            yield event


def _calls(record: Record, purpose: str | None = None) -> float | None:
    return _total(record, lambda reply: 1, purpose)


def _prompt_tokens(record: Record, purpose: str | None = None) -> float | None:
    return _total(record, lambda reply: reply.prompt_tokens, purpose)


def _completion_tokens(record: Record, purpose: str | None = None) -> float | None:
    return _total(record, lambda reply: reply.completion_tokens, purpose)


def _cached_tokens(record: Record) -> float | None:
    return _total(record, lambda reply: reply.cached_tokens)


def _reasoning_tokens(record: Record) -> float | None:
    return _total(record, lambda reply: reply.reasoning_tokens)


def _cache_hits(record: Record) -> float | None:
    return _total(record, lambda reply: reply.from_cache)


def _total(record: Record, of: Callable[[Replied], int], purpose: str | None = None) -> float | None:
    if not isinstance(record, RunRecord):
        return None
    return float(sum(map(of, _replies(record, purpose))))


def _usd(record: Record) -> float | None:
    if not isinstance(record, RunRecord):
        return None
    costs = [reply.usd for reply in _replies(record)]
    # An unknown price is never taken for zero.
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _seconds(record: Record) -> float | None:
    return record.seconds


_of_planner = partial(partial, purpose="planner")

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("coverage", "runs that reached the goal", "higher", "sum", _coverage),
            Metric("plan-length", "actions of the plans that reached the goal", "lower", "mean", _plan_length),
            Metric("steps", "turns, or judged plan lines", "lower", "mean", _steps),
            Metric("mistakes", "turns meant as actions and not executed", "lower", "mean", _mistakes),
            Metric("look-arounds", "turns that asked for the state", "lower", "mean", _look_arounds),
            Metric(
                "unsolvable-claimed",
                "unsolvable tasks of which it was said that there is no plan",
                "higher",
                "mean",
                partial(_claimed, solvable=False),
            ),
            Metric(
                "unsolvable-claimed-falsely",
                "solvable tasks of which it was said that there is no plan",
                "lower",
                "mean",
                partial(_claimed, solvable=True),
            ),
            Metric("calls", "calls of models that were answered, in all roles", "lower", "mean", _calls),
            Metric("prompt-tokens", "tokens sent, as the endpoint counted them", "lower", "sum", _prompt_tokens),
            Metric("completion-tokens", "tokens received", "lower", "sum", _completion_tokens),
            Metric("cached-tokens", "tokens sent that the provider had cached", "higher", "sum", _cached_tokens),
            Metric("reasoning-tokens", "tokens received that are reasoning", "lower", "sum", _reasoning_tokens),
            Metric("planner-calls", "calls of the planner's model", "lower", "mean", _of_planner(_calls)),
            # Tables 6 and 7 of the AutoPlanBench paper.
            Metric("planner-prompt-tokens", "tokens sent to it", "lower", "mean", _of_planner(_prompt_tokens)),
            Metric("planner-completion-tokens", "tokens it wrote", "lower", "mean", _of_planner(_completion_tokens)),
            Metric("cache-hits", "replies that our cache had", "higher", "sum", _cache_hits),
            Metric("usd", "USD a run, where prices are known", "lower", "mean", _usd),
            Metric("seconds", "wall time", "lower", "sum", _seconds),
        )
    }
)
"""Every metric by its name."""
