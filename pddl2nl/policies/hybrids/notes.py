"""How a report's page shows the events of the hybrids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.policies.family import Item, Note
from pddl2nl.policies.hybrids.events import PlanRepaired

__all__ = ["NOTES"]


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
    verdict = f"distance {event.distance}" if event.plan else f"no plan: {event.status}"
    return Note(event.event, "Repaired plan", verdict, "good" if event.plan else "bad", lines, items)


NOTES: Mapping[type, Callable[[Any], Note]] = {PlanRepaired: _repaired}
"""How each event of the hybrids is shown."""
