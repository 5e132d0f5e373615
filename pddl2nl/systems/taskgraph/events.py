"""The planning events of `taskgraph`: checks of plans, subtasks carried out, and revisions.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.taskgraph.metrics`
are computed from them. Subtasks are written ``PutObject(Apple, Fridge)``.
"""

from __future__ import annotations

from pddl2nl.policies.events import Count, RunEvent


class GraphChecked(RunEvent, frozen=True):
    """A plan was read and checked.

    Attributes:
        number: 0 for a first plan; counts corrections.
        revision: 0 for the plan of the task; counts the revisions that it belongs to.
        plan: the subtasks.
        form: what is wrong with the reply's form.
        targets: what is wrong with names of subtasks and targets.
        transitions: which subtasks cannot come where they are.
        reaches: whether the goal holds after the plan, carried out in the simulator by someone who sees everything.
    """

    number: Count
    revision: Count
    plan: tuple[str, ...]
    form: tuple[str, ...]
    targets: tuple[str, ...]
    transitions: tuple[str, ...]
    reaches: bool


class NextScored(RunEvent, frozen=True):
    """A model scored what may come next in a search along the graph.

    Attributes:
        plan: the subtasks so far.
        candidates: those that it named and that are possible, with their targets.
        scores: theirs.
        refused: how many others it named.
    """

    plan: tuple[str, ...]
    candidates: tuple[str, ...]
    scores: tuple[float, ...]
    refused: Count = 0


class KeysChosen(RunEvent, frozen=True):
    """The classes of objects that the model wants to keep in mind; ``unknown`` are none."""

    classes: tuple[str, ...]
    unknown: tuple[str, ...] = ()


class SubtaskDone(RunEvent, frozen=True):
    """A subtask ended.

    Attributes:
        place: in the plan, from 0.
        subtask: as in the plan.
        actions: that were tried, in PDDL; those of a search are not among them.
        searched: places that were looked into for it.
        error: why it failed; empty if it is done.
    """

    place: Count
    subtask: str
    actions: tuple[str, ...]
    searched: Count = 0
    error: str = ""


class PlanRevised(RunEvent, frozen=True):
    """The model was asked whether the rest of the plan is still right.

    Attributes:
        number: from 1.
        trigger: ``error`` or ``completed``.
        about: the event in words.
        scene: the triples that the model was told.
        changed: whether it gave another rest.
        plan: the rest of the plan from now on.
        before, after: whether the old and the new rest reach the goal, carried out by someone who sees everything.
    """

    number: Count
    trigger: str
    about: str
    scene: tuple[str, ...]
    changed: bool
    plan: tuple[str, ...]
    before: bool
    after: bool


class RevisionSpared(RunEvent, frozen=True):
    """The model was not asked, because the rest of the plan is proved to reach the goal (option ``check``).

    Attributes:
        about: the event in words.
        plan: the rest.
    """

    about: str
    plan: tuple[str, ...]


EVENTS: tuple[type[RunEvent], ...] = (GraphChecked, NextScored, KeysChosen, SubtaskDone, PlanRevised, RevisionSpared)
"""The events of `taskgraph`."""
