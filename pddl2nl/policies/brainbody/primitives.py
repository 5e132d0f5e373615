"""What a robot can be told to do: the primitives of a domain, from its ``robot.json``.

The file of the domain ``household`` begins so::

    {"format": 1, "hidden": [], "no-ops": ["turnleft", "turnright"], "primitives": [
      {"name": "grab", "aliases": ["take"], "slots": ["item"],
       "actions": [{"action": "grab", "slots": {"item": "?x"}}, {"action": "take-out", "slots": {"item": "?x"}}]}]}

==============  =====================================================================================================
key             contents
==============  =====================================================================================================
``hidden``      predicates that are true in the world and never told; only errors reveal them
``no-ops``      words of a program that are carried out without any effect
``primitives``  each with its name, other words for it, the objects that it names (``slots``), and the actions of the
                domain that can carry it out, with the parameter that each slot fills
==============  =====================================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.pddl import Domain

__all__ = ["FORMAT", "Primitive", "PrimitiveAction", "Robot", "load_robot", "parse_robot", "robot_of_actions"]

FORMAT = 1
"""The version of the file's format."""


class PrimitiveAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action that can carry out a primitive; ``slots`` maps each slot to a parameter of the action."""

    action: str
    slots: Mapping[str, str] = {}


class Primitive(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command of the robot.

    Attributes:
        name: the word in a program.
        slots: the objects that it names, in order.
        actions: the actions that can carry it out, in the order in which they are tried.
        aliases: other words for it.
    """

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
    no_ops: tuple[str, ...] = ()
    format: int = FORMAT

    def primitive(self, word: str) -> Primitive | None:
        """The primitive of a word, by its name or an alias; None for another word."""
        return next((item for item in self.primitives if word == item.name or word in item.aliases), None)

    @property
    def words(self) -> tuple[str, ...]:
        """All words of a program."""
        return (*(word for item in self.primitives for word in (item.name, *item.aliases)), *self.no_ops)

    def to_json(self) -> str:
        """The robot as its file holds it."""
        return msgspec.json.encode(self, order="deterministic").decode("utf-8")


def load_robot(path: Path, domain: Domain) -> Robot:
    """The robot in a file; raises `InputError` as `parse_robot`."""
    return parse_robot(path.read_text(encoding="utf-8"), domain, str(path))


def parse_robot(text: str, domain: Domain, where: str = "robot.json") -> Robot:
    """A robot from its JSON text.

    Raises:
        InputError: the text has another form, or names what the domain does not have.
    """
    try:
        robot = msgspec.json.decode(text, type=Robot)
    except msgspec.DecodeError as error:
        raise InputError(f"{where}: {error}") from error
    if robot.format != FORMAT:
        raise InputError(f"{where}: format {robot.format} is not known; this version reads format {FORMAT}")
    predicates = [item.name for item in domain.predicates]
    for name in sorted(robot.hidden):
        if name not in predicates:
            raise InputError(f"{where}: hidden: the domain has no predicate {name}{did_you_mean(name, predicates)}")
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
        if {*item.slots} != {*primitive.slots}:
            raise InputError(f"{where}: action {item.action} must map the slots {', '.join(primitive.slots) or 'none'}")
        parameters = [parameter.name for parameter in schemas[item.action].parameters]
        for name in item.slots.values():
            if name not in parameters:
                near = did_you_mean(name, parameters)
                raise InputError(f"{where}: action {item.action} has no parameter {name}{near}")
