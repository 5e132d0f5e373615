"""The planning events of BrainBody: plans of the planning model, steps of the acting model, and errors.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step. Steps count from 0, as in the
prompts; actions and literals are PDDL, other texts are in the words of the run.
"""

from __future__ import annotations

from collections.abc import Mapping

from pddl2nl.policies.events import Count, RunEvent
from pddl2nl.policies.notes import Item, Note, Tone


class BrainPlanned(RunEvent, frozen=True):
    """The planning model made a plan after so many rounds of feedback: the whole plan, new from step ``start`` on.

    With its explanation why the last plan failed, and the lines that were dropped: those that repeat executed steps,
    and those beyond the longest plan.
    """

    number: Count
    start: Count
    plan: tuple[str, ...]
    explanation: str = ""
    dropped: tuple[str, ...] = ()

    def note(self) -> Note:
        title = f"Plan after feedback {self.number}" if self.number else "First plan"
        steps = f"{len(self.plan)} step{'' if len(self.plan) == 1 else 's'}"
        new = f", new from step {self.start} on" if self.number else ""
        # Labels, because the steps count from 0.
        items = [
            Item(step, str(place), tone="soft" if place < self.start else "") for place, step in enumerate(self.plan)
        ]
        items += [Item(line, "dropped", tone="bad") for line in self.dropped]
        items += [Item(self.explanation, "explanation")] if self.explanation else []
        return Note(self.event, title, f"{steps}{new}", "" if self.plan else "bad", items=tuple(items))


class BodyActed(RunEvent, frozen=True):
    """The acting model turned a step, given as a line, into a program: an ``action``, ``pass`` or ``unreadable``."""

    step: Count
    line: str
    reply: str
    result: str
    action: str = ""

    def note(self) -> Note:
        codes = (self.action,) if self.action else ()
        tones: Mapping[str, Tone] = {"action": "good", "unreadable": "bad"}
        items = (Item(self.line, "step"), Item(self.reply, "program", codes))
        return Note(
            self.event, f"Step {self.step}", self.result, tones.get(self.result, "soft"), items=items, remark=True
        )


class ErrorSignal(RunEvent, frozen=True):
    """A step failed; `text`, in one of the styles, is the message for the planning model.

    The status is ``inapplicable`` or ``unreadable``, or as in `pddl2nl.policies.events.Rejected`, with the unmet
    conditions. `repeated`: how often the same action had failed in the same state with the same message before.
    `preview`: whether it failed in the simulator and was not tried in the world.
    """

    step: Count
    action: str
    style: str
    status: str
    text: str
    unmet: tuple[str, ...] = ()
    repeated: Count = 0
    preview: bool = False

    def note(self) -> Note:
        where = "in the preview" if self.preview else "in the world"
        items = [Item(label="action", codes=(self.action,))] if self.action else []
        items += [Item(label="unmet", codes=self.unmet, tone="bad")] if self.unmet else []
        if self.repeated:
            items.append(Item(f"number {self.repeated + 1} of this error in this state", "oscillation", tone="bad"))
        title = f"Step {self.step} failed {where}"
        return Note(self.event, title, self.status, "bad", items=tuple(items), feedback=self.text, remark=True)


class DeadEndProved(RunEvent, frozen=True):
    """No plan reaches the goal from the state after an action, which `preview` tried in the simulator only."""

    step: Count
    action: str
    preview: bool = False

    def note(self) -> Note:
        would = "would leave" if self.preview else "left"
        title = f"Step {self.step} {would} no way to the goal"
        return Note(self.event, title, "dead end", "bad", items=(Item(codes=(self.action,)),), remark=True)


EVENTS: tuple[type[RunEvent], ...] = (BrainPlanned, BodyActed, ErrorSignal, DeadEndProved)
"""The events of BrainBody."""
