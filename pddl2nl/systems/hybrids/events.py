"""The planning events of the hybrids: what a planner or a search made of what the model said.

They stand among the events of a run (`pddl2nl.policies.events`) and cost no step; `pddl2nl.systems.hybrids.metrics`
are computed from them. Actions and facts are PDDL.
"""

from __future__ import annotations

from pddl2nl.policies.events import Amount, Count, RunEvent
from pddl2nl.policies.notes import Item, Note


class PlanRepaired(RunEvent, frozen=True):
    """A planner made a plan out of a proposal.

    Attributes: planner, status: that found the plan, or the last that was tried, and its
    `pddl2nl.baselines.Status`; no planner if the proposal was valid. proposal, prefix: the actions that were read,
    and how many of them can be executed one after the other. plan, kept, distance: the plan, if any, the proposal's
    actions in it, and how many were added or left out. leaves: the first step, from 1, that is not the proposal's
    next one; 0 if the plan begins with all of it or is it. seconds, expanded: CPU time and states of all searches for
    it; ``alone``: the states expanded to plan without the proposal, if tried. proved: whether no valid plan has a
    smaller distance. fallback: whether the plan is that without the proposal, because no nearer one was found within
    the limits.
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
    """A model wrote a problem in PDDL, in round 0 or in a correction.

    The text stands under the told names, with the reason why it cannot be read, if so. `equivalent` tells whether it is
    the true problem up to the names of objects (null: not compared), with the parts that it lacks and those that only
    it has.
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
    """A planner's result for a problem that a model wrote; ``seconds`` is CPU time, actions are PDDL."""

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
    """A model was asked how to continue from states with these estimates of the FF heuristic.

    `named` are the actions that were read for each; `possible` of them can be executed, in their order (guided) or each
    in the state itself (tree).
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
    """A search on the simulator ended: ``plain`` or ``led`` (by the model's actions), ``landmarks`` or ``tree``.

    Its status is ``solved``, ``exhausted`` (no state is left) or ``limit``. It expanded so many states, `led` of them
    for what the model said, and evaluated the heuristic in others; `seconds` are without the model's time, `landmarks`
    the subgoals, with those that come before each behind it.
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


EVENTS: tuple[type[RunEvent], ...] = (PlanRepaired, ProblemWritten, ProblemSolved, StatesAsked, StatesSearched)
"""The events of the hybrids."""
