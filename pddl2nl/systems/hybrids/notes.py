"""How a report's page shows the events of the hybrids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.policies.reporting import Item, Note
from pddl2nl.systems.hybrids.events import PlanRepaired, ProblemSolved, ProblemWritten, StatesAsked, StatesSearched


def _repaired(event: PlanRepaired) -> Note:
    if not event.planner:
        return Note(event.event, "Proposal", "valid as it is", "good")
    lines = tuple(
        Item(codes=(action,), label="proposed" if place in event.kept else "")
        for place, action in enumerate(event.plan)
    )
    effort = f"{event.expanded} states expanded"
    effort += "" if event.alone is None else f", {event.alone} without the proposal"
    items = (Item(f"{event.prefix} of {len(event.proposal)} actions", "executable"), Item(effort, event.planner))
    proof = ", proved the smallest" if event.proved else ", which may not be the smallest"
    proof = ", as no nearer plan was found within the limits" if event.fallback else proof
    verdict = f"distance {event.distance}{proof}" if event.plan else f"no plan: {event.status}"
    return Note(event.event, "Repaired plan", verdict, "good" if event.plan else "bad", lines, items)


def _written(event: ProblemWritten) -> Note:
    title = "Problem as it was written" if event.round == 0 else f"Problem, correction {event.round}"
    verdict = {True: "equivalent", False: "not equivalent", None: "not compared"}[event.equivalent]
    parts = (("missing", event.missing), ("invented", event.invented))
    items = (
        Item(codes=(event.text,)),
        *(Item(label=label, codes=codes, tone="bad") for label, codes in parts if codes),
    )
    bad = event.reason or event.equivalent is False
    verdict = "cannot be read" if event.reason else verdict
    return Note(event.event, title, verdict, "bad" if bad else "good", items=items, feedback=event.reason)


def _solved(event: ProblemSolved) -> Note:
    verdict = f"{event.status}, {event.expanded} states expanded"
    lines = tuple(Item(codes=(action,)) for action in event.plan)
    return Note(event.event, f"Plan by {event.planner}", verdict, "good" if event.plan else "bad", lines)


def _asked(event: StatesAsked) -> Note:
    estimates = ", ".join(map(str, event.estimates))
    lines = tuple(
        Item(f"{possible} possible", codes=named, tone="" if possible else "bad")
        for named, possible in zip(event.named, event.possible, strict=False)
    )
    return Note(event.event, "The model is asked for actions", f"estimates {estimates}", lines=lines)


def _searched(event: StatesSearched) -> Note:
    verdict = f"{event.status}, {event.expanded} states expanded, {event.led} of them led by the model"
    items = tuple(
        Item("after " + ", ".join(before) if before else "", codes=(fact,)) for fact, *before in event.landmarks
    )
    return Note(event.event, f"Search: {event.by}", verdict, "good" if event.plan else "bad", items=items)


NOTES: Mapping[type, Callable[[Any], Note]] = {
    PlanRepaired: _repaired,
    ProblemWritten: _written,
    ProblemSolved: _solved,
    StatesAsked: _asked,
    StatesSearched: _searched,
}
"""How each event of the hybrids is shown."""
