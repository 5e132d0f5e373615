"""The planning events of the hybrids: what a planner or a search made of what the model said.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.policies.hybrids.metrics`
are computed from them. Actions and facts are PDDL.
"""

from __future__ import annotations

from pddl2nl.policies.events import Amount, Count, RunEvent

__all__ = ["EVENTS", "PLANNED", "PlanRepaired", "ProblemSolved", "ProblemWritten"]


class PlanRepaired(RunEvent, frozen=True):
    """A planner made a plan out of a proposal.

    Attributes:
        planner: that found the plan, or the last that was tried; empty if the proposal was valid.
        status: of its search (`pddl2nl.baselines.Status`).
        proposal: the actions that were proposed and read.
        prefix: how many of them can be executed one after the other.
        plan: the plan; empty without one.
        kept: the indices of the proposal's actions in the plan.
        distance: actions that were added, and actions of the proposal that were left out.
        leaves: the first step of the plan, from 1, that is not the proposal's, or that is the proposal's after one that
            was left out; 0 if the plan begins with the whole proposal or is it.
        seconds: of all searches for it; ``expanded``: states that they expanded, as far as they report it.
        alone: states that the same planner expands without the proposal; null if it found no plan, or was not asked.
    """

    planner: str
    status: str
    proposal: tuple[str, ...]
    prefix: Count
    plan: tuple[str, ...] = ()
    kept: tuple[Count, ...] = ()
    distance: Count = 0
    leaves: Count = 0
    seconds: Amount = 0.0
    expanded: Count = 0
    alone: Count | None = None


class ProblemWritten(RunEvent, frozen=True):
    """A model wrote a problem in PDDL.

    Attributes:
        round: 0 for the first one; counts corrections.
        text: as it was written, under the told names; empty if the reply has none.
        reason: why it cannot be read, as the model is told; empty if it can.
        equivalent: whether it is the true problem up to the names of objects; null if it was not compared.
        missing: objects, facts and goals of the true problem that it lacks; ``invented``: those that only it has.
    """

    round: Count
    text: str
    reason: str = ""
    equivalent: bool | None = None
    missing: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()


class ProblemSolved(RunEvent, frozen=True):
    """A planner's result for a problem that a model wrote; ``seconds`` is wall time, actions are PDDL."""

    planner: str
    status: str
    plan: tuple[str, ...] = ()
    seconds: Amount = 0.0
    expanded: Count = 0


PLANNED: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemSolved)
"""The events that have the ``seconds`` and ``expanded`` states of a planner or a search."""

EVENTS: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemWritten, ProblemSolved)
"""The events of the hybrids."""
