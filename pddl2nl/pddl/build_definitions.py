"""Lists to tree: domains and problems, ``(define (domain name) section …)``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import takewhile
from sys import intern
from typing import Any, ClassVar, Literal, NamedTuple

from pddl2nl.pddl.build_formulas import CONNECTIVES, FormulaBuilder, is_number
from pddl2nl.pddl.diagnostics import Log, Near
from pddl2nl.pddl.nesting import (
    MAX_DEPTH,
    Item,
    PlacedText,
    contents,
    first_word,
    is_word,
    plain_words,
    span_of,
    too_deep,
)
from pddl2nl.pddl.tree import (
    SCHEMAS,
    And,
    Condition,
    DerivedPredicate,
    Domain,
    FluentValue,
    Function,
    GroundAtom,
    Metric,
    Predicate,
    Problem,
    TimedLiteral,
    TypedName,
)

Kind = Literal["domain", "problem"]


class Header(NamedTuple):
    """The name of a domain or a problem, the offset of ``(domain name)``, and the sections after it."""

    name: str
    start: int
    sections: list[Item]


def read_header(builder: FormulaBuilder, roots: list[Item] | None, kind: Kind) -> Header | None:
    """Takes ``(define (domain name) …)`` apart; None, with an error, if the text is none of this kind."""
    expected = f"(define ({kind} name) …)"
    if not roots:
        if roots is not None:
            builder.log.error(0, "the file is empty", expected=expected)
        return None
    word = next(filter(is_word, roots), None)
    if word is not None:
        builder.error(word, "a word outside of all parentheses", expected)
    lists = [item for item in roots if not is_word(item)]
    root = next((item for item in lists if first_word(item) == "define"), None)
    if root is None:
        if lists:
            builder.error(lists[0], f"no {kind}", expected)
        return None
    for item in lists:
        if item is not root:
            builder.error(item, f"more behind the end of the {kind}", "one (define …) a file")
    place = too_deep(builder.text)
    if place is not None:
        message = f"lists are nested more than {MAX_DEPTH} deep from here on"
        builder.log.error(place, message, expected=f"at most {MAX_DEPTH} levels")
        return None
    sections = contents(root)[1:]
    for item in sections:
        if is_word(item):
            builder.error(item, "a word where a section was expected", "(:keyword …)")
    sections = [item for item in sections if not is_word(item)]
    return _named(builder, sections, kind, root, expected)


def _named(builder: FormulaBuilder, sections: list[Item], kind: Kind, root: Item, expected: str) -> Header | None:
    name = sections[0] if sections else None
    head = "" if name is None else first_word(name)
    if name is None or head not in ("domain", "problem"):
        builder.error(root if name is None else name, f"a {kind} without a name", expected)
        return None
    if head != kind:
        builder.error(name, f"this is a {head}, where a {kind} was expected", expected)
        return None
    words = [str(word) for word in takewhile(is_word, contents(name)[1:])]
    if not words:
        # Generators leave the name out; nothing depends on it.
        builder.warning(name, f"the {kind} has no name", expected, builder.quote(name))
    if len(words) > 1 or isinstance(name, list):
        builder.error(name, f"a {kind}'s name is one word", expected)
    return Header(" ".join(words), span_of(name).start, sections[1:])


class _DefinitionBuilder(FormulaBuilder, ABC):
    """What domains and problems share: sections in any order, each of which adds to lists of what was found."""

    kind: ClassVar[Kind]
    sections: ClassVar[dict[str, Callable[[Any, Item], None]]]
    warned_twice: ClassVar[tuple[str, ...]]
    refused_twice: ClassVar[tuple[str, ...]] = ()

    def __init__(self, log: Log, text: str = ""):
        super().__init__(log, text)
        # By the field of `Domain` or `Problem`.
        self.lists: defaultdict[str, list[Any]] = defaultdict(list)

    def read_sections(self, header: Header) -> set[str]:
        seen: set[str] = set()
        for section in header.sections:
            keyword = first_word(section)
            make = self.sections.get(keyword)
            if make is None:
                self._unknown(section, keyword)
                continue
            if keyword in seen and keyword in self.refused_twice:
                self.error(section, f"a second '{keyword}' in this {self.kind}")
            elif keyword in seen and keyword in self.warned_twice:
                self.warning(section, f"a second '{keyword}' in this {self.kind}; both count")
            seen.add(keyword)
            make(self, section)
        return seen

    def fields(self) -> dict[str, Any]:
        """The fields of the tree that are lists, its constraints and its source."""
        constraints = self.lists.pop("constraints", [])
        whole = And(tuple(constraints)) if len(constraints) > 1 else next(iter(constraints), None)
        lists = {name: tuple(items) for name, items in self.lists.items()}
        return {**lists, "constraints": whole, "source": self.log.source}

    @abstractmethod
    def _unknown(self, section: Item, keyword: str) -> None:
        """Reports a section that a definition of this kind does not have."""

    def _typed_section(self, section: Item) -> None:
        """``(:types …)``, ``(:constants …)`` or ``(:objects …)``."""
        field = first_word(section)[1:]
        with self.log.inside(f"in the {field}"):
            self.lists[field] += self.typed_list(contents(section)[1:], field[:-1])

    def _requirements(self, section: Item) -> None:
        for item in contents(section)[1:]:
            if not isinstance(item, str) or item[0] in "?(":
                self.error(item, "not a requirement", ":flag …")
                continue
            if item[0] != ":":
                self.warning(item, f"a requirement without a colon: '{item}'", f":{item}", self.quote(item))
            self.lists["requirements"].append(f":{item.removeprefix(':')}")

    def _constraints(self, section: Item) -> None:
        with self.log.inside("in the constraints"):
            for item in contents(section)[1:]:
                if is_word(item):
                    self.error(item, "a word among the constraints")
                else:
                    self.lists["constraints"].append(self.constraint(item))


# ── domains ──────────────────────────────────────────────────────────────────────────────────────

_OLD_OF_DOMAINS = (":timeless", ":safety", ":domain-variables", ":method", ":addendum", ":situation", ":axiom")
_MAKERS: dict[str, Callable[[FormulaBuilder, Item], Condition]] = {
    ":precondition": FormulaBuilder.condition,
    ":effect": FormulaBuilder.effect,
}
_DURATIVE_MAKERS: dict[str, Callable[[FormulaBuilder, Item], Condition]] = {
    ":duration": FormulaBuilder.duration,
    ":condition": FormulaBuilder.timed_condition,
    ":effect": FormulaBuilder.timed_effect,
}


class DomainBuilder(_DefinitionBuilder):
    """Makes a domain of its sections."""

    kind = "domain"
    warned_twice = (":requirements", ":types", ":constants", ":predicates", ":functions", ":constraints")

    def build(self, header: Header) -> Domain:
        """The tree of a domain; what could not be read is missing in it, and an error in the log."""
        declared = [section for section in header.sections if first_word(section) == ":functions"]
        self.functions = frozenset(
            first_word(item) for section in declared for item in contents(section) if not is_word(item)
        )
        self.read_sections(header)
        return Domain(header.name, **self.fields())

    def _unknown(self, section: Item, keyword: str) -> None:
        suggestion = Near(keyword, (":constants",) if keyword == ":objects" else self.sections)
        expected = ""
        if keyword in (":objects", ":init", ":goal", ":metric"):
            message = f"'{keyword}' belongs to a problem, not to a domain"
        elif keyword in _OLD_OF_DOMAINS:
            message = f"'{keyword}' is of PDDL 1.2 only and is not read"
            expected = "(:derived (predicate ?parameter …) (condition))" if keyword == ":axiom" else ""
        else:
            message = f"no section of a domain: '{keyword}'" if keyword else "a section without a keyword"
            expected = ", ".join(self.sections)
        self.error(section, message, expected, suggestion)

    def _predicates(self, section: Item) -> None:
        with self.log.inside("in the predicates"):
            for item in contents(section)[1:]:
                if is_word(item):
                    self.error(item, "a word among the predicates", "(name ?parameter …)")
                elif (declared := self._declaration(item, "predicate")) is not None:
                    self.lists["predicates"].append(declared)

    def _declaration(self, item: Item, what: str) -> Predicate | None:
        name, rest = first_word(item), contents(item)[1:]
        if not name:
            self.error(item, f"a {what} without a name", "(name ?parameter - type …)")
            return None
        if name == "=" and what == "predicate":
            self.warning(name, "'=' is built in and need not be declared")
            return None
        if name in CONNECTIVES or name[0] in "?:-":
            message = f"'{name}' cannot be the name of a {what}"
            self.error(name, message, "a name that is no keyword", quoted=item)
            return None
        with self.log.inside(f"in {what} '{name}'"):
            parameters = self.typed_list(rest, "parameter", variables=True)
        return Predicate(str(name), parameters, self._span(item))

    def _functions(self, section: Item) -> None:
        with self.log.inside("in the functions"):
            for members, types in self.typed_groups(contents(section)[1:], "function", self._function, ("number",)):
                self.lists["functions"] += [Function(one.name, one.parameters, types, one.span) for one in members]

    def _function(self, item: Item) -> Predicate | None:
        if is_word(item):
            self.error(item, "a word among the functions", "(name ?parameter …), or '- number'")
            return None
        return self._declaration(item, "function")

    def _derived(self, section: Item) -> None:
        items = contents(section)[1:]
        if len(items) != 2 or any(map(is_word, items)):
            self.error(section, "malformed axiom", "(:derived (predicate ?parameter …) (condition))")
            return
        head = self._declaration(items[0], "derived predicate")
        if head is not None:
            with self.log.inside(f"in the axiom for '{head.name}'"):
                body = self.condition(items[1])
            self.lists["derived"].append(DerivedPredicate(head.name, head.parameters, body, self._span(section)))

    def _schema(self, section: Item) -> None:
        keyword, *items = contents(section)
        form = SCHEMAS[str(keyword)]
        what = str(keyword)[1:].replace("-", " ")
        name = items[0] if items and is_word(items[0]) else ""
        with self.log.inside(f"in {what} '{name}'"):
            if not name or name[0] == ":":
                self.error(section, f"{what} without a name", f"({keyword} name :parameters (…) …)")
                return
            values = self._values(items[1:], (":parameters", *form.formulas))
            parameters: tuple[TypedName, ...] = ()
            if ":parameters" in values:
                with self.log.inside("in its parameters"):
                    parameters = self.typed_list(contents(values[":parameters"]), "parameter", variables=True)
            makers = _DURATIVE_MAKERS if ":duration" in form.formulas else _MAKERS
            if ":duration" in makers and ":duration" not in values:
                self.error(section, "a durative action without ':duration'", ":duration (= ?duration …)", quoted="")
            formulas: list[Any] = []
            for key in form.formulas:
                with self.log.inside(f"in its {key[1:]}"):
                    formulas.append(makers[key](self, values[key]) if key in values else And())
            self.lists[form.field].append(form.kind(str(name), parameters, *formulas, self._span(section)))

    def _values(self, items: list[Item], keys: tuple[str, ...]) -> dict[str, Item]:
        values: dict[str, Item] = {}
        key: str | None = None
        for item in items:
            if isinstance(item, str) and item[0] != "(":
                self._empty(key)
                key = item
                if item not in keys:
                    self._wrong_key(item, keys)
                continue
            if key is None:
                self.error(item, "a list without a keyword before it", ", ".join(keys))
            elif key in values:
                self.error(key, f"a second '{key}'", quoted=item)
            elif key in keys:
                values[key] = item
            key = None
        self._empty(key)
        return values

    def _wrong_key(self, key: str, keys: tuple[str, ...]) -> None:
        expected = ", ".join(keys)
        message = f"unknown keyword '{key}'" if key[0] == ":" else f"'{key}' where a keyword was expected"
        if key == ":vars":
            message, expected = "':vars' is of PDDL 1.2 only and is not read", "its variables among ':parameters'"
        self.error(key, message, expected, Near(key, keys), quoted="")

    def _empty(self, key: str | None) -> None:
        if key is not None:
            # As if it were missing: what was meant is clear, and generators write it.
            self.warning(key, f"nothing behind '{key}'", "a list; () where it is empty")

    sections: ClassVar[dict[str, Callable[[Any, Item], None]]] = {
        ":requirements": _DefinitionBuilder._requirements,
        ":types": _DefinitionBuilder._typed_section,
        ":constants": _DefinitionBuilder._typed_section,
        ":predicates": _predicates,
        ":functions": _functions,
        ":constraints": _DefinitionBuilder._constraints,
        ":derived": _derived,
        **dict.fromkeys(SCHEMAS, _schema),
    }


# ── problems ─────────────────────────────────────────────────────────────────────────────────────

_NO_FACTS = CONNECTIVES - {"preference", "when"}
_OLD_OF_PROBLEMS = (":situation", ":timeless", ":expansion")


class ProblemBuilder(_DefinitionBuilder):
    """Makes a problem of its sections, and keeps the places of what has no span."""

    kind = "problem"
    refused_twice = (":domain", ":goal", ":metric")

    def __init__(self, log: Log, text: str = ""):
        super().__init__(log, text)
        self.domain = ""
        self.domain_start = -1
        self.init: list[GroundAtom] = []
        self.init_starts: list[int] = []
        self.negative_starts: list[int] = []
        self.timed_starts: list[int] = []
        self.goal: Condition | None = None
        self.metric: Metric | None = None

    def build(self, header: Header) -> Problem:
        """The tree of a problem; what could not be read is missing in it, and an error in the log."""
        self.domain_start = header.start
        seen = self.read_sections(header)
        for keyword in (":domain", ":init", ":goal"):
            if keyword not in seen:
                self.log.error(header.start, f"the problem has no '{keyword}'", expected=f"({keyword} …)")
        goal = And() if self.goal is None else self.goal
        return Problem(header.name, self.domain, init=tuple(self.init), goal=goal, metric=self.metric, **self.fields())

    def _unknown(self, section: Item, keyword: str) -> None:
        message = f"no section of a problem: '{keyword}'" if keyword else "a section without a keyword"
        if keyword in _OLD_OF_PROBLEMS:
            message = f"'{keyword}' is of PDDL 1.2 only and is not read"
        suggestion = Near(keyword, (":objects",) if keyword == ":constants" else self.sections)
        self.error(section, message, ", ".join(self.sections), suggestion)

    def _domain(self, section: Item) -> None:
        words = contents(section)
        if len(words) == 2 and isinstance(section, str):
            self.domain, self.domain_start = str(words[1]), span_of(words[1]).start
        else:
            self.error(section, "malformed ':domain'", "(:domain name)")

    def _init(self, section: Item) -> None:
        with self.log.inside("in the initial state"):
            for item in contents(section)[1:]:
                # Nearly everything in a large initial state is an atom.
                if isinstance(item, str):
                    words = plain_words(item)
                    if item[0] == "(" and words and words[0] not in _NO_FACTS:
                        # The same names come in a hundred thousand atoms: kept once, they compare fast.
                        self.init.append(GroundAtom(map(intern, words)))
                        if self.log.placed:
                            self.init_starts.append(span_of(item).start)
                        continue
                self._fact(item)

    def _fact(self, item: Item) -> None:
        """An element of an initial state that is not an atom: a value, a negative or a timed literal."""
        head, rest = first_word(item), contents(item)[1:]
        if is_word(item):
            self.error(item, "a word where an atom was expected", "(predicate object …)")
        elif head == "=":
            self._fluent_value(item, rest)
        elif head == "not":
            atom = self._only_atom(item, rest)
            if atom is not None:
                self.lists["init_negative"].append(atom)
                self.negative_starts.append(span_of(item).start)
        elif (
            head == "at" and len(rest) > 1 and isinstance(rest[0], str) and is_number(rest[0]) and not is_word(rest[1])
        ):
            self._timed_literal(item, rest)
        else:
            wrong = head in _NO_FACTS or not head
            message = f"'{head}' cannot begin a fact" if wrong else f"a list inside '({head} …)'"
            expected = "(predicate object …), (not (…)), (= (function object …) number) or (at time (…))"
            self.error(item, message, expected)

    def _only_atom(self, item: Item, rest: list[Item]) -> GroundAtom | None:
        lists = [inner for inner in rest if not is_word(inner)]
        words = plain_words(lists[0]) if len(lists) == 1 and isinstance(lists[0], str) else []
        if words and words[0] not in _NO_FACTS:
            return GroundAtom(map(intern, words))
        self.error(item, "one atom was expected", "(predicate object …)")
        return None

    def _fluent_value(self, item: Item, rest: list[Item]) -> None:
        expected = "(= (function object …) number)"
        fluent, value = rest if len(rest) == 2 else ("", "")
        words: list[str] = []
        if isinstance(fluent, str) and isinstance(value, str) and value and value[0] != "(":
            if fluent[0] == "(":
                words = plain_words(fluent)
            elif is_number(value):
                # `(= f 3)`: a function without arguments and without its parentheses.
                words = [str(fluent)]
                self.warning(item, f"function '{fluent}' without parentheses", f"(= ({fluent}) {value})")
        if not words:
            self.error(item, "malformed value", expected)
            return
        exact: Fraction | str | None = self._numbers.get(str(value))
        if exact is None:
            exact = str(value)
            if is_number(exact):
                exact = self.number(PlacedText.at(exact, span_of(item).start), "a value") or Fraction(0)
        self.lists["init_values"].append(FluentValue(GroundAtom(map(intern, words)), exact, self._span(item)))

    def _timed_literal(self, item: Item, rest: list[Item]) -> None:
        time = self.number(rest[0], "a time")
        inner, *more = [one for one in rest if not is_word(one)]
        if time is None:
            return
        if not more and first_word(inner) == "=":
            self._timed_value(item, inner, time)
            return
        positive = bool(more) or first_word(inner) != "not"
        atom = self._only_atom(item, rest) if positive else self._only_atom(inner, contents(inner))
        if atom is not None:
            self.lists["init_timed"].append(TimedLiteral(time, atom, positive, self._span(item)))
            self.timed_starts.append(span_of(inner).start)

    def _timed_value(self, item: Item, inner: Item, time: Fraction) -> None:
        """``(at 5 (= (price) 3))``: what an initial value would be, at its time."""
        values = self.lists["init_values"]
        known = len(values)
        self._fluent_value(inner, contents(inner)[1:])
        if len(values) > known:
            given = values.pop()
            if isinstance(given.value, Fraction):
                timed = TimedLiteral(time, given.fluent, span=self._span(item), value=given.value)
                self.lists["init_timed"].append(timed)
                self.timed_starts.append(span_of(inner).start)
            else:
                self.error(inner, "a timed value that is no number", "(= (function object …) number)")

    def _goal(self, section: Item) -> None:
        with self.log.inside("in the goal"):
            items = contents(section)[1:]
            if len(items) == 1 and not is_word(items[0]):
                goal = self.condition(items[0])
                self.goal = goal if self.goal is None else self.goal
                return
            message = "the goal is one condition" if items else "the goal is empty"
            if items and not any(map(is_word, items)):
                message = f"the goal is one condition, not {len(items)}"
            self.error(section, message, "(:goal (and (…) …))")

    def _metric(self, section: Item) -> None:
        with self.log.inside("in the metric"):
            direction, *rest = contents(section)[1:] or [""]
            if direction not in ("minimize", "maximize") or len(rest) != 1:
                expected = "(:metric minimize (expression)) or (:metric maximize (expression))"
                self.error(section, "malformed metric", expected)
                return
            value = self.expression(rest[0])
            if value is not None and self.metric is None:
                self.metric = Metric(str(direction), value, self._span(section))

    def _length(self, section: Item) -> None:
        """PDDL 1.2 says here how long a plan is: no planner and no validator needs it."""

    sections: ClassVar[dict[str, Callable[[Any, Item], None]]] = {
        ":domain": _domain,
        ":requirements": _DefinitionBuilder._requirements,
        ":objects": _DefinitionBuilder._typed_section,
        ":init": _init,
        ":goal": _goal,
        ":constraints": _DefinitionBuilder._constraints,
        ":metric": _metric,
        ":length": _length,
    }
    warned_twice = tuple(sections)
