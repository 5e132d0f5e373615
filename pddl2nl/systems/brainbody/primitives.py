"""What a robot can be told to do: the primitives of a domain, from its ``robot.json``.

The file of the domain ``household`` begins so::

    {"format": 1, "hidden": [], "no-ops": ["turnleft", "turnright"], "primitives": [
      {"name": "grab", "aliases": ["take"], "slots": ["item"],
       "actions": [{"action": "grab", "slots": {"item": "?x"}}, {"action": "take-out", "slots": {"item": "?x"}}]}]}

==============  =====================================================================================================
key             contents
==============  =====================================================================================================
``hidden``      predicates that are true in the world and never told; only errors reveal them
``negated``     predicates that are told where they are false: ``{"is-open": "can-open"}`` of all that can be opened
``no-ops``      words of a program that are carried out without any effect
``primitives``  each with its name, other words for it, the objects that it names (``slots``), and the actions of the
                domain that can carry it out, with the parameter that each slot fills
==============  =====================================================================================================

The parameters that no slot fills (places, rooms, hands) are filled from the state (`ground`). With ``"located": ["on",
"inside"]`` an action also takes a thing where it needs the place that the thing is on or inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, product

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.files import parse_json
from pddl2nl.llm.constraint import Line
from pddl2nl.nl import Teller
from pddl2nl.pddl import Domain, Task, changed_predicates
from pddl2nl.policies.refining import clearest
from pddlval import GroundAction, Simulator, State, StepResult

FORMAT = 1
"""The version of the file's format."""


class PrimitiveAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action that can carry out a primitive, and the parameter that each slot fills.

    By the predicates ``(p thing place)`` in `located` a thing stands for its place.
    """

    action: str
    slots: Mapping[str, str] = {}
    located: tuple[str, ...] = ()

    def types(self, slot: str, domain: Domain) -> tuple[str, ...]:
        """The types of the parameter that a slot fills."""
        return next(each.types for each in domain.schema(self.action).parameters if each.name == self.slots[slot])


class Primitive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command of the robot: its name, the objects that it names, the actions in order, and other words for it."""

    name: str
    slots: tuple[str, ...]
    actions: tuple[PrimitiveAction, ...]
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join([f"[{self.name}]", *(f"<{slot}>" for slot in self.slots)])


class Robot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"no_ops": "no-ops"}):
    """The primitives of a robot, and what is hidden from its models."""

    primitives: tuple[Primitive, ...]
    hidden: frozenset[str] = frozenset()
    negated: Mapping[str, str] = {}
    no_ops: tuple[str, ...] = ()
    format: int = FORMAT

    def primitive(self, word: str) -> Primitive | None:
        """The primitive of a word, by its name or an alias; None for another word."""
        return next((item for item in self.primitives if word == item.name or word in item.aliases), None)

    @property
    def words(self) -> tuple[str, ...]:
        return (*(word for item in self.primitives for word in (item.name, *item.aliases)), *self.no_ops)

    def command_of(self, action: GroundAction, domain: Domain) -> Command | None:
        """The command that an action carries out; None if no primitive has this action."""
        for primitive in self.primitives:
            for item in primitive.actions:
                if item.action == action.name:
                    values = domain.schema(action.name).binding(action.args)
                    return Command(primitive, tuple(values[item.slots[slot]] for slot in primitive.slots))
        return None

    @property
    def text(self) -> str:
        return msgspec.json.encode(self, order="deterministic").decode("utf-8")


@dataclass(frozen=True)
class Command:
    """A primitive with the objects that it names, by their PDDL names."""

    primitive: Primitive
    args: tuple[str, ...]

    def line(self, names: Mapping[str, str]) -> str:
        """The command as a line of program, ``<char0> [grab] <salmon>``; ``names`` are the told names of objects."""
        return " ".join(["<char0>", f"[{self.primitive.name}]", *(f"<{names[name]}>" for name in self.args)])


def command_lines(robot: Robot, task: Task, names: Mapping[str, str]) -> tuple[Line, ...]:
    """All commands of a robot as lines of program, with the told names of the objects that fit a slot."""
    lines: list[Line] = [(f"<char0> [{word}]",) for word in robot.no_ops]
    for primitive in robot.primitives:
        line: list[str | tuple[str, ...]] = [f"<char0> [{primitive.name}]{' <' if primitive.slots else ''}"]
        for place, slot in enumerate(primitive.slots, start=1):
            fitting = set[str]()
            for item in primitive.actions:
                fitting |= set(task.objects if item.located else task.objects_of(item.types(slot, task.domain)))
            line.append(tuple(names[name] for name in task.objects if name in fitting))
            line.append("> <" if place < len(primitive.slots) else ">")
        if () not in line:
            lines.append(tuple(line))
    return tuple(lines)


def fact_lines(robot: Robot, teller: Teller) -> tuple[Line, ...]:
    """All facts that a robot can check, and their negations, as sentences with the told names of objects."""
    task, names = teller.task, teller.names.to_nl
    lines: list[Line] = []
    for predicate in task.domain.predicates:
        objects = [tuple(names[name] for name in task.objects_of(item.types)) for item in predicate.parameters]
        snippet = teller.wording.predicates[predicate.name]
        if predicate.name not in robot.hidden and snippet.text is not None and all(objects):
            for parts in filter(None, (snippet.parts, snippet.negated_parts)):
                lines.append(tuple(part if isinstance(part, str) else objects[part] for part in parts))
    return tuple(lines)


def parse_robot(text: str, domain: Domain, where: str = "robot.json") -> Robot:
    """A robot from its JSON text.

    Raises:
        InputError: the text has another form, or names what the domain does not have.
    """
    try:
        robot = convert(parse_json(text, where), Robot)
    except WrongValueError as error:
        raise InputError(f"{where}: {error}") from None
    if robot.format != FORMAT:
        raise InputError(f"{where}: format {robot.format} is not known; this version reads format {FORMAT}")
    predicates = [item.name for item in domain.predicates]
    named = [
        *(("hidden", name) for name in sorted(robot.hidden)),
        *(("negated", name) for name in chain(*robot.negated.items())),
    ]
    for key, name in named:
        if name not in predicates:
            raise InputError(f"{where}: {key}: the domain has no predicate {name}{did_you_mean(name, predicates)}")
    sizes = {item.name: len(item.parameters) for item in domain.predicates}
    for name, other in robot.negated.items():
        if sizes[name] != sizes[other]:
            raise InputError(f"{where}: negated: {name} and {other} are about different numbers of objects")
    if doubled := sorted({word for word in robot.words if robot.words.count(word) > 1}):
        raise InputError(f"{where}: the word {doubled[0]} stands for more than one command")
    for primitive in robot.primitives:
        _check(primitive, domain, f"{where}: primitive {primitive.name}")
    return robot


def robot_of_actions(domain: Domain) -> Robot:
    """The robot of a domain without ``robot.json``: a primitive for each action, which names all its parameters."""
    primitives = []
    for schema in domain.actions:
        slots = tuple(item.name.removeprefix("?") for item in schema.parameters)
        action = PrimitiveAction(schema.name, {slot: f"?{slot}" for slot in slots})
        primitives.append(Primitive(schema.name, slots, (action,)))
    return Robot(tuple(primitives))


def _check(primitive: Primitive, domain: Domain, where: str) -> None:
    schemas = {schema.name: schema for schema in domain.actions}
    if not primitive.actions:
        raise InputError(f"{where}: it names no action that carries it out")
    for item in primitive.actions:
        if item.action not in schemas:
            raise InputError(f"{where}: the domain has no action {item.action}{did_you_mean(item.action, schemas)}")
        for name in item.located:
            if (predicate := domain.predicate(name)) is None or len(predicate.parameters) != 2:
                raise InputError(f"{where}: action {item.action}: located: {name} is no predicate of two objects")
        if {*item.slots} != {*primitive.slots}:
            raise InputError(f"{where}: action {item.action} must map the slots {', '.join(primitive.slots) or 'none'}")
        parameters = [parameter.name for parameter in schemas[item.action].parameters]
        for name in item.slots.values():
            if name not in parameters:
                near = did_you_mean(name, parameters)
                raise InputError(f"{where}: action {item.action} has no parameter {name}{near}")


def ground(command: Command, state: State, simulator: Simulator) -> GroundAction:
    """The action that carries out a command in a state, or the one whose failure says most (`clearest`).

    If the types allow no action, it is the first action, which the simulator refuses.
    """
    task = simulator.task
    candidates = (action for item in command.primitive.actions for action in _candidates(item, command, state, task))
    results = (simulator.step(state, action) for action in candidates)
    if (result := clearest(results, command.args, changed_predicates(task.domain))) is not None:
        return result.action
    first = command.primitive.actions[0]
    return GroundAction(first.action, tuple(_mistyped(first, command, simulator.task)))


def executed(commands: Iterable[Command], simulator: Simulator) -> list[StepResult]:
    """The results of commands, one after the other from the initial state, up to the first that fails."""
    state, results = simulator.initial, list[StepResult]()
    for command in commands:
        results.append(simulator.step(state, ground(command, state, simulator)))
        if (after := results[-1].successor) is None:
            break
        state = after
    return results


def _candidates(item: PrimitiveAction, command: Command, state: State, task: Task) -> Iterator[GroundAction]:
    given = _given(item, command)
    choices: list[tuple[str, ...]] = []
    for parameter in task.domain.schema(item.action).parameters:
        name = given.get(parameter.name)
        if name is None:
            choices.append(task.objects_of(parameter.types))
        else:
            names = (name, *(atom[2] for atom in state if atom[0] in item.located and atom[1] == name))
            choices.append(tuple(each for each in names if task.is_a(each, parameter.types)))
    return (GroundAction(item.action, args) for args in product(*choices))


def _mistyped(item: PrimitiveAction, command: Command, task: Task) -> Iterator[str]:
    given = _given(item, command)
    for parameter in task.domain.schema(item.action).parameters:
        yield from [given[parameter.name]] if parameter.name in given else task.objects_of(parameter.types)[:1]


def _given(item: PrimitiveAction, command: Command) -> dict[str, str]:
    return {item.slots[slot]: name for slot, name in zip(command.primitive.slots, command.args, strict=True)}
