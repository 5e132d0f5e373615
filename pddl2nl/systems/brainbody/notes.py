"""How a report's page shows BrainBody's events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.policies.reporting import Item, Note, Tone
from pddl2nl.systems.brainbody.events import BodyActed, BrainPlanned, DeadEndProved, ErrorSignal


def _planned(event: BrainPlanned) -> Note:
    title = f"Plan after feedback {event.number}" if event.number else "First plan"
    steps = f"{len(event.plan)} step{'' if len(event.plan) == 1 else 's'}"
    new = f", new from step {event.start} on" if event.number else ""
    # Labels, because the steps count from 0.
    items = [
        Item(step, str(place), tone="soft" if place < event.start else "") for place, step in enumerate(event.plan)
    ]
    items += [Item(line, "dropped", tone="bad") for line in event.dropped]
    items += [Item(event.explanation, "explanation")] if event.explanation else []
    return Note(event.event, title, f"{steps}{new}", "" if event.plan else "bad", items=tuple(items))


def _acted(event: BodyActed) -> Note:
    codes = (event.action,) if event.action else ()
    tones: Mapping[str, Tone] = {"action": "good", "unreadable": "bad"}
    items = (Item(event.line, "step"), Item(event.reply, "program", codes))
    return Note(
        event.event, f"Step {event.step}", event.result, tones.get(event.result, "soft"), items=items, remark=True
    )


def _error(event: ErrorSignal) -> Note:
    where = "in the preview" if event.preview else "in the world"
    items = [Item(label="action", codes=(event.action,))] if event.action else []
    items += [Item(label="unmet", codes=event.unmet, tone="bad")] if event.unmet else []
    if event.repeated:
        items.append(Item(f"number {event.repeated + 1} of this error in this state", "oscillation", tone="bad"))
    title = f"Step {event.step} failed {where}"
    return Note(event.event, title, event.status, "bad", items=tuple(items), feedback=event.text, remark=True)


def _dead_end(event: DeadEndProved) -> Note:
    would = "would leave" if event.preview else "left"
    title = f"Step {event.step} {would} no way to the goal"
    return Note(event.event, title, "dead end", "bad", items=(Item(codes=(event.action,)),), remark=True)


NOTES: Mapping[type, Callable[[Any], Note]] = {
    BrainPlanned: _planned,
    BodyActed: _acted,
    ErrorSignal: _error,
    DeadEndProved: _dead_end,
}
"""A function for each event class."""
