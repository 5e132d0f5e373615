"""The mistakes that the oracle can make on purpose, and the plans that show them.

===================  ==============================================================================================
name                 what is wrong
===================  ==============================================================================================
forgotten-open       the first plan never opens anything
forgotten-walk       the first plan lacks its first walk
wrong-object         the first plan takes another object of the same type
compound-step        two steps of the first plan are joined into one
hands-full           the first plan takes a thing that nothing needs, so that a hand is missing later
restart-numbering    a step is missing, and the new plan is numbered from 0
same-again           a step is missing, and the new plan is the old one
too-short            a step is missing, and the new plan ends early
body-hallucinates    a step that is no action is given one
body-syntax          the first line of program has another syntax
===================  ==============================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from pddl2nl.systems.brainbody.primitives import Command, Robot, executed
from pddlval import Simulator

BrainMistake = Literal[
    "forgotten-open",
    "forgotten-walk",
    "wrong-object",
    "compound-step",
    "hands-full",
    "restart-numbering",
    "same-again",
    "too-short",
    "body-hallucinates",
    "body-syntax",
]
MISTAKES: tuple[str, ...] = get_args(BrainMistake)
"""The names of all mistakes."""

_GRAB = "grab"


def with_mistake(mistake: str | None, plan: Sequence[Command], robot: Robot, simulator: Simulator) -> list[Command]:
    """The commands of a first plan with the mistake; unchanged if it cannot be made in this plan or is made elsewhere.

    Args:
        mistake: its name.
        plan: the commands of a correct plan.
        robot: whose commands they are.
        simulator: of the task, as it was told.
    """
    commands = list(plan)
    if mistake == "forgotten-open":
        return [item for item in commands if item.primitive.name != "open"]
    if mistake == "forgotten-walk":
        return _without(commands, next((at for at, item in enumerate(commands) if item.primitive.name == "walk"), None))
    if mistake == "wrong-object":
        return _with_another_object(commands, simulator)
    if mistake == "hands-full":
        return _with_full_hands(commands, robot, simulator)
    if mistake in ("restart-numbering", "same-again", "too-short"):
        tries = (at for at in range(len(commands)) if failing_at(_without(commands, at), simulator) is not None)
        return _without(commands, next(tries, None))
    return commands


def failing_at(commands: Sequence[Command], simulator: Simulator) -> int | None:
    """The index of the first command that fails; None if none does."""
    return next((at for at, result in enumerate(executed(commands, simulator)) if result.successor is None), None)


def _without(commands: Sequence[Command], at: int | None) -> list[Command]:
    return [item for place, item in enumerate(commands) if place != at]


def _with_another_object(commands: list[Command], simulator: Simulator) -> list[Command]:
    """The commands with another object of the same type for the first that is taken."""
    task = simulator.task
    wrong = next((item.args[0] for item in commands if item.primitive.name == _GRAB and item.args), None)
    used = {name for item in commands for name in item.args}
    if wrong is None:
        return commands
    same = task.objects_of(task.objects[wrong].types)
    other = next((name for name in same if name not in used), wrong)
    return [Command(item.primitive, tuple(other if name == wrong else name for name in item.args)) for item in commands]


def _with_full_hands(commands: list[Command], robot: Robot, simulator: Simulator) -> list[Command]:
    """The commands with a grab more, after which one of them fails."""
    used = {name for item in commands for name in item.args}
    states = [simulator.initial, *(result.successor for result in executed(commands, simulator)[:-1])]
    for place, state in enumerate(filter(None, states)):
        for action in simulator.applicable(state):
            extra = robot.command_of(action, simulator.task.domain)
            if extra is None or extra.primitive.name != _GRAB or used.intersection(extra.args):
                continue
            longer = [*commands[:place], extra, *commands[place:]]
            if failing_at(longer, simulator) is not None:
                return longer
    return commands
