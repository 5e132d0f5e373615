"""What the oracle answers in place of BrainBody's models: from the task, and with a mistake if it is to make one.

Of what is hidden from the models it assumes that it hinders no action, until an error message tells otherwise.

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

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Literal, get_args

from pddl2nl.baselines import PlanOracle
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.pddl import Atom, Condition, GroundAtom, Not, Task
from pddl2nl.systems.brainbody.bodies import ReaderBody
from pddl2nl.systems.brainbody.primitives import Command, Primitive, Robot, executed
from pddl2nl.systems.brainbody.prompts import StepPrompter, steps_text
from pddlval import Simulator, State
from pddlval.formulas import subformulas

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

_DONE = "Done."
_SAID = ("{0}", "Now {1}", "I {1}")
"""How steps are said in turn: with a capital letter, and without."""
_IDLE = "Wait a moment"


@dataclass
class BrainAnswers:
    """The answers of one run; what is hidden in its task is not looked at."""

    prompter: StepPrompter
    task: Task
    _excluded: set[GroundAtom] = field(default_factory=set)
    _acted: bool = False

    def plan(self, oracle: PlanOracle, *, state: State) -> str:
        self._excluded, self._acted = set(), False
        known = self._known(state)
        commands = with_mistake(oracle.mistake, self._commands(oracle, known) or [], self._robot, known)
        lines = self._lines(commands)
        if oracle.mistake == "compound-step" and len(lines) > 1:
            lines = [f"{lines[0]} and {lines[1]}", *lines[2:]]
        if oracle.mistake == "body-hallucinates":
            lines = [_IDLE, *lines]
        return steps_text((*lines, _DONE))

    def revision(self, oracle: PlanOracle, *, state: State, plan: Sequence[str], step: int, message: str) -> str:
        """The plan from a failed step on, with what the message says of hidden facts."""
        self._excluded |= self._told(message)
        # Without a plan nothing that is known reaches the goal any more.
        lines = self._lines(self._commands(oracle, self._known(state)) or [])
        new = steps_text((*lines, _DONE), step)
        if oracle.mistake == "same-again":
            new = steps_text(plan[step:], step)
        elif oracle.mistake == "restart-numbering":
            new = steps_text((*lines, _DONE))
        elif oracle.mistake == "too-short":
            new = steps_text((*lines[: len(lines) // 2], _DONE), step)
        return f"Explanation: {message.split('. ')[0].rstrip('.')}.\nNew plan:\n{new}"

    def next_step(self, oracle: PlanOracle, *, state: State) -> str:
        return (*self._lines((self._commands(oracle, self._known(state)) or [])[:1]), _DONE)[0]

    def words(self, command: Command) -> str:
        said = self._body.say(command)
        return said[:1].upper() + said[1:]

    def command(self, oracle: PlanOracle, *, step: str) -> str:
        line = self._body.act(step).text
        first, self._acted = not self._acted, True
        if oracle.mistake == "body-syntax" and first:
            return line.replace("<char0> [", "robot.").replace("]", "()")
        if oracle.mistake == "body-hallucinates" and step == _IDLE:
            primitive = self._robot.primitives[0]
            return Command(primitive, self._first_objects(primitive)).line(self.prompter.teller.names.to_nl)
        return line

    @property
    def _robot(self) -> Robot:
        return self.prompter.robot

    @cached_property
    def _body(self) -> ReaderBody:
        return ReaderBody(self.prompter.teller, self._robot)

    def _commands(self, oracle: PlanOracle, known: Simulator) -> list[Command] | None:
        """A plan from the initial state, or None."""
        plan = oracle.plan(known.task, known.initial)
        if plan is None:
            return None
        commands = (self._robot.command_of(action, self.task.domain) for action in plan)
        return [command for command in commands if command is not None]

    def _lines(self, commands: Sequence[Command]) -> list[str]:
        if self.prompter.program:
            return [command.line(self.prompter.teller.names.to_nl) for command in commands]
        said = enumerate(map(self._body.say, commands))
        return [_SAID[number % len(_SAID)].format(words[:1].upper() + words[1:], words) for number, words in said]

    def _known(self, state: State) -> Simulator:
        """The task from a state as it is told; hidden facts are as assumed if no message has told otherwise."""
        told = [atom for atom in state.atoms if atom[0] not in self._robot.hidden]
        assumed = [atom for atom, helps in self._hidden() if helps != (atom in self._excluded)]
        problem = problem_in_state(self.task.problem, sorted({*told, *assumed}), state.values)
        return Simulator(Task(self.task.domain, problem))

    def _told(self, message: str) -> set[GroundAtom]:
        """The hidden facts that a message says are not as assumed."""
        reasons = self.prompter.teller.reasons
        return {
            atom
            for atom, helps in self._hidden()
            if re.search(rf"(?<![\w-]){re.escape(reasons([_literal(atom, helps)]))}(?![\w-])", message)
        }

    def _hidden(self) -> Iterator[tuple[GroundAtom, bool]]:
        """Every fact that is not told, and whether it is assumed: all but those that an action needs to be false."""
        domain = self.task.domain
        parts = (part for action in domain.actions for part in subformulas(action.precondition))
        hinder = {part.body.predicate for part in parts if isinstance(part, Not) and isinstance(part.body, Atom)}
        for predicate in domain.predicates:
            if predicate.name in self._robot.hidden:
                choices = [self.task.objects_of(item.types) for item in predicate.parameters]
                for args in product(*choices):
                    yield GroundAtom((predicate.name, *args)), predicate.name not in hinder

    def _first_objects(self, primitive: Primitive) -> tuple[str, ...]:
        item = primitive.actions[0]
        return tuple(self.task.objects_of(item.types(slot, self.task.domain))[0] for slot in primitive.slots)


def _literal(atom: GroundAtom, positive: bool) -> Condition:
    body = Atom(atom[0], atom[1:])
    return body if positive else Not(body)


_GRAB = "grab"


def with_mistake(mistake: str | None, plan: Sequence[Command], robot: Robot, simulator: Simulator) -> list[Command]:
    """The commands of a first plan with the mistake; unchanged if it cannot be made in this plan."""
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
    return next((at for at, result in enumerate(executed(commands, simulator)) if result.successor is None), None)


def _without(commands: Sequence[Command], at: int | None) -> list[Command]:
    return [item for place, item in enumerate(commands) if place != at]


def _with_another_object(commands: list[Command], simulator: Simulator) -> list[Command]:
    """With another object of the same type for the first that is taken."""
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
