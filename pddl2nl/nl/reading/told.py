"""Reading back what a task was told as: its objects, states and goals, and the problem that a longer text tells.

The inverse of `pddl2nl.nl.telling.teller`, under any wording. Nothing is guessed: a sentence that no snippet says
letter by letter, that names an unknown object, or that can be read in two ways raises `NLReadError` with its line, so
that a plan for what was read is a plan for what was told. ``objects`` maps told names to what they stand for:
`read_objects` gives the told names themselves, and `objects_of` PDDL's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, product
from typing import NamedTuple, TypeVar

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
    Function,
    GroundAtom,
    Imply,
    Metric,
    Not,
    Number,
    Or,
    Predicate,
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


Read = TypeVar("Read")
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


# Names are told by position, since an object may be called "and".
_OBJECTS = re.compile(r"(?:(?P<name>\S+)|Each of (?P<names>\S*[^\s,] and \S+|(?:\S+, ){2,}and \S+)) is (?P<kinds>.+)\.")
_BRACKETS = re.compile(r"\((\0*)\)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+|/\d+)?")
_EQUALITY = re.compile(r"(\S+) and (\S+) are (the same object|different objects)")
_COMPARISON = re.compile(r" is (at least|at most|more than|less than|equal to) ")
_COMPARISONS = {"at least": ">=", "at most": "<=", "more than": ">", "less than": "<", "equal to": "="}
_OPERATORS = {" plus ": "+", " minus ": "-", " times ": "*", " divided by ": "/"}
_COMPOUNDS: Mapping[str, Callable[[tuple[Condition, ...]], Condition]] = {
    NOTHING_ASKED: And,
    IMPOSSIBLE: Or,
    "() or ()": Or,
    "() and ()": And,
    "if () then ()": lambda parts: Imply(parts[0], parts[1]),
    f"{NOT_SO}()": lambda parts: Not(parts[0]),
}
"""Conditions by what stands around the brackets of their parts."""
# More parts that are joined in the same way
_AGAIN = re.compile(r"( or \(\)| and \(\))(?=\1)")
_QUANTIFIERS = (
    (Forall, "for ", re.compile(r"every (.+?) ([A-Z]\d*)(?: and (?=every )|, (?=\())")),
    (Exists, "there is ", re.compile(r"(?:an? |one of the )?(.+?) ([A-Z]\d*)(?: and | such that (?=\())")),
)


class FactReader:
    """Reads single sentences of one domain in one wording; ``types`` finds a type by its told noun."""

    def __init__(self, domain: Domain, wording: Wording):
        self._above = supertypes(domain)
        self.types = {wording.type_word(name).casefold(): name for name in self._above}
        phrases = Phrases(wording, domain)
        predicates: list[ExactForm[Fact]] = []
        for item in domain.predicates:
            snippet = wording.predicates.get(item.name)
            if snippet is not None and snippet.text is not None:
                predicates.append(_form(item, snippet.parts))
                if _has_own_negation(phrases, snippet):
                    predicates.append(_form(item, snippet.negated_parts, positive=False))
        self._predicates = FormIndex(predicates)
        self._functions = FormIndex([_form(item, phrases.function(item.name).parts) for item in domain.functions])

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
        if (match := _EQUALITY.fullmatch(text)) and match[1] in scope and match[2] in scope:
            same = Equality(scope[match[1]].name, scope[match[2]].name)
            options.append(same if match[3] == "the same object" else Not(same))
        options += self._compound(text, scope)
        for match in _COMPARISON.finditer(text):
            left = self.expressions(text[: match.start()], scope)
            right = self.expressions(text[match.end() :], scope) if left else []
            options += [Comparison(_COMPARISONS[match[1]], one, other) for one in left for other in right]
        return list(dict.fromkeys(options))

    def _compound(self, text: str, scope: Scope) -> Iterator[Condition]:
        """The conditions that a text with others in brackets may say."""
        frame, insides = _framed(text)
        for kind, start, each in _QUANTIFIERS:
            if frame.startswith(start) and each.sub("", frame[len(start) :]) == "()":
                yield from (kind(*way) for way in self._quantified(each.findall(frame, len(start)), insides[0], scope))
        if frame == "()":
            # A goal of one part that is a disjunction
            yield from (part for part in self.conditions(insides[0], scope) if isinstance(part, Or) and part.parts)
        elif make := _COMPOUNDS.get(_AGAIN.sub("", frame)):
            ways = product(*(self.conditions(inside, scope) for inside in insides))
            yield from (make(parts) for parts in ways)

    def _quantified(
        self, said: Sequence[tuple[str, str]], body: str, scope: Scope
    ) -> Iterator[tuple[tuple[TypedName, ...], Condition]]:
        """The variables of a quantifier, of which their nouns and letters are said, and each way to read its body."""
        inner = dict(scope)
        for nouns, letter in said:
            kinds = tuple(self.types.get(noun.casefold(), "") for noun in nouns.split(" or "))
            if "" in kinds or letter in inner:
                return
            inner[letter] = TypedName(f"?{letter.lower()}", kinds)
        parameters = tuple(inner[letter] for _, letter in said)
        yield from ((parameters, condition) for condition in self.conditions(body, inner))

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────

    def expressions(self, text: str, scope: Scope) -> list[Expression]:
        """All numeric expressions that a text may say."""
        options: list[Expression] = [*self._fluents(text, scope)]
        if _NUMBER.fullmatch(text):
            options.append(Number(Fraction(text)))
        if text == "the total time":
            options.append(Special("total-time"))
        frame, insides = _framed(text)
        if frame == "minus ()":
            options += [Arithmetic("-", (operand,)) for operand in self.expressions(insides[0], scope)]
        for joiner, operator in _OPERATORS.items() if frame == "()" else ():
            pieces = _cut(insides[0], joiner)
            if len(pieces) > 1:
                ways = product(*(self.expressions(piece, scope) for piece in pieces))
                options += [Arithmetic(operator, way) for way in ways]
        return list(dict.fromkeys(options))


def _form(item: Predicate | Function, parts: Sequence[str | int], *, positive: bool = True) -> ExactForm[Fact]:
    """The form of a predicate's or a function's text."""
    types = tuple(parameter.types for parameter in item.parameters)
    return ExactForm(Fact(item.name, types, positive), parts, len(types))


def _has_own_negation(phrases: Phrases, snippet: Snippet) -> bool:
    """Whether a negative literal is told in the snippet's own negated text: the teller's decision, asked of it."""
    said = [f"x{index}" for index in range(len(snippet.parameters))]
    return snippet.negated is not None and phrases.negative(snippet.name, said) != NOT_SO + snippet.fill(said)


def _framed(text: str) -> tuple[str, list[str]]:
    """A text with empty brackets, and what stood in them: "() or ()" of "(a is clear) or (b is clear)"."""
    depths = accumulate((letter == "(") - (letter == ")") for letter in text)
    masked = "".join("\0" if depth > (letter == "(") else letter for letter, depth in zip(text, depths, strict=True))
    insides = [text[match.start(1) : match.end(1)] for match in _BRACKETS.finditer(masked)]
    return _BRACKETS.sub("()", masked), insides


def _cut(text: str, joiner: str) -> list[str]:
    """A text cut at each joiner that stands outside brackets."""
    frame, insides = _framed(text)
    rest = iter(insides)
    return [re.sub(r"\(\)", lambda _: f"({next(rest)})", piece) for piece in frame.split(joiner)]


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
        said = _OBJECTS.fullmatch(line)
        kinds = tuple(types.get(word.casefold(), "") for word in said["kinds"].split(" or ")) if said else ()
        if said is None or "" in kinds:
            expected = "'<name> is a <type>.' or 'Each of <names> is a <type>.', with its full stop, and of the types "
            reason = f"'{_short(line)}' has an unknown type or form"
            raise NLReadError(number, reason, expected + ", ".join(sorted(set(types.values()))))
        *others, last = (said["name"] or said["names"]).split(" ")
        for name in (*(word.removesuffix(",") for word in others[:-1]), last):
            if name in objects:
                raise NLReadError(number, f"'{name}' is told twice")
            objects[name] = TypedName(name, kinds)
    return objects


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
        numeric = reader.value(sentence, objects) if sentence[-1:].isdigit() else []
        match _only([*reader.facts(sentence, objects), *numeric], number, sentence, reader, objects):
            case Atom(name, args):
                atoms.append(GroundAtom((name, *args)))
            case Not(Atom(name, args)):
                negative.append(GroundAtom((name, *args)))
            case (Fluent(name, args), Fraction() as value):
                values[GroundAtom((name, *args))] = value
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
    if lines in ([EMPTY_GOAL], [IMPOSSIBLE_GOAL]):
        return ToldGoal(And() if lines == [EMPTY_GOAL] else And((Or(),)), metric)
    parts = [
        _only(reader.conditions(sentence, objects), number, sentence, reader, objects)
        for number, sentence in _sentences("\n".join(lines), GOAL_START, first)
    ]
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
    opening = min((told[kind].start() for kind in ("goal", "objects") if kind in told), default=0)
    # Of the states the first behind the opening counts, or one right before it.
    behind = [item for item in sections if item.lastgroup == "state" and item.start() > opening]
    states = behind or [item for item in sections if item.start() < opening][-1:]
    told |= {"state": states[0]} if states else {}
    for kind, start in (("goal", GOAL_START), ("objects", OBJECTS_START), ("state", STATE_START)):
        if kind not in told or told[kind].lastgroup != kind:
            expected = f"a text that begins '{start.strip()}'"
            raise NLReadError(text.count("\n") + 1, f"the text tells no {kind}", expected)
    lines = {kind: text.count("\n", 0, section.start()) + 1 for kind, section in told.items()}
    objects = read_objects(told["objects"][0], domain, wording, lines["objects"])
    constants = {item.name: item for item in domain.constants}
    scope = {**constants, **objects}
    facts = read_state(told["state"][0], domain, wording, scope, lines["state"])
    asked = read_goal(told["goal"][0], domain, wording, scope, lines["goal"])
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


def _only(readings: Sequence[Read], line: int, sentence: str, reader: FactReader, objects: Scope) -> Read:
    """The one way to read a sentence; raises `NLReadError` for none or several."""
    if len(readings) == 1:
        return readings[0]
    said, expected = f"'{_short(sentence)}'", ""
    if readings:
        ways = " or ".join(dict.fromkeys(str(item) if isinstance(item, Atom) else repr(item) for item in readings))
        reason = f"{said} can be read in two ways: {ways}"
    elif unknown := reader.unknown_terms(sentence, objects):
        reason = f"{said} names {', '.join(map(repr, unknown))}, which no object is called"
    else:
        reason, expected = f"{said} is no sentence of the wording", "one about objects of fitting types"
    raise NLReadError(line, reason, expected)


def _short(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= 100 else line[:97] + "…"
