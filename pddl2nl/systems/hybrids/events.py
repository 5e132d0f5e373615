"""The planning events of the hybrids: what a planner or a search made of what the model said.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.hybrids.metrics`
are computed from them. Actions and facts are PDDL.
"""

from __future__ import annotations

from pddl2nl.policies.events import Amount, Count, RunEvent
from pddl2nl.policies.notes import Item, Note


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

    def note(self) -> Note:
        if not self.planner:
            return Note(self.event, "Proposal", "valid as it is", "good")
        lines = tuple(
            Item(codes=(action,), label="proposed" if place in self.kept else "")
            for place, action in enumerate(self.plan)
        )
        effort = f"{self.expanded} states expanded"
        effort += "" if self.alone is None else f", {self.alone} without the proposal"
        items = (Item(f"{self.prefix} of {len(self.proposal)} actions", "executable"), Item(effort, self.planner))
        proof = ", proved the smallest" if self.proved else ", which may not be the smallest"
        proof = ", as no nearer plan was found within the limits" if self.fallback else proof
        verdict = f"distance {self.distance}{proof}" if self.plan else f"no plan: {self.status}"
        return Note(self.event, "Repaired plan", verdict, "good" if self.plan else "bad", lines, items)


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

    def note(self) -> Note:
        title = "Problem as it was written" if self.round == 0 else f"Problem, correction {self.round}"
        verdict = {True: "equivalent", False: "not equivalent", None: "not compared"}[self.equivalent]
        parts = (("missing", self.missing), ("invented", self.invented))
        items = (
            Item(codes=(self.text,)),
            *(Item(label=label, codes=codes, tone="bad") for label, codes in parts if codes),
        )
        bad = self.reason or self.equivalent is False
        verdict = "cannot be read" if self.reason else verdict
        return Note(self.event, title, verdict, "bad" if bad else "good", items=items, feedback=self.reason)


class ProblemSolved(RunEvent, frozen=True):
    """A planner's result for a problem that a model wrote; ``seconds`` is wall time, actions are PDDL."""

    planner: str
    status: str
    plan: tuple[str, ...] = ()
    seconds: Amount = 0.0
    expanded: Count = 0

    def note(self) -> Note:
        verdict = f"{self.status}, {self.expanded} states expanded"
        lines = tuple(Item(codes=(action,)) for action in self.plan)
        return Note(self.event, f"Plan by {self.planner}", verdict, "good" if self.plan else "bad", lines)


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

    def note(self) -> Note:
        estimates = ", ".join(map(str, self.estimates))
        lines = tuple(
            Item(f"{possible} possible", codes=named, tone="" if possible else "bad")
            for named, possible in zip(self.named, self.possible, strict=False)
        )
        return Note(self.event, "The model is asked for actions", f"estimates {estimates}", lines=lines)


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

    def note(self) -> Note:
        verdict = f"{self.status}, {self.expanded} states expanded, {self.led} of them led by the model"
        items = tuple(
            Item("after " + ", ".join(before) if before else "", codes=(fact,)) for fact, *before in self.landmarks
        )
        return Note(self.event, f"Search: {self.by}", verdict, "good" if self.plan else "bad", items=items)


PLANNED: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemSolved, StatesSearched)
"""The events that have the ``seconds`` and ``expanded`` states of a planner or a search."""

EVENTS: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemWritten, ProblemSolved, StatesAsked, StatesSearched)
"""The events of the hybrids."""
