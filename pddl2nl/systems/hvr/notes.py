"""How a report's page shows HVR's events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pddl2nl.policies.reporting import Item, Note, Tone
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    Discrepancy,
    MacroPlanned,
    MacroProved,
    MacrosConditioned,
    MacrosVerified,
    PlanExpanded,
    Recovered,
    Retrieved,
)


def _round(event: MacrosConditioned | MacrosVerified | BlockExpanded) -> str:
    return f"correction {event.round}" if event.round else "as first given"


def _attempt(number: int) -> str:
    return "" if number == 1 else f" of macro plan {number}"


def _macro_plan(attempt: int) -> str:
    return "Macro plan" if attempt == 1 else f"Macro plan {attempt}"


def _macros(number: int) -> str:
    return f"{number} macro-action{'' if number == 1 else 's'}"


def _retrieved(event: Retrieved) -> Note:
    stage = {"macro-plan": "the macro plan", "block": "a block", "plan": "the plan"}.get(event.stage, event.stage)
    if event.whole:
        return Note(event.event, f"Nothing was selected for {stage}", "the whole graph is in the prompt", "soft")
    said = (("named", event.said), ("taken for it", event.chosen), ("along with them", event.around))
    items = tuple(Item(", ".join(names), label) for label, names in said if names)
    return Note(event.event, f"Retrieved for {stage}", f"{len(event.chosen)} objects", items=items)


def _macro_planned(event: MacroPlanned) -> Note:
    lines = tuple(map(Item, event.macros))
    return Note(event.event, _macro_plan(event.attempt), _macros(len(lines)), "" if lines else "bad", lines)


def _conditioned(event: MacrosConditioned) -> Note:
    when = f"after the block of macro-action {event.after}" if event.after else _round(event)
    lines = tuple(_condition(each) for each in event.conditions)
    unread = sum(line.tone == "bad" for line in lines)
    verdict = f"{unread} of {len(lines)} could not be used" if unread else ""
    return Note(event.event, f"Conditions{_attempt(event.attempt)}, {when}", verdict, "bad" if unread else "", lines)


def _condition(said: Mapping[str, Any]) -> Item:
    codes = tuple(f":{key} {said[key]}" for key in ("precondition", "effect") if said.get(key))
    problem = str(said.get("problem") or "")
    return Item(problem, codes=codes, tone="bad" if problem else "")


def _verified(event: MacrosVerified) -> Note:
    good = event.verified == event.total and not event.unmet
    title = f"{_macro_plan(event.attempt)} on paper, {_round(event)}"
    verdict = f"{event.verified} of {_macros(event.total)} can be carried out"
    items = _listed("unmet", event.unmet)
    return Note(event.event, title, verdict, "good" if good else "bad", items=items, feedback=event.feedback)


def _block(event: BlockExpanded) -> Note:
    what = f"Block {event.macro}{_attempt(event.attempt)}" if event.macro else f"Plan{_attempt(event.attempt)}"
    verified = max(0, min(event.verified, len(event.actions)))
    complete = verified == len(event.actions)
    applicable = "all applicable" if complete else f"{verified} of {len(event.actions)} applicable"
    claimed = "its effect" if event.macro else "the goal"
    return Note(
        event.event,
        f"{what}, {_round(event)}",
        f"{applicable}, {claimed} {'holds' if event.holds else 'does not hold'}",
        "good" if event.holds else "bad",
        tuple(_actions(event.actions, verified, event.inserted)),
        (*(Item(line, "unread", tone="bad") for line in event.unread), *_listed("unmet", event.unmet)),
        event.feedback,
    )


def _plan(event: PlanExpanded) -> Note:
    verified = max(0, min(event.verified, len(event.actions)))
    goal = "the goal holds at its end" if event.goal else "the goal does not hold at its end"
    return Note(
        event.event,
        f"Expanded plan{_attempt(event.attempt)}",
        f"{verified} of {len(event.actions)} actions verified, {goal}",
        "good" if event.goal and verified == len(event.actions) else "bad",
        tuple(_actions(event.actions, verified, ())),
    )


def _actions(actions: tuple[str, ...], verified: int, inserted: tuple[int, ...]) -> Iterator[Item]:
    for place, action in enumerate(actions):
        tone: Tone = "good" if place < verified else "bad" if place == verified else "soft"
        yield Item("put in by the repair" if place in inserted else "", codes=(action,), tone=tone)


def _discrepancy(event: Discrepancy) -> Note:
    items = _listed("expected, not observed", event.missing) + _listed("observed, not expected", event.surplus)
    items += _listed("fails by it", (event.condition,) if event.condition else ())
    where = f"after step {event.step}" if event.step else "before the first step"
    title = f"The world is not as expected {where}{f', {event.action}' if event.action else ''}"
    return Note(event.event, title, "discrepancy", "bad", items=items, feedback=event.feedback, remark=True)


def _recovered(event: Recovered) -> Note:
    verdict = {
        "continued": "the plan goes on, because its rest still reaches the goal",
        "repeated": "the action is repeated",
        "repaired": "actions were inserted, after which the rest of the plan reaches the goal",
    }.get(event.kind, event.kind)
    lines = tuple(Item(codes=(action,)) for action in event.actions)
    return Note(event.event, "Recovered without the model", verdict, "good", lines, remark=True)


def _proved(event: MacroProved) -> Note:
    than = {
        "exact": "is the exact one",
        "incomparable": "is neither weaker nor stronger than the exact one",
        "undecided": "could not be compared with the exact one",
    }
    said = than.get(event.precondition, f"is {event.precondition} than the exact one")
    return Note(
        event.event,
        f"Proof for block {event.macro}{_attempt(event.attempt)}",
        f"{'sound' if event.sound else 'refuted'}; its precondition {said}",
        "good" if event.sound else "bad",
        items=(Item(codes=(event.pddl,)),) if event.pddl else (),
        feedback=event.feedback,
    )


def _listed(label: str, texts: tuple[str, ...]) -> tuple[Item, ...]:
    """A line with PDDL texts that are wrong; none without texts."""
    return (Item(label=label, codes=texts, tone="bad"),) if texts else ()


NOTES: Mapping[type, Callable[[Any], Note]] = {
    Retrieved: _retrieved,
    MacroPlanned: _macro_planned,
    MacrosConditioned: _conditioned,
    MacrosVerified: _verified,
    BlockExpanded: _block,
    PlanExpanded: _plan,
    Discrepancy: _discrepancy,
    Recovered: _recovered,
    MacroProved: _proved,
}
"""A function for each event class."""
