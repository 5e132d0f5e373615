"""Reading back what a task was told as: its objects, states and goals, and the problem that a longer text tells.

The inverse of `pddl2nl.nl.telling.teller`, under any wording. Nothing is guessed: a sentence that no snippet says
letter by letter, that names an unknown object, or that can be read in two ways raises `NLReadError` with its line, so
that a plan for what was read is a plan for what was told. ``objects`` maps told names to what they stand for:
`read_objects` gives the told names themselves, and `objects_of` PDDL's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from pddl2nl.errors import InputError
from pddl2nl.nl.names import Names
from pddl2nl.nl.reading.words import ExactForm, FormIndex
from pddl2nl.nl.telling.phrases import IMPOSSIBLE, NOTHING_ASKED, Phrases
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
from pddl2nl.nl.wording.negation import NOT_SO
from pddl2nl.nl.wording.snippets import Snippet, Wording
from pddl2nl.pddl.task import Task, supertypes
from pddl2nl.pddl.tree import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    Equality,
    Exists,
    Expression,
    Fluent,
    FluentValue,
    Forall,
    GroundAtom,
    Imply,
    Metric,
    Not,
    Number,
    Or,
    Problem,
    Special,
    TypedName,
)

Kind = Literal["objects", "state", "goal"]


class Section(NamedTuple):
    """One told section: ``text[start:end]`` of the text in which it was found."""

    kind: Kind
    start: int
    end: int

    def text(self, whole: str) -> str:
        """The section itself."""
        return whole[self.start : self.end]

    def line(self, whole: str) -> int:
        """The line on which it begins, from 1."""
        return whole.count("\n", 0, self.start) + 1


_STARTS: dict[str, Kind] = {
    OBJECTS_START.strip(): "objects",
    NO_OBJECTS: "objects",
    STATE_START: "state",
    EMPTY_STATE: "state",
    GOAL_START: "goal",
    EMPTY_GOAL: "goal",
    IMPOSSIBLE_GOAL: "goal",
}
_START = re.compile("|".join(rf"(?<!\S){re.escape(start)}" for start in sorted(_STARTS, key=len, reverse=True)))
_OBJECT_LINE = re.compile(r"(?:Each of .+|\S+) is .+\.")


def find_sections(text: str) -> tuple[Section, ...]:
    """All told sections of a text, in order.

    A list of objects ends before the first line that is no sentence about objects; a state or a goal ends where
    a line does not begin with "and " (a goal's metric, a line of its own, belongs to it).
    """
    sections: list[Section] = []
    at = 0
    while match := _START.search(text, at):
        kind = _STARTS[match[0]]
        at = _end(text, match, kind)
        sections.append(Section(kind, match.start(), at))
    return tuple(sections)


def _end(text: str, start: re.Match[str], kind: Kind) -> int:
    if start[0] in (NO_OBJECTS, EMPTY_STATE):
        return start.end()
    end = _line_end(text, start.end())
    while end < len(text):
        following = _line_end(text, end + 1)
        line = text[end + 1 : following]
        metric = kind == "goal" and line.startswith("I want to m")
        listed = kind == "objects"
        goes_on = _OBJECT_LINE.fullmatch(line) is not None if listed else metric or line.startswith("and ")
        if not goes_on:
            break
        end = following
        if metric:
            break
    return end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


Scope = Mapping[str, TypedName]
"""What terms mean at one place: told name or letter → PDDL name (or variable) and types."""


class NLReadError(InputError):
    """A told text that cannot be read back; ``line`` (from 1) is the place, ``expected`` says what would be right."""

    def __init__(self, line: int, reason: str, expected: str = ""):
        super().__init__(f"line {line}: {reason}" + (f"; expected {expected}" if expected else ""))
        self.line = line
        self.reason = reason
        self.expected = expected


class Fact(NamedTuple):
    """What a snippet says: a predicate's atom, positive or negated, or a function's value."""

    name: str
    types: tuple[tuple[str, ...], ...]
    positive: bool = True


_NUMBER = re.compile(r"-?\d+(?:\.\d+|/\d+)?")
_EQUALITY = re.compile(r"(\S+) and (\S+) are (the same object|different objects)")
_COMPARISON = re.compile(r" is (at least|at most|more than|less than|equal to) ")
_COMPARISONS = {"at least": ">=", "at most": "<=", "more than": ">", "less than": "<", "equal to": "="}
_OPERATORS = {" plus ": "+", " minus ": "-", " times ": "*", " divided by ": "/"}
_EVERY = re.compile(r"every (.+?) ([A-Z]\d*)(?: and (?=every )|, (?=\())")
_SOME = re.compile(r"(?:an? |one of the )?(.+?) ([A-Z]\d*)(?: and | such that (?=\())")


class FactReader:
    """Reads single sentences of one domain in one wording; ``types`` finds a type by its told noun."""

    def __init__(self, domain: Domain, wording: Wording):
        self._above = supertypes(domain)
        self.types = {wording.type_word(name).casefold(): name for name in self._above}
        predicates: list[ExactForm[Fact]] = []
        phrases = Phrases(wording, domain)
        for predicate in domain.predicates:
            snippet = wording.predicates.get(predicate.name)
            if snippet is None or snippet.text is None:
                continue
            types = tuple(parameter.types for parameter in predicate.parameters)
            predicates.append(ExactForm(Fact(predicate.name, types), snippet.parts, len(types)))
            if _has_own_negation(phrases, snippet):
                predicates.append(ExactForm(Fact(predicate.name, types, False), snippet.negated_parts, len(types)))
        self._predicates = FormIndex(predicates)
        functions: list[ExactForm[Fact]] = []
        for function in domain.functions:
            types = tuple(parameter.types for parameter in function.parameters)
            functions.append(ExactForm(Fact(function.name, types), phrases.function(function.name).parts, len(types)))
        self._functions = FormIndex(functions)

    def facts(self, text: str, scope: Scope) -> list[Atom | Not]:
        """All literals that a sentence may say; one of them, if it was told in this wording."""
        options: list[Atom | Not] = []
        for form, args in self._predicates.read(text, scope.__contains__):
            terms = self._terms(form.meaning, args, scope)
            if terms is not None:
                atom = Atom(form.meaning.name, terms)
                options.append(atom if form.meaning.positive else Not(atom))
        if text.startswith(NOT_SO):
            options += [Not(fact) for fact in self.facts(text[len(NOT_SO) :], scope) if isinstance(fact, Atom)]
        return options if len(options) < 2 else list(dict.fromkeys(options))

    def value(self, text: str, scope: Scope) -> list[tuple[Fluent, Fraction]]:
        """All values that a sentence may give to a numeric fluent."""
        said, joint, number = text.rpartition(" is ")
        if not joint or not _NUMBER.fullmatch(number):
            return []
        return [(fluent, Fraction(number)) for fluent in self._fluents(said, scope)]

    def _fluents(self, text: str, scope: Scope) -> list[Fluent]:
        options: list[Fluent] = []
        for form, args in self._functions.read(text, scope.__contains__):
            terms = self._terms(form.meaning, args, scope)
            if terms is not None:
                options.append(Fluent(form.meaning.name, terms))
        return options

    def _terms(self, fact: Fact, args: Sequence[str], scope: Scope) -> tuple[str, ...] | None:
        """The terms' PDDL names, or None where one is unknown or of a wrong type."""
        terms: list[str] = []
        for name, wanted in zip(args, fact.types, strict=True):
            item = scope.get(name)
            if item is None or not self._fits(item, wanted):
                return None
            terms.append(item.name)
        return tuple(terms)

    def _fits(self, item: TypedName, wanted: Sequence[str]) -> bool:
        for kind in wanted:
            if kind == "object" or any(kind in self._above.get(own, (own,)) for own in item.types):
                return True
            # A variable may range over more than the parameter takes.
            if item.name.startswith("?") and any(own in self._above.get(kind, ()) for own in item.types):
                return True
        return False

    def unknown_terms(self, text: str, scope: Scope) -> tuple[str, ...]:
        """The names that a sentence of a known shape uses and the scope lacks; empty where no shape fits."""
        forms = [*self._predicates.read(text, _anything), *self._functions.read(text.rpartition(" is ")[0], _anything)]
        lacking = [tuple(name for name in args if name not in scope) for _, args in forms]
        return min((names for names in lacking if names), key=len, default=())

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def conditions(self, text: str, scope: Scope) -> list[Condition]:
        """All conditions that a sentence may say, in the grammar of `pddl2nl.nl.telling.teller`."""
        options: list[Condition] = [*self.facts(text, scope)]
        if match := _EQUALITY.fullmatch(text):
            first, second = scope.get(match[1]), scope.get(match[2])
            if first is not None and second is not None:
                same = Equality(first.name, second.name)
                options.append(same if match[3] == "the same object" else Not(same))
        if text == NOTHING_ASKED:
            options.append(And())
        if text == IMPOSSIBLE:
            options.append(Or())
        if text[:1] == "(" or text.startswith(("if (", "for every ", "there is ", NOT_SO + "(")):
            options += self._compound(text, scope)
        for match in _COMPARISON.finditer(text):
            left = self.expressions(text[: match.start()], scope)
            right = self.expressions(text[match.end() :], scope) if left else []
            options += [Comparison(_COMPARISONS[match[1]], one, other) for one in left for other in right]
        return list(dict.fromkeys(options))

    def _compound(self, text: str, scope: Scope) -> Iterator[Condition]:
        for kind, joiner in ((Or, " or "), (And, " and ")):
            groups = _groups(text, joiner)
            if len(groups) > 1:
                yield from (kind(parts) for parts in self._all(groups, scope))
            elif kind is Or and groups and len(_groups(groups[0], joiner)) > 1:
                yield from self._compound(groups[0], scope)
        if text.startswith("if ("):
            for parts in self._all(_groups(text[len("if ") :], " then "), scope):
                if len(parts) == 2:
                    yield Imply(*parts)
        if text.startswith(NOT_SO + "("):
            for parts in self._all(_groups(text[len(NOT_SO) :], ""), scope):
                yield from (Not(part) for part in parts[:1])
        if text.startswith("for every "):
            yield from (Forall(*options) for options in self._quantified(text[len("for ") :], _EVERY, scope))
        if text.startswith("there is "):
            yield from (Exists(*options) for options in self._quantified(text[len("there is ") :], _SOME, scope))

    def _all(self, groups: Sequence[str], scope: Scope) -> Iterator[tuple[Condition, ...]]:
        """Every way to read all the groups."""
        ways: list[tuple[Condition, ...]] = [()] if groups else []
        for group in groups:
            options = self.conditions(group, scope)
            ways = [(*way, option) for way in ways for option in options]
        yield from ways

    def _quantified(
        self, text: str, announced: re.Pattern[str], scope: Scope
    ) -> Iterator[tuple[tuple[TypedName, ...], Condition]]:
        inner = dict(scope)
        parameters: list[TypedName] = []
        at = 0
        while text[at : at + 1] != "(" and (match := announced.match(text, at)):
            kinds = tuple(self.types.get(word.casefold(), "") for word in match[1].split(" or "))
            if "" in kinds or match[2] in inner:
                return
            parameters.append(TypedName(f"?{match[2].lower()}", kinds))
            inner[match[2]] = parameters[-1]
            at = match.end()
        for group in _groups(text[at:], ""):
            yield from ((tuple(parameters), body) for body in self.conditions(group, inner))

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def expressions(self, text: str, scope: Scope) -> list[Expression]:
        """All numeric expressions that a text may say."""
        options: list[Expression] = [*self._fluents(text, scope)]
        if _NUMBER.fullmatch(text):
            options.append(Number(Fraction(text)))
        if text == "the total time":
            options.append(Special("total-time"))
        if text.startswith("minus ("):
            for group in _groups(text[len("minus ") :], ""):
                options += [Arithmetic("-", (operand,)) for operand in self.expressions(group, scope)]
        for group in _groups(text, "") if text[:1] == "(" else []:
            for joiner, operator in _OPERATORS.items():
                pieces = _cut(group, joiner)
                if len(pieces) > 1:
                    options += [Arithmetic(operator, way) for way in self._operands(pieces, scope)]
        return list(dict.fromkeys(options))

    def _operands(self, pieces: Sequence[str], scope: Scope) -> list[tuple[Expression, ...]]:
        ways: list[tuple[Expression, ...]] = [()]
        for piece in pieces:
            options = self.expressions(piece, scope)
            ways = [(*way, option) for way in ways for option in options]
        return ways


def _anything(name: str) -> bool:
    return True


def _has_own_negation(phrases: Phrases, snippet: Snippet) -> bool:
    """Whether a negative literal is told in the snippet's own negated text: the teller's decision, asked of it."""
    said = [f"x{index}" for index in range(len(snippet.parameters))]
    return snippet.negated is not None and phrases.negative(snippet.name, said) != NOT_SO + snippet.fill(said)


def _groups(text: str, joiner: str) -> list[str]:
    """The insides of ``(…) joiner (…) …``; empty where the text is not of that form. No joiner: one group."""
    groups: list[str] = []
    at = 0
    while at < len(text) and text[at] == "(":
        end = _closing(text, at)
        if end < 0:
            return []
        groups.append(text[at + 1 : end])
        at = end + 1
        if at == len(text):
            return groups
        if not joiner or not text.startswith(joiner, at):
            return []
        at += len(joiner)
    return []


def _closing(text: str, at: int) -> int:
    """The place of the bracket that closes the one at ``at``, or -1."""
    depth = 0
    for match in _BRACKET.finditer(text, at):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return -1


_BRACKET = re.compile(r"[()]")


def _cut(text: str, joiner: str) -> list[str]:
    """A text cut at each joiner that stands outside brackets."""
    pieces: list[str] = []
    start = depth = 0
    index = 0
    while index < len(text):
        character = text[index]
        depth += (character == "(") - (character == ")")
        if depth == 0 and text.startswith(joiner, index):
            pieces.append(text[start:index])
            index += len(joiner)
            start = index
            continue
        index += 1
    return [*pieces, text[start:]]


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
