"""Execution of a plan, with recovery from unexpected changes (HVR paper, section 2.4).

After every action the expected and the observed state are compared as triples. A difference is recorded with the
action and the first condition that fails because of it. A policy with verification then tries to recover without the
model (`pddl2nl.systems.hvr.recovery`). If it cannot, or if the next action is not applicable, it gives up the rest of
the plan for a new one, as long as replanning is allowed. Without verification differences are only recorded, so that
execution can be measured, and the plan is executed up to the first inapplicable action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pddl2nl.macros.telling import told_condition
from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.nl.wording.english import within_sentence
from pddl2nl.pddl import Atom, Condition, GroundAtom, Not, write_condition
from pddl2nl.systems.hvr.blocks import Part, whole
from pddl2nl.systems.hvr.events import Discrepancy, Recovered
from pddl2nl.systems.hvr.planner import Planner
from pddl2nl.systems.hvr.recovery import Recovery, recovery
from pddl2nl.worlds.alignment import Alignment, accounts, align
from pddlval import BadActionError, GroundAction, State

_MOST_REPEATS = 10
"""How often an action is repeated in a row before the policy gives it up."""

_MOST_REPAIRS = 10
"""The most repairs of one plan, so that a world which undoes each of them does not keep the policy busy."""


@dataclass(frozen=True)
class ExecutionEnd:
    """The end of a plan's execution.

    Attributes:
        feedback: why the plan was given up for a new one; empty if it was executed to its end or ended the run.
        status: of the last action: ``executed``, or why it was not.
        observation: what was observed then.
    """

    feedback: str = ""
    status: str = "executed"
    observation: str = ""


class Execution:
    """Executes plans for one episode.

    Args:
        planner: has the episode, the knowledge graph and the mechanism.

    Attributes:
        done: what was executed of all plans, in parts.
    """

    def __init__(self, planner: Planner):
        self.done: list[Part] = []
        self._planner = planner
        self._episode = planner.episode
        self._simulator = planner.simulator
        self._teller = planner.teller
        self._verification = planner.mechanism.verification
        self._ignored = accounts(planner.simulator.task)
        self._step = 0
        self._repeats = self._repairs = 0

    def carry_out(self, parts: Sequence[Part]) -> ExecutionEnd:
        """Executes a plan until it ends, fails, or is given up for a new one."""
        self._repeats = self._repairs = 0
        self._episode.begin_plan(whole(parts))
        for place, part in enumerate(parts):
            executed: list[GroundAction] = []
            ended = self._part(part, whole(parts[place + 1 :]), executed)
            if executed or ended is None:
                self.done.append(replace(part, actions=tuple(executed)))
            if ended is not None:
                return ended
        unmet = self._simulator.unmet_goals(self._episode.state)
        if not unmet or self._planner.replans_left <= 0:
            return ExecutionEnd()
        lines = [f"- {told_condition(condition, self._teller)}" for condition in unmet]
        return ExecutionEnd("\n".join(["The plan was carried out, but the task is not done. What is missing:", *lines]))

    def _part(self, part: Part, later: Sequence[GroundAction], executed: list[GroundAction]) -> ExecutionEnd | None:
        """Executes one part; None if all of it was executed."""
        actions = list(part.actions)
        while actions:
            if (feedback := self._cannot(actions[0])) and self._planner.replans_left > 0:
                return ExecutionEnd(feedback)
            action = actions.pop(0)
            self._step += 1
            before = self._episode.state
            turn = self._episode.move(action, said=self._teller.action(action), ends=False)
            self._planner.graph_teller.graph.update(self._episode.state, action, self._step, turn.status, part.words)
            if turn.status == "world-error" and self._verification and self._planner.replans_left > 0:
                return ExecutionEnd(turn.observation)
            if turn.status != "executed":
                return ExecutionEnd("", turn.status, turn.observation)
            executed.append(action)
            inserted, feedback = self._surprise(action, before, (*actions, *later))
            if feedback and self._planner.replans_left > 0:
                return ExecutionEnd(feedback)
            if inserted:
                actions[:0] = inserted
                self._episode.begin_plan((*actions, *later))
        return None

    def _cannot(self, action: GroundAction) -> str:
        """Why the next action is not applicable in the observed state, recorded; empty if it is or is not checked."""
        if not self._verification:
            return ""
        told = f"The next step, {within_sentence(self._teller.action(action))}, cannot be done"
        try:
            result = self._simulator.step(self._episode.state, action)
        except BadActionError as error:
            condition, feedback = "", f"{told}: {error.reason}."
        else:
            if result.applicable:
                return ""
            violated = [f"- {told_condition(condition, self._teller)}" for condition in result.unmet]
            condition = write_condition(result.unmet[0]) if result.unmet else ""
            feedback = "\n".join([f"{told} now. Violated:", *violated])
        self._episode.note(Discrepancy(self._step, str(action), (), (), condition, feedback))
        return feedback

    def _surprise(
        self, action: GroundAction, before: State, rest: Sequence[GroundAction]
    ) -> tuple[tuple[GroundAction, ...], str]:
        """Compares the observed state with the expected one and records a difference.

        Returns:
            The actions to insert before the rest of the plan, and the feedback if a new plan is needed.
        """
        found = align(self._episode.expected, self._episode.state, ignored=self._ignored)
        if found.same:
            self._repeats = 0
            return (), ""
        condition = self._first_failing(found, before, rest)
        way = self._recovery(action, rest)
        feedback = self._feedback(action, found, condition) if self._verification and way is None else ""
        failing = "" if condition is None else write_condition(condition)
        self._episode.note(
            Discrepancy(self._step, str(action), found.missing_texts, found.surplus_texts, failing, feedback)
        )
        if way is None:
            return (), feedback
        self._episode.note(Recovered(self._step, way.kind, tuple(map(str, way.actions))))
        return way.actions, ""

    def _recovery(self, action: GroundAction, rest: Sequence[GroundAction]) -> Recovery | None:
        """How the plan goes on without the model; None without verification or if it cannot."""
        if not self._verification or self._repeats >= _MOST_REPEATS or self._repairs >= _MOST_REPAIRS:
            return None
        way = recovery(self._simulator, self._episode.state, self._episode.expected, action, rest)
        self._repeats = self._repeats + 1 if way is not None and way.kind == "repeated" else 0
        self._repairs += way is not None and way.kind == "repaired"
        return way

    def _feedback(self, action: GroundAction, found: Alignment, condition: Condition | None) -> str:
        """What the model is told about a difference."""
        said = within_sentence(self._teller.action(action))
        lines = [
            f"After step {self._step}, {said}, the world is other than expected:",
            *(f"- missing: {self._fact(atom)}" for atom in found.missing),
            *(f"- unexpected: {self._fact(atom)}" for atom in found.surplus),
            *(f"- {self._teller.fact(item.fluent)} is {number_text(item.value)}" for item in found.surplus_values),
        ]
        if condition is not None:
            lines.append(f"Violated: {told_condition(condition, self._teller)}")
        return "\n".join(lines)

    def _first_failing(self, found: Alignment, before: State, rest: Sequence[GroundAction]) -> Condition | None:
        """The first condition that fails because of a difference: of the effect, the rest of the plan, or the goal."""
        for atom in found.missing:
            if atom not in before:
                return Atom(atom[0], atom[1:])
        for atom in found.surplus:
            if atom in before:
                return Not(Atom(atom[0], atom[1:]))
        followed = self._simulator.follow(self._episode.state, rest)
        failing = self._simulator.unmet_goals(followed.state) if followed.complete else followed.unmet
        return next(iter(failing), None)

    def _fact(self, atom: GroundAtom) -> str:
        return told_condition(Atom(atom[0], atom[1:]), self._teller)
