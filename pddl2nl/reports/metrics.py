"""Metrics: pure functions of stored records, each knowing which way is better and how it is put together.

A run that infrastructure broke is never scored: it has no value in any metric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pddl2nl.policies.events import Acted, LookedAround, Prompted, Rejected, Replied
from pddl2nl.reports.records import Record, RunRecord

__all__ = ["METRICS", "Metric", "aggregate", "mistakes"]


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
    return sum(isinstance(event, Rejected) and event.status != "claimed-done" for event in record.events)


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


def _calls(record: Record) -> float | None:
    return _count(record, Prompted)


def _count(record: Record, *kinds: type) -> float | None:
    if not isinstance(record, RunRecord):
        return None
    return float(sum(isinstance(event, kinds) for event in record.events))


def _prompt_tokens(record: Record) -> float | None:
    return _tokens(record, lambda reply: reply.prompt_tokens)


def _completion_tokens(record: Record) -> float | None:
    return _tokens(record, lambda reply: reply.completion_tokens)


def _tokens(record: Record, of: Callable[[Replied], int]) -> float | None:
    if not isinstance(record, RunRecord):
        return None
    return float(sum(of(event) for event in record.events if isinstance(event, Replied)))


def _seconds(record: Record) -> float | None:
    return record.seconds


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("coverage", "runs that reached the goal", "higher", "sum", _coverage),
            Metric("plan-length", "actions of the plans that reached the goal", "lower", "mean", _plan_length),
            Metric("steps", "turns, or judged plan lines", "lower", "mean", _steps),
            Metric("mistakes", "turns meant as actions and not executed", "lower", "mean", _mistakes),
            Metric("look-arounds", "turns that asked for the state", "lower", "mean", _look_arounds),
            Metric("calls", "calls of the model", "lower", "mean", _calls),
            Metric("prompt-tokens", "tokens sent, as the endpoint counted them", "lower", "sum", _prompt_tokens),
            Metric("completion-tokens", "tokens received", "lower", "sum", _completion_tokens),
            Metric("seconds", "wall time", "lower", "sum", _seconds),
        )
    }
)
"""Every metric by its name."""
