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
from itertools import accumulate, product
from typing import NamedTuple

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

# A list of objects ends before the first line that is no sentence about objects; a state or a goal ends where a line
# does not begin with "and " (a goal's metric, a line of its own, belongs to it).
_SECTION = re.compile(
    rf"(?<!\S)(?:(?P<objects>{re.escape(NO_OBJECTS)}"
    rf"|{re.escape(OBJECTS_START.strip())}[^\n]*(?:\n(?:Each of .+|\S+) is .+\.(?=\n|\Z))*)"
    rf"|(?P<state>{re.escape(EMPTY_STATE)}|{re.escape(STATE_START.strip())}[^\n]*(?:\nand [^\n]*)*)"
    rf"|(?P<goal>(?:{re.escape(GOAL_START.strip())}|{re.escape(EMPTY_GOAL)}|{re.escape(IMPOSSIBLE_GOAL)})[^\n]*"
    r"(?:\nand [^\n]*)*(?:\nI want to m[^\n]*)?))"
)


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
        for fact, terms in self._said(self._predicates, text, scope):
            atom = Atom(fact.name, terms)
            options.append(atom if fact.positive else Not(atom))
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
        return [Fluent(fact.name, terms) for fact, terms in self._said(self._functions, text, scope)]

    def _said(self, forms: FormIndex[Fact], text: str, scope: Scope) -> Iterator[tuple[Fact, tuple[str, ...]]]:
        """What a sentence may say, with the terms' PDDL names, where all are known and of a right type."""
        for form, args in forms.read(text):
            items = [scope.get(name) for name in args]
            known = [item for item in items if item is not None]
            if len(known) == len(args) and all(map(self._fits, known, form.meaning.types)):
                yield form.meaning, tuple([item.name for item in known])

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
        forms = [*self._predicates.read(text), *self._functions.read(text.rpartition(" is ")[0])]
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
            yield from (Not(part) for (part,) in self._all(_groups(text[len(NOT_SO) :]), scope))
        if text.startswith("for every "):
            yield from (Forall(*options) for options in self._quantified(text[len("for ") :], _EVERY, scope))
        if text.startswith("there is "):
            yield from (Exists(*options) for options in self._quantified(text[len("there is ") :], _SOME, scope))

    def _all(self, groups: Sequence[str], scope: Scope) -> Iterator[tuple[Condition, ...]]:
        """Every way to read all the groups."""
        return product(*(self.conditions(group, scope) for group in groups)) if groups else iter(())

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
        for group in _groups(text[at:]):
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
            for group in _groups(text[len("minus ") :]):
                options += [Arithmetic("-", (operand,)) for operand in self.expressions(group, scope)]
        for group in _groups(text) if text[:1] == "(" else []:
            for joiner, operator in _OPERATORS.items():
                pieces = _cut(group, joiner)
                if len(pieces) > 1:
                    ways = product(*(self.expressions(piece, scope) for piece in pieces))
                    options += [Arithmetic(operator, way) for way in ways]
        return list(dict.fromkeys(options))


def _has_own_negation(phrases: Phrases, snippet: Snippet) -> bool:
    """Whether a negative literal is told in the snippet's own negated text: the teller's decision, asked of it."""
    said = [f"x{index}" for index in range(len(snippet.parameters))]
    return snippet.negated is not None and phrases.negative(snippet.name, said) != NOT_SO + snippet.fill(said)


def _groups(text: str, joiner: str = "") -> list[str]:
    """The insides of ``(…) joiner (…) …``; empty where the text is not of that form. No joiner: one group."""
    pieces = _cut(text, joiner) if joiner else [text]
    return [piece[1:-1] for piece in pieces] if all(map(_is_bracketed, pieces)) else []


def _is_bracketed(text: str) -> bool:
    return text[:1] == "(" and text[-1:] == ")" and 0 not in _depths(text)[:-1]


def _depths(text: str) -> list[int]:
    """In how many brackets each letter stands; a closing bracket is outside."""
    return list(accumulate((letter == "(") - (letter == ")") for letter in text))


def _cut(text: str, joiner: str) -> list[str]:
    """A text cut at each joiner that stands outside brackets."""
    depths = _depths(text)
    pieces: list[str] = []
    start = 0
    for match in re.finditer(re.escape(joiner), text):
        if depths[match.start()] == 0:
            pieces.append(text[start : match.start()])
            start = match.end()
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


def read_objects(text: str, domain: Domain, wording: Wording, first: int = 1) -> dict[str, TypedName]:
    """The objects of a told list, constants included, by name and in order, each with its types.

    Raises `NLReadError` for a line that is no such sentence, an unknown type, or a name told twice; ``first`` is the
    number of the first line.
    """
    if text.strip() == NO_OBJECTS:
        return {}
    if not text.startswith(OBJECTS_START.rstrip("\n")):
        raise NLReadError(first, f"readings '{_short(text)}'", f"'{OBJECTS_START.strip()}'")
    types: dict[str, str] = {}
    for name in supertypes(domain):
        noun = wording.type_word(name).casefold()
        types |= dict.fromkeys((f"a {noun}", f"an {noun}", one_of_kind(noun)), name)
    objects: dict[str, TypedName] = {}
    for number, line in enumerate(text.split("\n")[1:], start=first + 1):
        if not line:
            continue
        names, kinds = _object_line(line, types, number)
        for name in names:
            if name in objects:
                raise NLReadError(number, f"'{name}' is told twice")
            objects[name] = TypedName(name, kinds)
    return objects


def _object_line(line: str, types: Mapping[str, str], number: int) -> tuple[Sequence[str], tuple[str, ...]]:
    expected = "'<name> is a <type>.' or 'Each of <names> is a <type>.'"
    if not line.endswith("."):
        raise NLReadError(number, f"readings '{_short(line)}'", f"{expected}, with its full stop")
    said, _, kind = line[:-1].rpartition(" is ")
    names = _names(said.removeprefix("Each of ").split(" ")) if said.startswith("Each of ") else (said,)
    kinds = tuple(types.get(word.casefold(), "") for word in kind.split(" or "))
    if not names or " " in names[0] or "" in kinds:
        known = ", ".join(sorted(set(types.values())))
        raise NLReadError(number, f"'{_short(line)}' has an unknown type or form", f"{expected} with {known}")
    return names, kinds


def _names(words: Sequence[str]) -> tuple[str, ...]:
    """``n1 and n2`` or ``n1, n2, and n3``: told by position, since an object may be called "and"."""
    if len(words) == 3 and words[1] == "and" and not words[0].endswith(","):
        return (words[0], words[2])
    if len(words) < 4 or words[-2] != "and" or not all(word.endswith(",") for word in words[:-2]):
        return ()
    return (*(word[:-1] for word in words[:-2]), words[-1])


def read_state(text: str, domain: Domain, wording: Wording, objects: Scope, first: int = 1) -> ToldState:
    """The state that a text tells, as `Teller.init_text` and `Teller.state` tell it.

    Raises `NLReadError` for a sentence that is none of the wording's, names an unknown object, or can be read
    in two ways.
    """
    if text.strip() == EMPTY_STATE:
        return ToldState()
    reader = FactReader(domain, wording)
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


def read_goal(text: str, domain: Domain, wording: Wording, objects: Scope, first: int = 1) -> ToldGoal:
    """The goal that a text tells, as `Teller.goal_text` tells it. Variables get letters for names, ``?a``.

    Raises `NLReadError` as `read_state` does.
    """
    reader = FactReader(domain, wording)
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
    sections = list(_SECTION.finditer(text))
    told = {section.lastgroup: section for section in sections}
    for kind, start in (("goal", GOAL_START), ("objects", OBJECTS_START), ("state", STATE_START)):
        if kind not in told:
            expected = f"a text that begins '{start.strip()}'"
            raise NLReadError(text.count("\n") + 1, f"the text tells no {kind}", expected)
    opening = min(told["goal"].start(), told["objects"].start())
    behind = next((item for item in sections if item.lastgroup == "state" and item.start() > opening), None)
    before = [item for item in sections if item.start() < opening]
    if behind is None and (not before or before[-1].lastgroup != "state"):
        raise NLReadError(text.count("\n") + 1, "the text tells no state", f"a text that begins '{STATE_START}'")

    def place(section: re.Match[str]) -> int:
        return text.count("\n", 0, section.start()) + 1

    state = behind or before[-1]
    objects = read_objects(told["objects"][0], domain, wording, place(told["objects"]))
    constants = {item.name: item for item in domain.constants}
    scope = {**constants, **objects}
    facts = read_state(state[0], domain, wording, scope, place(state))
    asked = read_goal(told["goal"][0], domain, wording, scope, place(told["goal"]))
    return Problem(
        name="told",
        domain_name=domain.name,
        objects=tuple(item for item in objects.values() if item.name not in constants),
        init=facts.atoms,
        init_values=tuple(FluentValue(fluent, value) for fluent, value in facts.values.items()),
        init_negative=facts.negative,
        goal=asked.condition,
        metric=asked.metric,
    )


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
