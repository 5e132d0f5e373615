"""The metrics of the hybrids, as pure functions of a run's events: what the model contributed, and what it saved."""

from __future__ import annotations

from pddl2nl.policies.reporting import ScoredRun, events_of, mean_metric, of_last
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemWritten, StatesAsked, StatesSearched


def _possible(run: ScoredRun) -> float | None:
    events = events_of(run, StatesAsked)
    named = sum(len(actions) for event in events for actions in event.named)
    return 100.0 * sum(sum(event.possible) for event in events) / named if named else None


METRICS = (
    mean_metric(
        "repair-distance",
        of_last(PlanRepaired, lambda event: float(event.distance) if event.plan else None),
        "actions that were added to a proposal or left out of it",
        "lower",
        "actions",
    ),
    mean_metric(
        "repair-proved",
        of_last(PlanRepaired, lambda event: 100.0 * event.proved if event.plan else None),
        "repaired plans that are proved to be the nearest to the proposal",
    ),
    mean_metric(
        "model-share",
        of_last(PlanRepaired, lambda event: 100.0 * len(event.kept) / len(event.plan) if event.plan else None),
        "actions of a repaired plan that are the model's",
    ),
    mean_metric(
        "first-departure",
        of_last(PlanRepaired, lambda event: float(event.leaves) if event.leaves else None),
        "the first step of a repaired plan that is not the proposal's",
        unit="step",
    ),
    mean_metric(
        "repair-effort",
        of_last(PlanRepaired, lambda event: event.expanded / event.alone if event.alone else None),
        "states expanded to repair a proposal, as a multiple of those that are expanded to plan without it",
        "lower",
        "",
    ),
    mean_metric(
        "led-expansions",
        of_last(StatesSearched, lambda event: 100.0 * event.led / event.expanded if event.expanded else None),
        "expanded states to which the model led",
    ),
    mean_metric("named-possible", _possible, "actions that the model named and that can be executed"),
    mean_metric(
        "problem-readable",
        of_last(ProblemWritten, lambda event: 100.0 * (not event.reason)),
        "written problems that can be read",
    ),
    mean_metric(
        "problem-equivalent",
        of_last(
            ProblemWritten,
            lambda event: None if event.equivalent is None and not event.reason else 100.0 * bool(event.equivalent),
        ),
        "written problems that are the true one up to the names of objects",
    ),
    mean_metric(
        "problem-missing",
        of_last(ProblemWritten, lambda event: None if event.equivalent is None else float(len(event.missing))),
        "parts that a written problem lacks",
        "lower",
        "parts",
    ),
    mean_metric(
        "problem-invented",
        of_last(ProblemWritten, lambda event: None if event.equivalent is None else float(len(event.invented))),
        "parts that only a written problem has",
        "lower",
        "parts",
    ),
)
"""The metrics of the hybrids."""
