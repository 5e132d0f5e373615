"""A way through a task: what was executed and refused on it, step by step, with its counts and its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pddl2nl.pddl import write_condition
from pddl2nl.policies import events, observations
from pddl2nl.policies.event_making import changed_values
from pddl2nl.policies.policy import Setting
from validators import BadActionError, GroundAction

__all__ = ["Walk"]

_MISTAKES = ("unreadable", "ambiguous", "unknown-object", "inapplicable")


class Walk:
    """Begins in the task's initial state; an interactive episode is one, and so is each plan that is judged.

    Args:
        setting: the task and its telling.
        emit: is given the events.

    Attributes:
        state: where it has come to.
        steps: turns, or judged lines of a plan.
        turns: how many of each kind there were.
        plan: what was executed; ``proposed`` what was read, of a plan that was given at once.
        fault: the first broken link.
    """

    def __init__(self, setting: Setting, emit: Callable[[events.Event], None]):
        self.state = setting.simulator.initial
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
        added, deleted = (tuple(map(str, atoms)) for atoms in (result.added, result.deleted))
        changed = changed_values(self._simulator, action, self.state, result.successor)
        self.state = result.successor
        self.plan.append(action)
        teller = self._setting.teller
        observation = teller.executed(action)
        self._emit(events.Acted(self.steps, str(action), teller.action(action), observation, added, deleted, changed))
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
