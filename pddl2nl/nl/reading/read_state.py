"""Reading objects, states and goals back: the inverse of the texts of `pddl2nl.nl.telling.teller.Teller`.

Nothing is guessed. A sentence that no snippet says, that names an unknown object, or that can be read in two
ways raises `NLReadError` with its line. A plan for what was read is therefore a plan for what was told.

``objects`` maps told names to what they stand for: `read_objects` gives the told names themselves, and a map to
PDDL's names makes the same functions answer in those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from pddl2nl.nl.names import Names
from pddl2nl.nl.reading.read_facts import FactReader, NLReadError, Scope
from pddl2nl.nl.reading.read_sections import Section, find_sections
from pddl2nl.nl.telling.teller import (
    EMPTY_GOAL,
    EMPTY_STATE,
    GOAL_START,
    IMPOSSIBLE_GOAL,
    NO_OBJECTS,
    OBJECTS_START,
    STATE_START,
)
from pddl2nl.nl.wording.english import one_of_kind
from pddl2nl.nl.wording.snippets import Wording
from pddl2nl.pddl.task import Task
from pddl2nl.pddl.tree import (
    And,
    Atom,
    Condition,
    Domain,
    FluentValue,
    GroundAtom,
    Metric,
    Or,
    Problem,
    TypedName,
)

__all__ = [
    "NLReadError",
    "ToldGoal",
    "ToldState",
    "objects_of",
    "read_goal",
    "read_objects",
    "read_problem",
    "read_state",
]


@dataclass(frozen=True)
class ToldState:
    """A state as told: its atoms in order, the values of numeric fluents, and atoms said to be false."""

    atoms: tuple[GroundAtom, ...] = ()
    values: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    negative: tuple[GroundAtom, ...] = ()


class ToldGoal(NamedTuple):
    """A goal as told: a conjunction, one part a line, and the metric where one is told."""

    condition: And
    metric: Metric | None = None


def objects_of(task: Task, names: Names) -> dict[str, TypedName]:
    """The objects of a task by told name, so that what is read comes in PDDL's own names."""
    return {names.to_nl.get(name, name): item for name, item in task.objects.items()}


def read_objects(text: str, domain: Domain, wording: Wording) -> dict[str, TypedName]:
    """The objects of a told list, constants included, by name and in order, each with its types.

    Raises `NLReadError` for a line that is no such sentence, an unknown type, or a name told twice.
    """
    return _objects(text, FactReader(domain, wording), 1)


def _objects(text: str, reader: FactReader, first: int) -> dict[str, TypedName]:
    if text.strip() == NO_OBJECTS:
        return {}
    if not text.startswith(OBJECTS_START.rstrip("\n")):
        raise NLReadError(first, f"readings '{_short(text)}'", f"'{OBJECTS_START.strip()}'")
    objects: dict[str, TypedName] = {}
    for number, line in enumerate(text.split("\n")[1:], start=first + 1):
        if not line:
            continue
        names, kinds = _object_line(line, reader.types, number)
        for name in names:
            if name in objects:
                raise NLReadError(number, f"'{name}' is told twice")
            objects[name] = TypedName(name, kinds)
    return objects


def _object_line(line: str, types: Mapping[str, str], number: int) -> tuple[Sequence[str], tuple[str, ...]]:
    expected = "'<name> is a <type>.' or 'Each of <names> is a <type>.'"
    if not line.endswith("."):
        raise NLReadError(number, f"readings '{_short(line)}'", f"{expected}, with its full stop")
    several = line.startswith("Each of ")
    body = line[len("Each of ") if several else 0 : -1]
    readings: dict[tuple[tuple[str, ...], tuple[str, ...]], None] = {}
    at = body.find(" is ")
    while at >= 0:
        names = _names(body[:at].split(" ")) if several else (body[:at],)
        kinds = _kinds(body[at + len(" is ") :], types)
        if names and kinds and " " not in names[0]:
            readings[names, kinds] = None
        at = body.find(" is ", at + 1)
    if len(readings) != 1:
        reason = "has an unknown type or form" if not readings else "can be read in two ways"
        raise NLReadError(number, f"'{_short(line)}' {reason}", f"{expected} with {', '.join(sorted(types))}")
    return next(iter(readings))


def _names(words: Sequence[str]) -> tuple[str, ...]:
    """``n1 and n2`` or ``n1, n2, and n3``: told by position, since an object may be called "and"."""
    if len(words) == 3 and words[1] == "and" and not words[0].endswith(","):
        return (words[0], words[2])
    if len(words) < 4 or words[-2] != "and" or not all(word.endswith(",") for word in words[:-2]):
        return ()
    return (*(word[:-1] for word in words[:-2]), words[-1])


def _kinds(text: str, types: Mapping[str, str]) -> tuple[str, ...]:
    """``a truck or an airplane``: every piece must be a known type, said as one of its kind (`one_of_kind`)."""
    at = len(text)
    while at >= 0:
        kind = _kind(text[:at], types)
        rest = _kinds(text[at + len(" or ") :], types) if kind and at < len(text) else ()
        if kind and (rest or at == len(text)):
            return (kind, *rest)
        at = text.rfind(" or ", 0, at)
    return ()


def _kind(said: str, types: Mapping[str, str]) -> str:
    first, _, noun = said.partition(" ")
    if first in ("a", "an") and noun.casefold() in types:
        return types[noun.casefold()]
    noun = said.removeprefix("one of the ")
    return types.get(noun.casefold(), "") if one_of_kind(noun) == said else ""


def read_state(text: str, domain: Domain, wording: Wording, objects: Scope) -> ToldState:
    """The state that a text tells, as `Teller.init_text` and `Teller.state` tell it.

    Raises `NLReadError` for a sentence that is none of the wording's, names an unknown object, or can be read
    in two ways.
    """
    return _state(text, FactReader(domain, wording), objects, 1)


def _state(text: str, reader: FactReader, objects: Scope, first: int) -> ToldState:
    if text.strip() == EMPTY_STATE:
        return ToldState()
    atoms: list[GroundAtom] = []
    negative: list[GroundAtom] = []
    values: dict[GroundAtom, Fraction] = {}
    for number, sentence in _sentences(text, STATE_START, first):
        literals = reader.facts(sentence, objects)
        numeric = reader.value(sentence, objects) if sentence[-1:].isdigit() else []
        if len(literals) + len(numeric) != 1:
            raise _unread(number, sentence, [*literals, *(fluent for fluent, _ in numeric)], reader, objects)
        if numeric:
            fluent, value = numeric[0]
            values[GroundAtom((fluent.name, *fluent.args))] = value
        elif isinstance(literals[0], Atom):
            atoms.append(_ground(literals[0]))
        elif isinstance(literals[0].body, Atom):
            negative.append(_ground(literals[0].body))
    return ToldState(tuple(atoms), values, tuple(negative))


def read_goal(text: str, domain: Domain, wording: Wording, objects: Scope) -> ToldGoal:
    """The goal that a text tells, as `Teller.goal_text` tells it. Variables get letters for names, ``?a``.

    Raises `NLReadError` as `read_state` does.
    """
    return _goal(text, FactReader(domain, wording), objects, 1)


def _goal(text: str, reader: FactReader, objects: Scope, first: int) -> ToldGoal:
    lines = text.strip("\n").split("\n")
    metric = None
    if len(lines) > 1 and lines[-1].startswith("I want to "):
        metric = _metric(lines.pop(), reader, objects, first + len(lines))
    if lines == [EMPTY_GOAL]:
        return ToldGoal(And(), metric)
    if lines == [IMPOSSIBLE_GOAL]:
        return ToldGoal(And((Or(),)), metric)
    parts: list[Condition] = []
    for number, sentence in _sentences("\n".join(lines), GOAL_START, first):
        readings = reader.conditions(sentence, objects)
        if len(readings) != 1:
            raise _unread(number, sentence, readings, reader, objects)
        parts.append(readings[0])
    return ToldGoal(And(tuple(parts)), metric)


def _metric(line: str, reader: FactReader, objects: Scope, number: int) -> Metric:
    direction, _, said = line.removeprefix("I want to ").partition(" ")
    readings = reader.expressions(said.removesuffix("."), objects)
    if direction not in ("minimize", "maximize") or len(readings) != 1:
        raise NLReadError(number, f"'{_short(line)}' tells no one metric", "'I want to minimize <expression>.'")
    return Metric(direction, readings[0])


def read_problem(text: str, domain: Domain, wording: Wording) -> Problem:
    """The problem that a longer text tells, its objects under their told names.

    A prompt may tell an example first: the last goal and the last list of objects count, and of the states the
    first that is told with them (later ones are observations). Domain constants are left to the domain.

    Raises `NLReadError` where one of the three sections is missing, and as the readers of each do.
    """
    sections = find_sections(text)
    goal = _last(sections, "goal", text)
    listed = _last(sections, "objects", text)
    state = _state_of_target(sections, goal, listed, text)
    reader = FactReader(domain, wording)
    objects = _objects(listed.text(text), reader, listed.line(text))
    constants = {item.name: item for item in domain.constants}
    scope = {**constants, **objects}
    told = _state(state.text(text), reader, scope, state.line(text))
    asked = _goal(goal.text(text), reader, scope, goal.line(text))
    return Problem(
        name="told",
        domain_name=domain.name,
        objects=tuple(item for item in objects.values() if item.name not in constants),
        init=told.atoms,
        init_values=tuple(FluentValue(fluent, value) for fluent, value in told.values.items()),
        init_negative=told.negative,
        goal=asked.condition,
        metric=asked.metric,
    )


def _last(sections: Sequence[Section], kind: str, text: str) -> Section:
    readings = [section for section in sections if section.kind == kind]
    if not readings:
        starts = {"goal": GOAL_START, "objects": OBJECTS_START, "state": STATE_START}
        lines = text.count("\n") + 1
        raise NLReadError(lines, f"the text tells no {kind}", f"a text that begins '{starts[kind].strip()}'")
    return readings[-1]


def _state_of_target(sections: Sequence[Section], goal: Section, listed: Section, text: str) -> Section:
    states = [section for section in sections if section.kind == "state"]
    opening = min(goal.start, listed.start)
    behind = [section for section in states if section.start > opening]
    earlier = [section for section in sections if section.kind in ("goal", "objects") and section.start < opening]
    floor = earlier[-1].end if earlier else 0
    before = [section for section in states if floor <= section.start < opening]
    if not behind and not before:
        return _last((), "state", text)
    return behind[0] if behind else before[-1]


def _sentences(text: str, start: str, first: int) -> list[tuple[int, str]]:
    """The sentences of a told list with their lines: one a line, the first behind its opening words."""
    lines = text.strip("\n").split("\n")
    if not lines[0].startswith(start):
        raise NLReadError(first, f"readings '{_short(lines[0])}'", f"'{start.strip()} …'")
    if not lines[-1].rstrip().endswith("."):
        raise NLReadError(first + len(lines) - 1, f"'{_short(lines[-1])}' ends without a full stop")
    lines[0] = lines[0][len(start) :]
    lines[-1] = lines[-1].rstrip()[:-1]
    for index, line in enumerate(lines[1:], start=1):
        if not line.startswith("and "):
            raise NLReadError(first + index, f"readings '{_short(line)}'", "a line that begins 'and '")
        lines[index] = line[len("and ") :]
    return list(enumerate(lines, start=first))


def _unread(line: int, sentence: str, readings: Sequence[object], reader: FactReader, objects: Scope) -> NLReadError:
    if readings:
        ways = " or ".join(dict.fromkeys(str(item) if isinstance(item, Atom) else repr(item) for item in readings))
        return NLReadError(line, f"'{_short(sentence)}' can be read in two ways: {ways}")
    unknown = reader.unknown_terms(sentence, objects)
    if unknown:
        quoted = ", ".join(f"'{name}'" for name in unknown)
        return NLReadError(line, f"'{_short(sentence)}' names {quoted}, which no object is called")
    expected = "a sentence of the wording about objects of fitting types"
    return NLReadError(line, f"'{_short(sentence)}' is no sentence of the wording", expected)


def _ground(atom: Atom) -> GroundAtom:
    return GroundAtom((atom.predicate, *atom.args))


def _short(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 100 else line[:97] + "…"
