"""Actions as tools: one function per action, with a JSON schema of its arguments, and calls of them read back.

No model is needed here: policies offer the tools to a model (`pddl2nl.policies.toolbox`), and a server could offer them
to any client. A function has the name of its action and is described by the action's words. It has one argument per
parameter: one of the names by which the task tells the objects of its type.

A call is read as it is written. What is not a JSON object with exactly the arguments of the function is no action, and
the reading says why; only an object that was written as a JSON text within JSON, as some models do, is unpacked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pddl2nl.errors import InputError, did_you_mean, near_name
from pddl2nl.nl.reading.readings import Reading
from pddl2nl.nl.wording.english import enumerate_words, one_of_kind
from pddl2nl.pddl.tree import StepSchema, TypedName
from pddlval import GroundAction

if TYPE_CHECKING:
    from pddl2nl.nl.telling.teller import Teller

RULE = "call"
"""The rule of readings of calls."""
MOST_ARGUMENTS = 100_000
"""The most characters of arguments that are read."""
_LONGEST_NAME = 64
"""Of functions and arguments; OpenAI's API and others take no longer ones."""
_SHOWN = 300
_QUOTED = 60


class CallError(ValueError):
    """A call that cannot be carried out; the message is the part of a sentence after "because"."""


@dataclass(frozen=True)
class ActionTool:
    """An action as a function: its name, what it does in words, and its arguments by name."""

    name: str
    description: str
    schema: StepSchema
    arguments: tuple[str, ...]
    properties: Mapping[str, Mapping[str, Any]]

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return object_schema(self.properties)


class ActionTools:
    """The actions of a task as tools.

    Args:
        teller: tells the task.
        most: the most objects of a type that are listed in the schema; of more, any text is allowed, and the
            description says what it has to be.
        reserved: names of other functions, which no action may have.
    """

    def __init__(self, teller: Teller, most: int = 100, reserved: Iterable[str] = ()):
        self._teller = teller
        self._most = most
        self._reserved = tuple(reserved)

    @cached_property
    def _every(self) -> tuple[ActionTool, ...]:
        steps = self._teller.task.domain.steps
        names = _function_names([step.name for step in steps], self._reserved)
        return tuple(self._tool(name, step) for name, step in zip(names, steps, strict=True))

    @cached_property
    def tools(self) -> tuple[ActionTool, ...]:
        """One tool for each action that some objects could take part in, in the order of the domain."""
        objects_of = self._teller.task.objects_of
        return tuple(tool for tool in self._every if all(objects_of(each.types) for each in tool.schema.parameters))

    @cached_property
    def _by_name(self) -> dict[str, ActionTool]:
        return {tool.name: tool for tool in self.tools}

    def _tool(self, name: str, schema: StepSchema) -> ActionTool:
        arguments = _function_names([parameter.name.removeprefix("?") for parameter in schema.parameters])
        marked = [f"<{argument}>" for argument in arguments]
        pddl = self._teller.style == "pddl"
        told = (
            f"({' '.join((schema.name, *marked))})" if pddl else self._teller.wording.actions[schema.name].fill(marked)
        )
        pairs = zip(arguments, schema.parameters, strict=True)
        properties = {argument: self._property(parameter) for argument, parameter in pairs}
        return ActionTool(name, told, schema, tuple(arguments), properties)

    def _property(self, parameter: TypedName) -> dict[str, Any]:
        names = self._names_of(parameter)
        words = [self._kind(name) for name in parameter.types]
        kind = " or ".join(one_of_kind(word) for word in words)
        if len(names) <= self._most:
            return {"type": "string", "enum": list(names), "description": kind}
        return {"type": "string", "description": f"{kind}: its name, letter by letter as in the problem"}

    def _kind(self, type_name: str) -> str:
        return type_name if self._teller.style == "pddl" else self._teller.wording.type_word(type_name)

    def _names_of(self, parameter: TypedName) -> list[str]:
        return [self._said(name) for name in self._teller.task.objects_of(parameter.types)]

    def _said(self, name: str) -> str:
        return name if self._teller.style == "pddl" else self._teller.names.to_nl[name]

    def written(self, told: str) -> tuple[str, dict[str, str]]:
        """A told action as a call: the function's name and the arguments, which may be objects of another task."""
        for tool in self._every:
            if self._teller.style == "pddl":
                name, *args = told.strip("()").split()
                if name == tool.schema.name:
                    return tool.name, dict(zip(tool.arguments, args, strict=True))
                continue
            parts = self._teller.wording.actions[tool.schema.name].parts
            # Told names have no blanks.
            pattern = "".join(re.escape(part) if isinstance(part, str) else r"(\S+)" for part in parts)
            if (found := re.fullmatch(pattern, told)) is not None:
                places = [part for part in parts if isinstance(part, int)]
                by_place = dict(zip(places, found.groups(), strict=True))
                return tool.name, {name: by_place[place] for place, name in enumerate(tool.arguments)}
        raise InputError(f"no action of the domain is told as '{told}'")

    # ── calls ────────────────────────────────────────────────────────────────────────────────────

    def read(self, name: str, arguments: str, others: Iterable[str] = ()) -> Reading:
        """What a call means; ``others`` are further functions, for suggestions."""
        said = call_text(name, arguments)
        tool = self._by_name.get(name)
        try:
            if tool is None:
                known = [*self._by_name, *others]
                near = near_name(name, known)
                hint = f"did you mean {near}?" if near else f"there are {enumerate_words(known)}"
                raise CallError(f"there is no tool called {quoted(name)}; {hint}")
            given = checked_arguments(arguments, tool.name, tool.arguments)
            objects = [self._object(argument, given[argument]) for argument in tool.arguments]
        except CallError as error:
            return Reading(1, 0, 0, said, "unreadable", rule=RULE, reason=str(error))
        if unknown := [given for given, name in zip(given.values(), objects, strict=True) if name is None]:
            told = [self._said(each) for each in self._teller.task.objects]
            near_ones = tuple(filter(None, (near_name(each, told) for each in unknown)))
            names = tuple(each[:_QUOTED] for each in unknown)
            return Reading(1, 0, 0, said, "unknown-object", rule=RULE, unknown=names, suggestions=near_ones)
        action = GroundAction(tool.schema.name, tuple(filter(None, objects)))
        if self._teller.mistyped(action):
            return Reading(1, 0, 0, said, "unreadable", None, (action,), RULE)
        return Reading(1, 0, 0, said, "read", action, rule=RULE)

    def _object(self, argument: str, value: object) -> str | None:
        if not isinstance(value, str):
            raise CallError(f"the argument {argument} is {_kind_of(value)}, and the name of an object was expected")
        return self._to_pddl.get(value) or self._loosely.get(value.strip().casefold())

    @cached_property
    def _to_pddl(self) -> dict[str, str]:
        return {self._said(name): name for name in self._teller.task.objects}

    @cached_property
    def _loosely(self) -> dict[str, str]:
        return {told.casefold(): name for told, name in self._to_pddl.items()}


# ── what all tools share ─────────────────────────────────────────────────────────────────────────


def object_schema(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schema of a JSON object that has exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def call_text(name: str, arguments: str) -> str:
    """A call on one line, shortened: ``stack({"x": "block_0", "y": "block_1"})``."""
    said = " ".join(f"{name}({arguments[: 2 * _SHOWN]})".split())
    return said if len(said) <= _SHOWN else f"{said[:_SHOWN]}…"


def quoted(text: str) -> str:
    """A text of a model within a sentence: on one line, shortened, in quotation marks."""
    flat = " ".join(text[: 2 * _QUOTED].split())
    return f'"{flat}"' if len(flat) <= _QUOTED else f'"{flat[:_QUOTED]}…"'


def read_arguments(arguments: str) -> dict[str, Any]:
    """The arguments of a call; none for an empty text.

    Raises:
        CallError: they are no JSON object, one argument is given twice, or they are too long.
    """
    if len(arguments) > MOST_ARGUMENTS:
        raise CallError(f"the arguments have {len(arguments):,} characters, more than {MOST_ARGUMENTS:,}")
    if not arguments.strip():
        return {}
    data: Any = arguments
    # Twice: a text within JSON may be JSON again.
    for _ in range(2):
        if isinstance(data, str):
            try:
                data = json.loads(data, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                if isinstance(error, CallError):
                    raise
                raise CallError(f"the arguments are not JSON: {quoted(arguments)[1:-1]}") from None
    if not isinstance(data, dict):
        raise CallError(f"the arguments are {_kind_of(data)}, and a JSON object was expected")
    # Without halves of surrogate pairs, which JSON can hold and no file can.
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in data.items()
    }


def checked_arguments(arguments: str, tool: str, expected: Iterable[str]) -> dict[str, Any]:
    """The arguments of a call, in the order that is expected; raises `CallError` unless they are exactly these."""
    given, names = read_arguments(arguments), tuple(expected)
    takes = f"{tool} takes {enumerate_words(names) if names else 'no arguments'}"
    for name in given:
        if name not in names:
            raise CallError(f"there is no argument {quoted(name)}{did_you_mean(name, names)}; {takes}")
    if missing := [name for name in names if name not in given]:
        raise CallError(f"the argument {missing[0]} is missing; {takes}")
    return {name: given[name] for name in names}


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise CallError(f"the argument {quoted(name)} is given twice")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _kind_of(value: object) -> str:
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "an object", type(None): "null"}
    return kinds.get(type(value), "a number")


def _function_names(names: Iterable[str], reserved: Iterable[str] = ()) -> list[str]:
    """The names as the chat protocol takes them: letters, digits, ``_`` and ``-``, 64 at most, each once."""
    taken = {*reserved}
    found = []
    for name in names:
        plain = short = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:_LONGEST_NAME] or "_"
        number = 2
        while short in taken:
            end = f"_{number}"
            short, number = f"{plain[: _LONGEST_NAME - len(end)]}{end}", number + 1
        taken.add(short)
        found.append(short)
    return found
