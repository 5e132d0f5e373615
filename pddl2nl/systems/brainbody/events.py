"""The planning events of BrainBody: plans of the planning model, steps of the acting model, and errors.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step. Steps count from 0, as in the
prompts; actions and literals are PDDL, other texts are in the words of the run.
"""

from __future__ import annotations

from pddl2nl.policies.events import Count, RunEvent


class BrainPlanned(RunEvent, frozen=True):
    """The planning model made a plan.

    Attributes:
        number: of the feedback round; 0 for the first plan.
        start: the index of the first new step.
        plan: the whole plan as it now stands, a step each.
        explanation: why the last plan failed, in the model's words.
        dropped: lines that repeat executed steps, and lines beyond the longest plan.
    """

    number: Count
    start: Count
    plan: tuple[str, ...]
    explanation: str = ""
    dropped: tuple[str, ...] = ()


class BodyActed(RunEvent, frozen=True):
    """The acting model turned a step into a primitive.

    Attributes:
        step: the index of the step.
        line: the step.
        reply: the program line, as it was said.
        result: ``action``, ``pass`` or ``unreadable``.
        action: the action, if one was read.
    """

    step: Count
    line: str
    reply: str
    result: str
    action: str = ""


class ErrorSignal(RunEvent, frozen=True):
    """A step failed.

    Attributes:
        step: the index of the step.
        action: the action that failed; empty if none was read.
        style: of the message: ``raw``, ``terse`` or ``reason``.
        status: the kind of failure, ``inapplicable`` or ``unreadable``, or as in `pddl2nl.policies.events.Rejected`.
        text: the message for the planning model.
        unmet: the conditions that did not hold.
        repeated: how often the same action had failed in the same state with the same message before.
        preview: whether the step failed in the simulator and was not tried in the world.
    """

    step: Count
    action: str
    style: str
    status: str
    text: str
    unmet: tuple[str, ...] = ()
    repeated: Count = 0
    preview: bool = False


class DeadEndProved(RunEvent, frozen=True):
    """No plan reaches the goal from the state after an action.

    Attributes:
        step: the index of the step.
        action: the action after which there is no plan.
        preview: whether it was only tried in the simulator.
    """

    step: Count
    action: str
    preview: bool = False


EVENTS: tuple[type[RunEvent], ...] = (BrainPlanned, BodyActed, ErrorSignal, DeadEndProved)
"""The events of BrainBody."""
