"""The planning events of the hybrids: what a planner or a search made of what the model said.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.hybrids.metrics`
are computed from them. Actions and facts are PDDL.
"""

from __future__ import annotations

from pddl2nl.policies.events import Amount, Count, RunEvent


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
        alone: states that are expanded to plan without the proposal; null if that was not tried.
        proved: whether it is proved that no valid plan has a smaller distance.
        fallback: whether the plan is the one without the proposal, because no nearer one was found within the limits;
            ``seconds`` and ``expanded`` then hold both.
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
    proved: bool = False
    fallback: bool = False


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


class StatesAsked(RunEvent, frozen=True):
    """A model was asked how to go on from states in which a search was stuck, or in a beam.

    Attributes:
        estimates: the FF heuristic of each state.
        named: the actions that were read for each state; ``possible``: how many of them can be executed, in their
            order (guided) or each in the state itself (tree).
    """

    estimates: tuple[Count, ...]
    named: tuple[tuple[str, ...], ...]
    possible: tuple[Count, ...]


class StatesSearched(RunEvent, frozen=True):
    """A search on the simulator ended.

    Attributes:
        by: ``plain`` or ``led`` (by the model's actions) search, of guided; ``landmarks``; ``tree``.
        status: ``solved``, ``exhausted`` (no state is left) or ``limit``.
        plan: the plan; empty without one.
        expanded: states; ``led``: those of them that were expanded for what the model said.
        evaluated: states of which the heuristic was computed.
        seconds: wall time, without that of the model.
        landmarks: the subgoals, with those that come before each behind it.
    """

    by: str
    status: str
    plan: tuple[str, ...]
    expanded: Count
    led: Count
    evaluated: Count
    seconds: Amount = 0.0
    landmarks: tuple[tuple[str, ...], ...] = ()


PLANNED: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemSolved, StatesSearched)
"""The events that have the ``seconds`` and ``expanded`` states of a planner or a search."""

EVENTS: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemWritten, ProblemSolved, StatesAsked, StatesSearched)
"""The events of the hybrids."""
