"""The planning events of `taskgraph`: checks of plans, subtasks carried out, and revisions.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.taskgraph.metrics`
are computed from them. Subtasks are written ``PutObject(Apple, Fridge)``.
"""

from __future__ import annotations

from pddl2nl.policies.events import Count, RunEvent
from pddl2nl.policies.notes import Item, Note, Tone


class GraphChecked(RunEvent, frozen=True):
    """A plan was read and checked: a first one (0) or a correction, of the task (revision 0) or of a revision.

    With what is wrong with the reply's form, with names of subtasks and targets, and with transitions; `reaches`:
    whether the goal holds after the plan, carried out in the simulator by someone who sees everything.
    """

    number: Count
    revision: Count
    plan: tuple[str, ...]
    form: tuple[str, ...]
    targets: tuple[str, ...]
    transitions: tuple[str, ...]
    reaches: bool

    def note(self) -> Note:
        number = f"correction {self.number}" if self.number else "as first given"
        what = f"Revision {self.revision}" if self.revision else "Plan"
        faults = (*self.form, *self.targets, *self.transitions)
        verdict = f"{len(faults)} faults" if faults else "no faults"
        goal = "it reaches the goal" if self.reaches else "it does not reach the goal"
        items = tuple(Item(fault, tone="bad") for fault in faults)
        tone: Tone = "bad" if faults else "good"
        return Note(self.event, f"{what}, {number}", f"{verdict}; {goal}", tone, tuple(map(Item, self.plan)), items)


class NextScored(RunEvent, frozen=True):
    """A model scored what may follow a plan in a search along the graph; `refused` candidates are not possible."""

    plan: tuple[str, ...]
    candidates: tuple[str, ...]
    scores: tuple[float, ...]
    refused: Count = 0

    def note(self) -> Note:
        items = [Item(f"{score:g}", name) for name, score in zip(self.candidates, self.scores, strict=True)]
        if self.refused:
            items.append(Item(str(self.refused), "not possible", tone="bad"))
        title = f"Candidates for subtask {len(self.plan) + 1}"
        return Note(self.event, title, lines=tuple(map(Item, self.plan)), items=tuple(items))


class KeysChosen(RunEvent, frozen=True):
    """The classes of objects that the model wants to keep in mind; ``unknown`` are none."""

    classes: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    def note(self) -> Note:
        unknown = (Item(", ".join(self.unknown), "unknown", tone="bad"),) if self.unknown else ()
        return Note(self.event, "What matters", ", ".join(self.classes), items=unknown)


class SubtaskDone(RunEvent, frozen=True):
    """A subtask, at a place of the plan from 0, ended with an error or is done.

    `actions` were tried for it, besides those of a search that looked into `searched` places.
    """

    place: Count
    subtask: str
    actions: tuple[str, ...]
    searched: Count = 0
    error: str = ""

    def note(self) -> Note:
        searched = (Item(str(self.searched), "places searched"),) if self.searched else ()
        items = (Item(label="actions", codes=self.actions), *searched)
        tone: Tone = "bad" if self.error else "good"
        verdict = "failed" if self.error else "done"
        title = f"Subtask {self.place + 1}: {self.subtask}"
        return Note(self.event, title, verdict, tone, items=items, feedback=self.error, remark=True)


class PlanRevised(RunEvent, frozen=True):
    """The model was asked whether the rest of the plan is still right, for the first time, the second, …

    `about` is the event in words, which is an ``error`` or a ``completed`` subtask, and `scene` the triples that were
    told. `changed`: whether the plan is another rest. `before` and `after`: whether the rest reaches the goal as it
    was, without a subtask that failed, and as it is now, carried out by someone who sees everything.
    """

    number: Count
    trigger: str
    about: str
    scene: tuple[str, ...]
    changed: bool
    plan: tuple[str, ...]
    before: bool
    after: bool

    def note(self) -> Note:
        verdict = "changed" if self.changed else "kept"
        items = tuple(Item(triple, "scene") for triple in self.scene)
        title = f"Event {self.number} ({self.trigger})"
        return Note(self.event, title, verdict, "", tuple(map(Item, self.plan)), items, self.about)


class RevisionSpared(RunEvent, frozen=True):
    """No model was asked about an event, as the rest of the plan is proved to reach the goal (option ``check``)."""

    about: str
    plan: tuple[str, ...]

    def note(self) -> Note:
        return Note(
            self.event, "Event (completed)", "the rest is proved", "good", tuple(map(Item, self.plan)), (), self.about
        )


EVENTS: tuple[type[RunEvent], ...] = (GraphChecked, NextScored, KeysChosen, SubtaskDone, PlanRevised, RevisionSpared)
"""The events of `taskgraph`."""
