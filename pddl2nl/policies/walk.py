"""A way through a task: what was executed and refused on it, step by step, with its counts and its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pddl2nl.pddl import write_condition
from pddl2nl.policies import events, observations
from pddl2nl.policies.event_making import Changes, changed_values, observed_changes
from pddl2nl.policies.policy import Setting
from pddlval import BadActionError, GroundAction

__all__ = ["Walk"]

_MISTAKES = ("unreadable", "ambiguous", "unknown-object", "inapplicable")


class Walk:
    """Begins in the task's initial state; an interactive episode is one, and so is each plan that is judged.

    Args:
        setting: the task and its telling.
        emit: is given the events.

    Attributes:
        state: where it has come to, as it is observed.
        expected: where the last action would have led by the model; the same but for an executor of its own.
        steps: turns, or judged lines of a plan.
        turns: how many of each kind there were.
        plan: what was executed; ``proposed`` what was read, of a plan that was given at once.
        fault: the first broken link.
    """

    def __init__(self, setting: Setting, emit: Callable[[events.Event], None]):
        self.state = setting.simulator.initial
        self.expected = self.state
        self.steps = 0
        self.turns: Counter[str] = Counter()
        self.plan: list[GroundAction] = []
        self.proposed: list[GroundAction] = []
        self.fault: events.Fault | None = None
        self._setting = setting
        self._simulator = setting.simulator
        self._emit = emit

    @property
    def at_goal(self) -> bool:
        """Whether the goal holds."""
        return self._simulator.is_goal(self.state)

    @property
    def mistakes(self) -> int:
        """How many turns or lines were meant as actions and not executed."""
        return sum(self.turns[status] for status in _MISTAKES)

    def execute(self, action: GroundAction, said: str) -> tuple[str, str]:
        """Does an action if it is applicable; the kind of turn that it was, and what is told about it."""
        try:
            result = self._simulator.step(self.state, action)
        except BadActionError as error:
            observation = observations.bad_action(error, self._setting, self.state)
            self.reject("unreadable", said, observation, action)
            return "unreadable", observation
        if result.successor is None:
            observation = observations.refused(result, self._setting, self.state)
            unmet = tuple(write_condition(condition) for condition in result.unmet)
            self.reject("inapplicable", said, observation, action, unmet)
            return "inapplicable", observation
        before, teller = self.state, self._setting.teller
        executor = self._setting.executor
        self.expected = result.successor
        self.state = result.successor if executor is None else executor.execute(before, action)
        observation = teller.executed(action)
        if self.state == self.expected:
            changes = Changes(
                tuple(map(str, result.added)),
                tuple(map(str, result.deleted)),
                changed_values(self._simulator, action, before, self.state),
            )
        else:
            changes = observed_changes(before, self.state)
            observation = observations.unexpected(observation, self.expected, self.state, teller)
        self.plan.append(action)
        self._emit(events.Acted(self.steps, str(action), teller.action(action), observation, *changes))
        return "executed", observation

    def reject(
        self,
        status: str,
        said: str,
        observation: str,
        action: GroundAction | None = None,
        unmet: tuple[str, ...] = (),
    ) -> None:
        """Writes down that nothing was executed, and why."""
        name = None if action is None else str(action)
        self._emit(events.Rejected(self.steps, status, said, name, unmet, observation))
        if self.fault is None:
            self.fault = events.Fault(self.steps, status, said)

    def verdict(self, status: str, observation: str) -> tuple[events.Outcome, str]:
        """The verdict on a plan that was carried out to its end, or up to the action where it broke.

        Args:
            status: of the last action: ``executed``, or why it was not.
            observation: what was told about it.
        """
        if status != "executed":
            return ("inapplicable" if status == "inapplicable" else "unreadable"), observation
        unmet = self._simulator.unmet_goals(self.state)
        if not unmet:
            self._emit(events.GoalReached(self.steps))
            return "solved", "the goal holds at the end of the plan"
        told = self._setting.teller.unmet_goal(unmet, self.state)
        self.fault = self.fault or events.Fault(self.steps, "goal-missed", told)
        return "goal-missed", f"the goal does not hold at the end of the plan: {told}"
