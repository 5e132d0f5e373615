"""The metrics of the hybrids, as pure functions of a run's events: what the model contributed, and what it saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from pddl2nl.policies.events import RunEvent
from pddl2nl.policies.reporting import RunMetric, ScoredRun
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemWritten, StatesAsked, StatesSearched

_E = TypeVar("_E", bound=RunEvent)


def _last(kind: type[_E], value: Callable[[_E], float | None]) -> Callable[[ScoredRun], float | None]:
    """A metric of the last event of a kind."""

    def of(run: ScoredRun) -> float | None:
        events = [event for event in run.events if isinstance(event, kind)]
        return value(events[-1]) if events else None

    return of


def _distance(event: PlanRepaired) -> float | None:
    return float(event.distance) if event.plan else None


def _proved(event: PlanRepaired) -> float | None:
    return 100.0 * event.proved if event.plan else None


def _share(event: PlanRepaired) -> float | None:
    return 100.0 * len(event.kept) / len(event.plan) if event.plan else None


def _leaves(event: PlanRepaired) -> float | None:
    return float(event.leaves) if event.leaves else None


def _ratio(event: PlanRepaired) -> float | None:
    return event.expanded / event.alone if event.alone else None


def _equivalent(event: ProblemWritten) -> float | None:
    return None if event.equivalent is None and not event.reason else 100.0 * bool(event.equivalent)


def _readable(event: ProblemWritten) -> float | None:
    return 100.0 * (not event.reason)


def _missing(event: ProblemWritten) -> float | None:
    return None if event.equivalent is None else float(len(event.missing))


def _invented(event: ProblemWritten) -> float | None:
    return None if event.equivalent is None else float(len(event.invented))


def _led(event: StatesSearched) -> float | None:
    return 100.0 * event.led / event.expanded if event.expanded else None


def _possible(run: ScoredRun) -> float | None:
    events = [event for event in run.events if isinstance(event, StatesAsked)]
    named = sum(len(actions) for event in events for actions in event.named)
    return 100.0 * sum(sum(event.possible) for event in events) / named if named else None


def _metric(
    name: str,
    summary: str,
    of: Callable[[ScoredRun], float | None],
    unit: str = "",
    better: Literal["higher", "lower"] = "lower",
) -> RunMetric:
    return RunMetric(name, summary, better, "mean", of, unit, "always")


METRICS: tuple[RunMetric, ...] = (
    _metric(
        "repair-distance",
        "actions that were added to a proposal or left out of it",
        _last(PlanRepaired, _distance),
        "actions",
    ),
    _metric(
        "repair-proved",
        "repaired plans that are proved to be the nearest to the proposal",
        _last(PlanRepaired, _proved),
        "%",
        "higher",
    ),
    _metric(
        "model-share", "actions of a repaired plan that are the model's", _last(PlanRepaired, _share), "%", "higher"
    ),
    _metric(
        "first-departure",
        "the first step of a repaired plan that is not the proposal's",
        _last(PlanRepaired, _leaves),
        "step",
        "higher",
    ),
    _metric(
        "repair-effort",
        "states expanded to repair a proposal, as a multiple of those that are expanded to plan without it",
        _last(PlanRepaired, _ratio),
    ),
    _metric("led-expansions", "expanded states to which the model led", _last(StatesSearched, _led), "%", "higher"),
    _metric("named-possible", "actions that the model named and that can be executed", _possible, "%", "higher"),
    _metric("problem-readable", "written problems that can be read", _last(ProblemWritten, _readable), "%", "higher"),
    _metric(
        "problem-equivalent",
        "written problems that are the true one up to the names of objects",
        _last(ProblemWritten, _equivalent),
        "%",
        "higher",
    ),
    _metric("problem-missing", "parts that a written problem lacks", _last(ProblemWritten, _missing), "parts"),
    _metric("problem-invented", "parts that only a written problem has", _last(ProblemWritten, _invented), "parts"),
)
"""The metrics of the hybrids."""
