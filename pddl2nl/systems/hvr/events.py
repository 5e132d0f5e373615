"""The planning events of HVR: retrieval, macro plans, conditions, blocks, discrepancies.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.hvr.metrics` are
computed from them. ``attempt`` counts macro plans from 1: a new one begins if a block could not be corrected or the
world differed. Macros count from 1 in each attempt; a policy without hierarchy has one block, of macro 0. ``round``
is 0 for the model's first answer and counts corrections from 1. Actions, literals and conditions are PDDL; other texts
are in the wording of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pddl2nl.policies.events import Count, RunEvent
from pddl2nl.policies.notes import Item, Note, Tone


def _round(event: MacrosConditioned | MacrosVerified | BlockExpanded) -> str:
    return f"correction {event.round}" if event.round else "as first given"


def _attempt(number: int) -> str:
    return "" if number == 1 else f" of macro plan {number}"


def _macro_plan(attempt: int) -> str:
    return "Macro plan" if attempt == 1 else f"Macro plan {attempt}"


def _macros(number: int) -> str:
    return f"{number} macro-action{'' if number == 1 else 's'}"


def _condition(said: Mapping[str, Any]) -> Item:
    codes = tuple(f":{key} {said[key]}" for key in ("precondition", "effect") if said.get(key))
    problem = str(said.get("problem") or "")
    return Item(problem, codes=codes, tone="bad" if problem else "")


def _actions(actions: tuple[str, ...], verified: int, inserted: tuple[int, ...]) -> Iterator[Item]:
    for place, action in enumerate(actions):
        tone: Tone = "good" if place < verified else "bad" if place == verified else "soft"
        yield Item("put in by the repair" if place in inserted else "", codes=(action,), tone=tone)


def _listed(label: str, texts: tuple[str, ...]) -> tuple[Item, ...]:
    """A line with PDDL texts that are wrong; none without texts."""
    return (Item(label=label, codes=texts, tone="bad"),) if texts else ()


class Hierarchical(RunEvent, frozen=True):
    """The base class of HVR's events."""


class Retrieved(Hierarchical, frozen=True):
    """Objects were selected from the knowledge graph for the next prompt.

    ``said`` are the names in the reply, ``chosen`` the objects they were mapped to, ``around`` those added because a
    chosen one is in or on them. ``whole``: nothing was selected, and the prompt tells the whole graph. ``stage`` is
    ``macro-plan``, ``block``, or ``plan`` without hierarchy.
    """

    stage: str
    said: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    whole: bool = False

    def note(self) -> Note:
        stage = {"macro-plan": "the macro plan", "block": "a block", "plan": "the plan"}.get(self.stage, self.stage)
        if self.whole:
            return Note(self.event, f"Nothing was selected for {stage}", "the whole graph is in the prompt", "soft")
        said = (("named", self.said), ("taken for it", self.chosen), ("along with them", self.around))
        items = tuple(Item(", ".join(names), label) for label, names in said if names)
        return Note(self.event, f"Retrieved for {stage}", f"{len(self.chosen)} objects", items=items)


class MacroPlanned(Hierarchical, frozen=True):
    """The model gave a macro plan: macro-actions in natural language, in order."""

    attempt: Count
    macros: tuple[str, ...]

    def note(self) -> Note:
        lines = tuple(map(Item, self.macros))
        return Note(self.event, _macro_plan(self.attempt), _macros(len(lines)), "" if lines else "bad", lines)


class MacrosConditioned(Hierarchical, frozen=True):
    """The model gave the conditions of macro-actions.

    ``conditions`` has an object for each macro: ``precondition``, ``effect`` (PDDL; empty if unreadable) and
    ``problem`` (the reason, otherwise empty). ``after`` is the macro whose block led to this refinement, 0
    before any block.
    """

    attempt: Count
    round: Count
    conditions: tuple[Mapping[str, Any], ...]
    after: Count = 0

    def note(self) -> Note:
        when = f"after the block of macro-action {self.after}" if self.after else _round(self)
        lines = tuple(_condition(each) for each in self.conditions)
        unread = sum(line.tone == "bad" for line in lines)
        verdict = f"{unread} of {len(lines)} could not be used" if unread else ""
        return Note(self.event, f"Conditions{_attempt(self.attempt)}, {when}", verdict, "bad" if unread else "", lines)


class MacrosVerified(Hierarchical, frozen=True):
    """The macro plan was simulated, each macro as one action with its conditions.

    The first ``verified`` of ``total`` are applicable; ``unmet`` are the conditions that failed then (of the next
    macro, or of the goal after all), ``feedback`` is the feedback about them.
    """

    attempt: Count
    round: Count
    verified: Count
    total: Count
    unmet: tuple[str, ...] = ()
    feedback: str = ""

    def note(self) -> Note:
        good = self.verified == self.total and not self.unmet
        title = f"{_macro_plan(self.attempt)} on paper, {_round(self)}"
        verdict = f"{self.verified} of {_macros(self.total)} can be carried out"
        items = _listed("unmet", self.unmet)
        return Note(self.event, title, verdict, "good" if good else "bad", items=items, feedback=self.feedback)


class BlockExpanded(Hierarchical, frozen=True):
    """A macro-action was expanded into a block of actions (macro 0: the task into the whole plan).

    ``actions`` are those after the deterministic repair, which inserted the ones at the indices ``inserted``. The first
    ``verified`` of them are applicable one after the other. ``holds``: all are, and the claimed effect (of macro 0: the
    goal) holds after them; otherwise ``unmet`` are the failing conditions and ``feedback`` the feedback about them.
    ``unread`` are unreadable lines. A block of the library's macro-action ``known`` saved that many calls.
    """

    attempt: Count
    macro: Count
    round: Count
    actions: tuple[str, ...]
    inserted: tuple[int, ...] = ()
    verified: Count = 0
    holds: bool = False
    unmet: tuple[str, ...] = ()
    feedback: str = ""
    unread: tuple[str, ...] = ()
    known: str = ""
    saved: Count = 0

    def note(self) -> Note:
        what = f"Block {self.macro}{_attempt(self.attempt)}" if self.macro else f"Plan{_attempt(self.attempt)}"
        verified = max(0, min(self.verified, len(self.actions)))
        complete = verified == len(self.actions)
        applicable = "all applicable" if complete else f"{verified} of {len(self.actions)} applicable"
        claimed = "its effect" if self.macro else "the goal"
        return Note(
            self.event,
            f"{what}, {f'known as {self.known}: {self.saved} fewer calls' if self.known else _round(self)}",
            f"{applicable}, {claimed} {'holds' if self.holds else 'does not hold'}",
            "good" if self.holds else "bad",
            tuple(_actions(self.actions, verified, self.inserted)),
            (*(Item(line, "unread", tone="bad") for line in self.unread), *_listed("unmet", self.unmet)),
            self.feedback,
        )


class PlanExpanded(Hierarchical, frozen=True):
    """The expanded plan of an attempt: all blocks, one after the other.

    ``macros`` is the macro of each action; the first ``verified`` actions are applicable one after the other from the
    state in which the attempt began; ``goal``: the goal holds after all of them.
    """

    attempt: Count
    actions: tuple[str, ...]
    macros: tuple[int, ...]
    verified: Count
    goal: bool

    def note(self) -> Note:
        verified = max(0, min(self.verified, len(self.actions)))
        goal = "the goal holds at its end" if self.goal else "the goal does not hold at its end"
        return Note(
            self.event,
            f"Expanded plan{_attempt(self.attempt)}",
            f"{verified} of {len(self.actions)} actions verified, {goal}",
            "good" if self.goal and verified == len(self.actions) else "bad",
            tuple(_actions(self.actions, verified, ())),
        )


class Discrepancy(Hierarchical, frozen=True):
    """After an action the observed state differs from the expected one.

    ``missing`` are expected atoms that were not observed, ``surplus`` observed atoms that were not expected,
    ``condition`` is the first condition that fails because of it: of the action's effect, or of the rest of the plan.
    ``feedback`` is the feedback for the model; empty if the policy continues without asking it.
    """

    step: Count
    action: str
    missing: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    condition: str = ""
    feedback: str = ""

    def note(self) -> Note:
        items = _listed("expected, not observed", self.missing) + _listed("observed, not expected", self.surplus)
        items += _listed("fails by it", (self.condition,) if self.condition else ())
        where = f"after step {self.step}" if self.step else "before the first step"
        title = f"The world is not as expected {where}{f', {self.action}' if self.action else ''}"
        return Note(self.event, title, "discrepancy", "bad", items=items, feedback=self.feedback, remark=True)


class Recovered(Hierarchical, frozen=True):
    """After a discrepancy the plan goes on without asking the model (`pddl2nl.systems.hvr.recovery`).

    ``kind`` is ``continued``, ``repeated`` or ``repaired``; ``actions`` were inserted before the rest of the plan.
    """

    step: Count
    kind: str
    actions: tuple[str, ...] = ()

    def note(self) -> Note:
        verdict = {
            "continued": "the plan goes on, because its rest still reaches the goal",
            "repeated": "the action is repeated",
            "repaired": "actions were inserted, after which the rest of the plan reaches the goal",
        }.get(self.kind, self.kind)
        lines = tuple(Item(codes=(action,)) for action in self.actions)
        return Note(self.event, "Recovered without the model", verdict, "good", lines, remark=True)


class MacroProved(Hierarchical, frozen=True):
    """The conditions of a macro-action were proved or refuted for its block (`pddl2nl.macros.proof`).

    ``sound``: where the precondition holds, the block runs and the effect holds. ``precondition`` compares it with
    the exact one: exact, stronger, weaker or incomparable. ``pddl`` is the claim, ``feedback`` the feedback about it.
    """

    attempt: Count
    macro: Count
    sound: bool
    precondition: str
    pddl: str = ""
    feedback: str = ""

    def note(self) -> Note:
        than = {
            "exact": "is the exact one",
            "incomparable": "is neither weaker nor stronger than the exact one",
            "undecided": "could not be compared with the exact one",
        }
        said = than.get(self.precondition, f"is {self.precondition} than the exact one")
        return Note(
            self.event,
            f"Proof for block {self.macro}{_attempt(self.attempt)}",
            f"{'sound' if self.sound else 'refuted'}; its precondition {said}",
            "good" if self.sound else "bad",
            items=(Item(codes=(self.pddl,)),) if self.pddl else (),
            feedback=self.feedback,
        )


EVENTS: tuple[type[Hierarchical], ...] = (
    Retrieved,
    MacroPlanned,
    MacrosConditioned,
    MacrosVerified,
    BlockExpanded,
    PlanExpanded,
    Discrepancy,
    Recovered,
    MacroProved,
)
"""The events of HVR."""
