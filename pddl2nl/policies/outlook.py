"""What a policy may know of an episode: the task and its telling, and how things are by now."""

from __future__ import annotations

from pddl2nl.policies.example import Example
from pddl2nl.policies.policy import Setting
from pddl2nl.policies.walk import Walk
from pddlval import GroundAction, State

__all__ = ["Outlook"]


class Outlook:
    """The part of an `Episode` that changes nothing.

    Args:
        setting: the task and its telling.
        walk: how far it has come.
    """

    def __init__(self, setting: Setting, walk: Walk):
        self._setting = setting
        self._walk = walk

    @property
    def style(self) -> str:
        """``nl`` or ``pddl``."""
        return self._setting.style

    @property
    def example(self) -> Example | None:
        """The few-shot example; None means zero-shot."""
        return self._setting.example

    @property
    def history(self) -> str:
        """What is kept of old turns (`pddl2nl.policies.history`)."""
        return self._setting.history

    @property
    def samples(self) -> int:
        """How many replies a one-shot mechanism may ask for (`pddl2nl.policies.proposing`)."""
        return self._setting.samples

    @property
    def rounds(self) -> int:
        """How often a plan's explanation may go back to the model (`pddl2nl.policies.proposing`)."""
        return self._setting.rounds

    @property
    def unsolvable(self) -> str:
        """Whether the prompt says what to answer where there is no plan (`pddl2nl.policies.prompting.UNSOLVABLE`)."""
        return self._setting.unsolvable

    @property
    def domain_text(self) -> str:
        """What there is to do in this world, told."""
        return self._setting.teller.domain_text()

    @property
    def goal_text(self) -> str:
        """The goal, told."""
        return self._setting.teller.goal_text()

    @property
    def objects_text(self) -> str:
        """The objects and their types, told."""
        return self._setting.teller.objects_text()

    @property
    def init_text(self) -> str:
        """The initial state, told."""
        return self._setting.teller.init_text()

    @property
    def setting(self) -> Setting:
        """The task with everything that tells, reads and simulates it, for policies that plan by themselves."""
        return self._setting

    @property
    def task_text(self) -> str:
        """The task in words: those of the user, else the told goal."""
        return self._setting.task_text or self.goal_text

    @property
    def state(self) -> State:
        """The present state, as it is observed."""
        return self._walk.state

    @property
    def expected(self) -> State:
        """Where the last action would have led by the model."""
        return self._walk.expected

    @property
    def at_goal(self) -> bool:
        """Whether the goal holds in the present state."""
        return self._walk.at_goal

    @property
    def executed(self) -> tuple[GroundAction, ...]:
        """What was executed so far."""
        return tuple(self._walk.plan)

    def observe(self) -> str:
        """The present state, told; costs nothing (a model that looks around does so by `act`)."""
        return self._setting.teller.state(self._walk.state)
