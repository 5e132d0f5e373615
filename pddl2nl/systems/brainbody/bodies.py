"""The body: turns one step of a plan into one command of the robot, or passes.

=============  ======================================================================================================
``llm``        a model, asked with the step, the objects and the actions alone (paper, section 3.2)
``reader``     our reader of natural language, by the wording of the actions without the parameters that a command
               leaves open; exact and free
``embedding``  the action and the objects whose names are nearest to the step, in the manner of Huang et al. 2022;
               without an embedding model, by letters
``none``       nothing: the steps of the plan are lines of program themselves
=============  ======================================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from zlib import crc32

from pddl2nl.llm import Answer
from pddl2nl.nl import Reader, Snippet, Teller
from pddl2nl.pddl import Task
from pddl2nl.policies.episode import Episode
from pddl2nl.systems.brainbody.primitives import Command, Primitive, PrimitiveAction, Robot
from pddl2nl.systems.brainbody.prompts import StepPrompter
from pddl2nl.systems.brainbody.replies import ProgramLine, ProgramReader
from pddl2nl.worlds.similarity import Embed, Vectors, nearest
from pddlval import GroundAction

_LETTER_DIMENSIONS = 512


Body = Callable[[str], ProgramLine]
"""Turns a step into a command, ``<pass>`` without one, or what was said instead."""


def make_body(
    kind: str, episode: Episode, prompter: StepPrompter, reader: ProgramReader, answer: Callable[[str], Answer]
) -> Body:
    """The body of this kind; ``none`` is the reader of programs itself, ``answer`` what the oracle says to a step."""
    if kind == "reader":
        return ReaderBody(prompter.teller, prompter.robot).act
    if kind == "embedding":
        return EmbeddingBody(prompter.teller, prompter.robot, episode.setting.embed).act
    if kind == "none":
        return reader.read
    constraint = prompter.constraint(episode.setting.spec.constrain, stage="brainbody/act")

    def asked(step: str) -> ProgramLine:
        messages = prompter.messages("brainbody/act", {"Step": step})
        return reader.read(episode.ask(messages, "body", again=True, constraint=constraint, answer=answer(step)))

    return asked


class ReaderBody:
    """Reads steps by the wording of the actions; what it cannot read is passed."""

    def __init__(self, teller: Teller, robot: Robot):
        domain, wording = teller.task.domain, teller.wording
        self._names = teller.names.to_nl
        self._primitives: dict[str, Primitive] = {}
        actions, snippets = [], {}
        for primitive in robot.primitives:
            for number, item in enumerate(primitive.actions):
                schema = domain.schema(item.action)
                name = f"{primitive.name}-{number}"
                places = [[each.name for each in schema.parameters].index(item.slots[slot]) for slot in primitive.slots]
                actions.append(replace(schema, name=name, parameters=tuple(schema.parameters[at] for at in places)))
                snippets[name] = _command_snippet(name, wording.actions[item.action], places)
                self._primitives[name] = primitive
        self._task = Task(replace(domain, actions=tuple(actions)), teller.task.problem)
        wording = replace(wording, actions=snippets)
        self._reader = Reader(self._task, wording, teller.names)
        self._teller = Teller(self._task, wording, teller.names)

    def act(self, step: str) -> ProgramLine:
        """The command that was read, also where the types forbid it."""
        reading = self._reader.read_turn(step)
        action = reading.action or next(iter(reading.candidates if reading.status == "unreadable" else ()), None)
        if action is None:
            return ProgramLine("<pass>", "pass")
        command = Command(self._primitives[action.name], action.args)
        return ProgramLine(command.line(self._names), "action", command)

    def say(self, command: Command) -> str:
        """A command in words that `act` reads, ``grab salmon``."""
        actions = [
            GroundAction(name, command.args) for name, item in self._primitives.items() if item == command.primitive
        ]
        return self._teller.action(next((each for each in actions if not self._teller.mistyped(each)), actions[0]))


def _command_snippet(name: str, snippet: Snippet, places: Sequence[int]) -> Snippet:
    """An action's text without the parameters that its command leaves open: ``grab {?x}`` for ``grab {?x} from {?p}``.

    With an open parameter goes the preposition before it; what follows the last parameter goes as well.
    """
    kept, text = [snippet.parameters[at] for at in places], snippet.text or ""
    for parameter in (each for each in snippet.parameters if each not in kept):
        text = re.sub(rf"(?: \w+)? {re.escape(f'{{{parameter}}}')}", "", text)
    return Snippet(name, tuple(kept), text[: text.rfind("}") + 1] or text)


class EmbeddingBody:
    """Takes the action and then the objects whose names are nearest to the step, at any distance: it never passes."""

    def __init__(self, teller: Teller, robot: Robot, embed: Embed | None):
        self._task = teller.task
        self._names = teller.names.to_nl
        self._primitives = robot.primitives
        self._vectors = Vectors(embed or letter_vectors)

    def act(self, step: str) -> ProgramLine:
        """The nearest command; of equally near names the first."""
        primitive = self._primitives[self._nearest(step, [item.name for item in self._primitives])]
        args: list[str] = []
        for slot in primitive.slots:
            fitting = dict.fromkeys(name for item in primitive.actions for name in self._fitting(item, slot))
            choices = [name for name in fitting if name not in args]
            if not choices:
                return ProgramLine("<pass>", "pass")
            args.append(choices[self._nearest(step, [self._names[name] for name in choices])])
        command = Command(primitive, tuple(args))
        return ProgramLine(command.line(self._names), "action", command)

    def _nearest(self, step: str, names: Sequence[str]) -> int:
        return next(iter(nearest(step, names, self._vectors)), 0)

    def _fitting(self, item: PrimitiveAction, slot: str) -> tuple[str, ...]:
        return self._task.objects_of(item.types(slot, self._task.domain))


def letter_vectors(texts: Sequence[str]) -> list[list[float]]:
    """The counts of three letters in a row, where there is no embedding model."""
    vectors = []
    for text in texts:
        vector = [0.0] * _LETTER_DIMENSIONS
        for place in range(len(text)):
            vector[crc32(f" {text} "[place : place + 3].encode()) % _LETTER_DIMENSIONS] += 1
        vectors.append(vector)
    return vectors
