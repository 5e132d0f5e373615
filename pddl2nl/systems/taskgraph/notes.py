"""How a report's page shows the events of `taskgraph`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.policies.reporting import Item, Note, Tone
from pddl2nl.systems.taskgraph.events import (
    GraphChecked,
    KeysChosen,
    NextScored,
    PlanRevised,
    RevisionSpared,
    SubtaskDone,
)


def _checked(event: GraphChecked) -> Note:
    number = f"correction {event.number}" if event.number else "as first given"
    what = f"Revision {event.revision}" if event.revision else "Plan"
    faults = (*event.form, *event.targets, *event.transitions)
    verdict = f"{len(faults)} faults" if faults else "no faults"
    goal = "it reaches the goal" if event.reaches else "it does not reach the goal"
    items = tuple(Item(fault, tone="bad") for fault in faults)
    tone: Tone = "bad" if faults else "good"
    return Note(event.event, f"{what}, {number}", f"{verdict}; {goal}", tone, tuple(map(Item, event.plan)), items)


def _scored(event: NextScored) -> Note:
    items = [Item(f"{score:g}", name) for name, score in zip(event.candidates, event.scores, strict=True)]
    if event.refused:
        items.append(Item(str(event.refused), "not possible", tone="bad"))
    title = f"Candidates for subtask {len(event.plan) + 1}"
    return Note(event.event, title, lines=tuple(map(Item, event.plan)), items=tuple(items))


def _keys(event: KeysChosen) -> Note:
    unknown = (Item(", ".join(event.unknown), "unknown", tone="bad"),) if event.unknown else ()
    return Note(event.event, "What matters", ", ".join(event.classes), items=unknown)


def _done(event: SubtaskDone) -> Note:
    searched = (Item(str(event.searched), "places searched"),) if event.searched else ()
    items = (Item(label="actions", codes=event.actions), *searched)
    tone: Tone = "bad" if event.error else "good"
    verdict = "failed" if event.error else "done"
    title = f"Subtask {event.place + 1}: {event.subtask}"
    return Note(event.event, title, verdict, tone, items=items, feedback=event.error, remark=True)


def _revised(event: PlanRevised) -> Note:
    verdict = "changed" if event.changed else "kept"
    items = tuple(Item(triple, "scene") for triple in event.scene)
    title = f"Event {event.number} ({event.trigger})"
    return Note(event.event, title, verdict, "", tuple(map(Item, event.plan)), items, event.about)


def _spared(event: RevisionSpared) -> Note:
    return Note(
        event.event, "Event (completed)", "the rest is proved", "good", tuple(map(Item, event.plan)), (), event.about
    )


NOTES: Mapping[type, Callable[[Any], Note]] = {
    GraphChecked: _checked,
    NextScored: _scored,
    KeysChosen: _keys,
    SubtaskDone: _done,
    PlanRevised: _revised,
    RevisionSpared: _spared,
}
"""How each event is shown."""
