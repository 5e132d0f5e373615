"""Carrying a plan out, and finding out where the world is other than expected (HVR paper, section 2.4).

After every action the expected and the observed state are aligned as triples. Where they differ, or where the next
action is not applicable in what is observed, the discrepancy is written down with the action and the first condition
that fails by it, and the rest of the plan is given up as long as a new one may be made. Without verification a
difference is written down all the same, so that execution can be measured, but nobody is told: the plan is carried
out up to the first action that is not applicable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pddl2nl.macros.telling import told_condition
from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.nl.wording.english import within_sentence
from pddl2nl.pddl import Atom, Condition, GroundAtom, Not, write_condition
from pddl2nl.policies.hvr.blocks import Part, whole
from pddl2nl.policies.hvr.events import Discrepancy
from pddl2nl.policies.hvr.planner import Planner
from pddl2nl.worlds.alignment import Alignment, accounts, align
from pddlval import BadActionError, GroundAction, State

__all__ = ["CarriedOut", "Execution"]


@dataclass(frozen=True)
class CarriedOut:
    """How the execution of a plan ended.

    Attributes:
        done: what of it was executed, in parts.
        feedback: why it was given up for a new plan; empty where it was carried out to its end, or broke for good.
        status: of the last action: ``executed``, or why it was not.
        observation: what was told then.
    """

    done: tuple[Part, ...]
    feedback: str = ""
    status: str = "executed"
    observation: str = ""


class Execution:
    """Executes plans for one episode.

    Args:
        planner: knows the episode, the knowledge graph and whether anybody verifies.
    """

    def __init__(self, planner: Planner):
        self._planner = planner
        self._episode = planner.episode
        self._simulator = planner.simulator
        self._teller = planner.teller
        self._ignored = accounts(planner.simulator.task)
        self._step = 0

    def carry_out(self, parts: Sequence[Part]) -> CarriedOut:
        """Executes a plan up to its end, to where it breaks, or to where it is better given up."""
        rest = list(whole(parts))
        self._episode.begin_plan(rest)
        done: list[Part] = []
        for part in parts:
            executed: list[GroundAction] = []
            for action in part.actions:
                if (feedback := self._cannot(action)) and self._planner.replans_left > 0:
                    return CarriedOut(_with(done, part, executed), feedback)
                del rest[0]
                self._step += 1
                before = self._episode.state
                turn = self._episode.move(action, said=self._teller.action(action), ends=False)
                outcome = turn.status
                self._planner.sight.graph.update(
                    self._episode.state, action, self._step, outcome, macro=part.macro, attempt=part.attempt
                )
                if turn.status != "executed":
                    return CarriedOut(tuple(done), "", turn.status, turn.observation)
                executed.append(action)
                feedback = self._surprise(action, before, rest)
                if feedback and self._planner.replans_left > 0:
                    return CarriedOut(_with(done, part, executed), feedback)
            done.append(part)
        return CarriedOut(tuple(done), self._missed())

    def _missed(self) -> str:
        """What is told where a plan was carried out and the task is not done; nothing where no new one may be made."""
        unmet = self._simulator.unmet_goals(self._episode.state)
        if not unmet or self._planner.replans_left <= 0:
            return ""
        lines = [f"- {told_condition(condition, self._teller)}" for condition in unmet]
        return "\n".join(["The plan was carried out, but the task is not done. What is missing:", *lines])

    def _cannot(self, action: GroundAction) -> str:
        """Why the next action cannot be executed in what is observed, written down; empty where it can, or unseen."""
        if not self._planner.mechanism.verification:
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

    def _surprise(self, action: GroundAction, before: State, rest: Sequence[GroundAction]) -> str:
        """How the observed state differs from the expected one, written down; what is told of it, if anybody looks."""
        found = align(self._episode.expected, self._episode.state, ignored=self._ignored)
        if found.same:
            return ""
        condition = self._first_failing(found, before, rest)
        said = within_sentence(self._teller.action(action))
        lines = [
            f"After step {self._step}, {said}, the world is other than expected:",
            *(f"- missing: {self._fact(atom)}" for atom in found.missing),
            *(f"- unexpected: {self._fact(atom)}" for atom in found.surplus),
            *(f"- {self._teller.fact(item.fluent)} is {number_text(item.value)}" for item in found.surplus_values),
        ]
        if condition is not None:
            lines.append(f"Violated: {told_condition(condition, self._teller)}")
        feedback = "\n".join(lines) if self._planner.mechanism.verification else ""
        self._episode.note(
            Discrepancy(
                self._step,
                str(action),
                found.missing_texts,
                found.surplus_texts,
                "" if condition is None else write_condition(condition),
                feedback,
            )
        )
        return feedback

    def _first_failing(self, found: Alignment, before: State, rest: Sequence[GroundAction]) -> Condition | None:
        """The first condition that fails by it: of the action's effect, of what comes next in the plan, of the goal."""
        for atom in found.missing:
            if atom not in before:
                return Atom(atom[0], atom[1:])
        for atom in found.surplus:
            if atom in before:
                return Not(Atom(atom[0], atom[1:]))
        state = self._episode.state
        for action in rest:
            result = self._simulator.step(state, action)
            if result.successor is None:
                return result.unmet[0] if result.unmet else None
            state = result.successor
        return next(iter(self._simulator.unmet_goals(state)), None)

    def _fact(self, atom: GroundAtom) -> str:
        return told_condition(Atom(atom[0], atom[1:]), self._teller)


def _with(done: Sequence[Part], part: Part, executed: Sequence[GroundAction]) -> tuple[Part, ...]:
    """The parts that were executed, and of another one as much as was."""
    return (*done, replace(part, actions=tuple(executed))) if executed else tuple(done)
