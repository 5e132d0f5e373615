"""How a report's page shows SayPlan's events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pddl2nl.policies.reporting import Item, Note, Tone
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded

_ENDS = {
    "model": "the model ended it",
    "limit": "too many steps",
    "unreadable": "too many unreadable replies",
    "stuck": "the same impossible command again and again",
    "exact": "searched without a model",
    "whole": "the whole graph is shown",
}


def _items(**texts: tuple[str, ...]) -> tuple[Item, ...]:
    return tuple(Item(", ".join(names), label) for label, names in texts.items() if names)


def _searched(event: SceneSearched) -> Note:
    title = f"Search, step {event.step}: {event.command or 'unreadable'}"
    verdict = f"{event.tokens} tokens shown" if event.done else "refused"
    items = (
        *_items(expanded=event.expanded, memory=event.memory),
        *([Item(event.answer, "answer")] if event.answer else []),
        *([Item(event.reasoning, "reasoning")] if event.reasoning else []),
    )
    return Note(event.event, title, verdict, "" if event.done else "bad", items=items, feedback=event.message)


def _ended(event: SearchEnded) -> Note:
    title = f"Search ended: {_ENDS.get(event.by, event.by)}"
    verdict = f"{event.tokens} tokens shown, {event.collapsed} when collapsed, {event.full} in all"
    tone: Tone = "bad" if event.by in ("limit", "unreadable", "stuck") else "good"
    return Note(event.event, title, verdict, tone, items=_items(expanded=event.expanded, shown=event.shown))


def _checked(event: PlanChecked) -> Note:
    number = f"correction {event.round}" if event.round else "as first given"
    verdict = "executable" if event.executable else f"{event.verified} of {len(event.calls)} actions possible"
    lines = tuple(
        Item(call, "on the way" if place in event.inserted else "", tone="bad" if _fails(event, place) else "")
        for place, call in enumerate(event.calls)
    )
    items = (*_items(error=(event.cause,) if event.cause else (), unread=event.unread), *_unmet(event))
    goal = "the goal holds at its end" if event.goal else "the goal does not hold at its end"
    tone: Tone = "good" if event.executable else "bad"
    return Note(event.event, f"Plan, {number}", f"{verdict}; {goal}", tone, lines, items, event.feedback)


def _fails(event: PlanChecked, place: int) -> bool:
    return not event.executable and place == event.verified


def _unmet(event: PlanChecked) -> tuple[Item, ...]:
    return (Item(label="unmet", codes=event.unmet, tone="bad"),) if event.unmet else ()


NOTES: Mapping[type, Callable[[Any], Note]] = {
    SceneSearched: _searched,
    SearchEnded: _ended,
    PlanChecked: _checked,
}
"""How each event of SayPlan is shown."""
