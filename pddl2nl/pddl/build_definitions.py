"""Lists to tree: domains and problems, ``(define (domain name) section …)``."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import takewhile
from sys import intern
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from pddl2nl.pddl.build_formulas import CONNECTIVES, Builder, FormulaBuilder, is_number
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
    ActionSchema,
    And,
    Condition,
    DerivedPredicate,
    Domain,
    DurativeAction,
    Event,
    FluentValue,
    Function,
    GroundAtom,
    Metric,
    Predicate,
    Problem,
    Process,
    TimedLiteral,
    TypedName,
)

__all__ = ["DomainBuilder", "Header", "Kind", "ProblemBuilder", "read_header"]

Kind = Literal["domain", "problem"]


class Header(NamedTuple):
    """The name of a domain or a problem, the offset of ``(domain name)``, and the sections that follow."""

    name: str
    start: int
    sections: list[Item]


def read_header(builder: FormulaBuilder, roots: list[Item], kind: Kind) -> Header | None:
    """Takes ``(define (domain name) …)`` apart; None, with an error, if the text is none of this kind."""
    expected = f"(define ({kind} name) …)"
    if not roots:
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


class _DefinitionBuilder(FormulaBuilder):
    """What domains and problems share."""

    kind: ClassVar[Kind]
    keywords: ClassVar[tuple[str, ...]]

    def __init__(self, log: Log, text: str = ""):
        super().__init__(log, text)
        self.requirements: list[str] = []
        self.constraints: list[Condition] = []

    def _requirements(self, section: Item) -> None:
        for item in contents(section)[1:]:
            if not isinstance(item, str) or item[0] in "?(":
                self.error(item, "not a requirement", ":flag …")
            elif item[0] == ":":
                self.requirements.append(str(item))
            else:
                self.warning(item, f"a requirement without a colon: '{item}'", f":{item}", self.quote(item))
                self.requirements.append(f":{item}")

    def _constraints(self, section: Item) -> None:
        with self.log.inside("in the constraints"):
            for item in contents(section)[1:]:
                if is_word(item):
                    self.error(item, "a word among the constraints")
                else:
                    self.constraints.append(self.constraint(item))

    def _all_constraints(self) -> Condition | None:
        return And(tuple(self.constraints)) if len(self.constraints) > 1 else next(iter(self.constraints), None)


# ── domains ──────────────────────────────────────────────────────────────────────────────────────

_KEYS = (":parameters", ":precondition", ":effect")
_DURATIVE_KEYS = (":parameters", ":duration", ":condition", ":effect")
_OLD_OF_DOMAINS = (":timeless", ":safety", ":domain-variables", ":method", ":addendum", ":situation")
_ONCE = (":requirements", ":types", ":constants", ":predicates", ":functions", ":constraints")
_SchemaT = TypeVar("_SchemaT", ActionSchema, Process, Event)


class _Schema(NamedTuple):
    """The name, the parameters and the keyword arguments of an action, a process or an event."""

    name: str
    parameters: tuple[TypedName, ...]
    values: dict[str, Item]


class DomainBuilder(_DefinitionBuilder):
    """Makes a domain of its sections."""

    kind = "domain"

    def __init__(self, log: Log, text: str = ""):
        super().__init__(log, text)
        self.types: list[TypedName] = []
        self.constants: list[TypedName] = []
        self.predicates: list[Predicate] = []
        self.declared_functions: list[Function] = []
        self.actions: list[ActionSchema] = []
        self.durative_actions: list[DurativeAction] = []
        self.derived: list[DerivedPredicate] = []
        self.processes: list[Process] = []
        self.events: list[Event] = []

    def build(self, header: Header) -> Domain:
        """The tree of a domain; what could not be read is missing in it, and an error in the log."""
        known = [first_word(section) for section in header.sections]
        functions = [
            section for keyword, section in zip(known, header.sections, strict=True) if keyword == ":functions"
        ]
        self.functions = frozenset(
            first_word(item) for section in functions for item in contents(section) if not is_word(item)
        )
        seen: set[str] = set()
        for keyword, section in zip(known, header.sections, strict=True):
            make = self.sections.get(keyword)
            if make is None:
                self._unknown(section, keyword)
                continue
            if keyword in seen and keyword in _ONCE:
                self.warning(section, f"a second '{keyword}' in this domain; both count")
            seen.add(keyword)
            make(self, section)
        return Domain(
            header.name,
            tuple(self.requirements),
            tuple(self.types),
            tuple(self.constants),
            tuple(self.predicates),
            tuple(self.declared_functions),
            self._all_constraints(),
            tuple(self.actions),
            tuple(self.durative_actions),
            tuple(self.derived),
            tuple(self.processes),
            tuple(self.events),
            self.log.source,
        )

    def _unknown(self, section: Item, keyword: str) -> None:
        suggestion = Near(keyword, (":constants",) if keyword == ":objects" else self.keywords)
        if keyword in (":objects", ":init", ":goal", ":metric"):
            message, expected = f"'{keyword}' belongs to a problem, not to a domain", ""
        elif keyword == ":axiom":
            message = "':axiom' is of PDDL 1.2 only and is not read"
            expected = "(:derived (predicate ?parameter …) (condition))"
        elif keyword in _OLD_OF_DOMAINS:
            message, expected = f"'{keyword}' is of PDDL 1.2 only and is not read", ""
        else:
            message = f"no section of a domain: '{keyword}'" if keyword else "a section without a keyword"
            expected = ", ".join(self.keywords)
        self.error(section, message, expected, suggestion)

    def _types_section(self, section: Item) -> None:
        with self.log.inside("in the types"):
            self.types += self.typed_list(contents(section)[1:], "type")

    def _constants(self, section: Item) -> None:
        with self.log.inside("in the constants"):
            self.constants += self.typed_list(contents(section)[1:], "constant")

    def _predicates(self, section: Item) -> None:
        with self.log.inside("in the predicates"):
            for item in contents(section)[1:]:
                if is_word(item):
                    self.error(item, "a word among the predicates", "(name ?parameter …)")
                elif (declared := self._declaration(item, "predicate")) is not None:
                    self.predicates.append(declared)

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
            pending: list[Predicate] = []
            dash = False

            def close(types: tuple[str, ...]) -> None:
                self.declared_functions += [Function(one.name, one.parameters, types, one.span) for one in pending]
                pending.clear()

            for item in contents(section)[1:]:
                if dash:
                    close(self._types_of(item, "function"))
                    dash = False
                elif not isinstance(item, str) or item[0] == "(":
                    declared = self._declaration(item, "function")
                    pending.extend([] if declared is None else [declared])
                elif item == "-":
                    dash = True
                elif item[0] == "-":
                    self.warning(item, "no blank between '-' and the type", found=f"'{item}'")
                    close((item[1:],))
                else:
                    self.error(item, "a word among the functions", "(name ?parameter …), or '- number'")
            close(("number",))

    def _derived(self, section: Item) -> None:
        items = contents(section)[1:]
        if len(items) != 2 or any(map(is_word, items)):
            self.error(section, "malformed axiom", "(:derived (predicate ?parameter …) (condition))")
            return
        head = self._declaration(items[0], "derived predicate")
        if head is not None:
            with self.log.inside(f"in the axiom for '{head.name}'"):
                body = self.condition(items[1])
            self.derived.append(DerivedPredicate(head.name, head.parameters, body, self._span(section)))

    def _schema(self, section: Item, what: str, keys: tuple[str, ...]) -> _Schema | None:
        name, *items = contents(section)[1:] or [""]
        if not isinstance(name, str) or name[:1] in ("", ":", "("):
            self.error(section, f"{what} without a name", f"(:{what.replace(' ', '-')} name :parameters (…) …)")
            return None
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
        parameters: tuple[TypedName, ...] = ()
        if ":parameters" in values:
            with self.log.inside("in its parameters"):
                parameters = self.typed_list(contents(values[":parameters"]), "parameter", variables=True)
        return _Schema(str(name), parameters, values)

    def _wrong_key(self, key: str, keys: tuple[str, ...]) -> None:
        expected = ", ".join(keys)
        if key == ":vars":
            message, expected = "':vars' is of PDDL 1.2 only and is not read", "its variables among ':parameters'"
        elif key[0] == ":":
            message = f"unknown keyword '{key}'"
        else:
            message = f"'{key}' where a keyword was expected"
        self.log.error(span_of(key).start, message, expected=expected, suggestion=Near(key, keys))

    def _empty(self, key: str | None) -> None:
        if key is not None:
            # As if it were missing: what was meant is clear, and generators write it.
            self.warning(key, f"nothing behind '{key}'", "a list; () where it is empty")

    def _value(self, schema: _Schema, key: str, make: Builder) -> Condition:
        item = schema.values.get(key)
        if item is None:
            return And()
        with self.log.inside(f"in its {key[1:]}"):
            return make(item)

    def _action(self, section: Item) -> None:
        self._instantaneous(section, ActionSchema, self.actions)

    def _process(self, section: Item) -> None:
        self._instantaneous(section, Process, self.processes)

    def _event(self, section: Item) -> None:
        self._instantaneous(section, Event, self.events)

    def _instantaneous(self, section: Item, kind: type[_SchemaT], found: list[_SchemaT]) -> None:
        what = first_word(section)[1:]
        with self.log.inside(f"in {what} '{_second_word(section)}'"):
            schema = self._schema(section, what, _KEYS)
            if schema is not None:
                before = self._value(schema, ":precondition", self.condition)
                after = self._value(schema, ":effect", self.effect)
                found.append(kind(schema.name, schema.parameters, before, after, self._span(section)))

    def _durative_action(self, section: Item) -> None:
        with self.log.inside(f"in durative action '{_second_word(section)}'"):
            schema = self._schema(section, "durative action", _DURATIVE_KEYS)
            if schema is None:
                return
            if ":duration" not in schema.values:
                message, expected = "a durative action without ':duration'", ":duration (= ?duration …)"
                self.log.error(span_of(section).start, message, expected=expected)
            length = self._value(schema, ":duration", self.duration)
            before = self._value(schema, ":condition", self.timed_condition)
            after = self._value(schema, ":effect", self.timed_effect)
            self.durative_actions.append(
                DurativeAction(schema.name, schema.parameters, length, before, after, self._span(section))
            )

    sections: ClassVar[dict[str, Callable[[Any, Item], None]]] = {
        ":requirements": _DefinitionBuilder._requirements,
        ":types": _types_section,
        ":constants": _constants,
        ":predicates": _predicates,
        ":functions": _functions,
        ":constraints": _DefinitionBuilder._constraints,
        ":derived": _derived,
        ":action": _action,
        ":durative-action": _durative_action,
        ":process": _process,
        ":event": _event,
    }
    keywords = tuple(sections)


def _second_word(section: Item) -> str:
    words = contents(section)
    return str(words[1]) if len(words) > 1 and is_word(words[1]) else ""


# ── problems ─────────────────────────────────────────────────────────────────────────────────────

_NO_FACTS = CONNECTIVES - {"preference", "when"}
_OLD_OF_PROBLEMS = (":situation", ":timeless", ":expansion")


class ProblemBuilder(_DefinitionBuilder):
    """Makes a problem of its sections, and keeps where those things stand that have no span of their own."""

    kind = "problem"

    def __init__(self, log: Log, text: str = ""):
        super().__init__(log, text)
        self.domain = ""
        self.domain_start = -1
        self.objects: list[TypedName] = []
        self.init: list[GroundAtom] = []
        self.init_starts: list[int] = []
        self.values: list[FluentValue] = []
        self.negative: list[GroundAtom] = []
        self.negative_starts: list[int] = []
        self.timed: list[TimedLiteral] = []
        self.goals: list[Condition] = []
        self.metric: Metric | None = None
        self.length: list[tuple[str, int]] = []

    def build(self, header: Header) -> Problem:
        """The tree of a problem; what could not be read is missing in it, and an error in the log."""
        self.domain_start = header.start
        seen: set[str] = set()
        for section in header.sections:
            keyword = first_word(section)
            make = self.sections.get(keyword)
            if make is None:
                self._unknown(section, keyword)
                continue
            if keyword in seen:
                if keyword in (":domain", ":goal", ":metric"):
                    self.error(section, f"a second '{keyword}' in this problem")
                else:
                    self.warning(section, f"a second '{keyword}' in this problem; both count")
            seen.add(keyword)
            make(self, section)
        for keyword in (":domain", ":init", ":goal"):
            if keyword not in seen:
                self.log.error(header.start, f"the problem has no '{keyword}'", expected=f"({keyword} …)")
        return Problem(
            header.name,
            self.domain,
            tuple(self.requirements),
            tuple(self.objects),
            tuple(self.init),
            tuple(self.values),
            tuple(self.negative),
            tuple(self.timed),
            self.goals[0] if self.goals else And(),
            self._all_constraints(),
            self.metric,
            tuple(self.length),
            self.log.source,
        )

    def _unknown(self, section: Item, keyword: str) -> None:
        message = f"no section of a problem: '{keyword}'" if keyword else "a section without a keyword"
        if keyword in _OLD_OF_PROBLEMS:
            message = f"'{keyword}' is of PDDL 1.2 only and is not read"
        suggestion = Near(keyword, (":objects",) if keyword == ":constants" else self.keywords)
        self.error(section, message, ", ".join(self.keywords), suggestion)

    def _domain(self, section: Item) -> None:
        words = contents(section)
        if len(words) == 2 and isinstance(section, str):
            self.domain, self.domain_start = str(words[1]), span_of(words[1]).start
        else:
            self.error(section, "malformed ':domain'", "(:domain name)")

    def _objects(self, section: Item) -> None:
        with self.log.inside("in the objects"):
            self.objects += self.typed_list(contents(section)[1:], "object")

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
        """What is no atom in an initial state: a value, a negative or a timed literal."""
        head, rest = first_word(item), contents(item)[1:]
        if is_word(item):
            self.error(item, "a word where an atom was expected", "(predicate object …)")
        elif head == "=":
            self._fluent_value(item, rest)
        elif head == "not":
            atom = self._only_atom(item, rest)
            if atom is not None:
                self.negative.append(atom)
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
        if not isinstance(fluent, str) or not isinstance(value, str) or not value or value[0] == "(":
            self.error(item, "malformed value", expected)
            return
        if fluent[0] == "(":
            words = plain_words(fluent)
            if not words:
                self.error(item, "a value without a function", expected)
                return
        elif is_number(value):
            # `(= f 3)`: a function without arguments and without its parentheses.
            words = [str(fluent)]
            self.warning(item, f"function '{fluent}' without parentheses", f"(= ({fluent}) {value})")
        else:
            self.error(item, "malformed value", expected)
            return
        exact = self._numbers.get(value)
        if exact is None and is_number(value):
            exact = self.number(PlacedText.at(value, span_of(item).start), "a value") or Fraction(0)
        self.values.append(
            FluentValue(GroundAtom(map(intern, words)), str(value) if exact is None else exact, self._span(item))
        )

    def _timed_literal(self, item: Item, rest: list[Item]) -> None:
        time = self.number(rest[0], "a time")
        inner, *more = [one for one in rest if not is_word(one)]
        if time is None:
            return
        positive = bool(more) or first_word(inner) != "not"
        atom = self._only_atom(item, rest) if positive else self._only_atom(inner, contents(inner))
        if atom is not None:
            self.timed.append(TimedLiteral(time, atom, positive, self._span(item)))

    def _goal(self, section: Item) -> None:
        with self.log.inside("in the goal"):
            items = contents(section)[1:]
            if len(items) == 1 and not is_word(items[0]):
                self.goals.append(self.condition(items[0]))
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
        items = contents(section)[1:]
        words = [word for item in items for word in ([item] if is_word(item) else contents(item)) if is_word(word)]
        for kind, value in zip(words[::2], words[1::2], strict=False):
            assert isinstance(kind, str)
            assert isinstance(value, str)
            if kind in (":serial", ":parallel") and value.isascii() and value.isdecimal() and len(value) < 19:
                self.length.append((kind[1:], int(value)))
            else:
                self.error(kind, "malformed ':length'", "(:length (:serial number) (:parallel number))", quoted=section)
        if len(words) % 2:
            self.error(section, "malformed ':length'")

    sections: ClassVar[dict[str, Callable[[Any, Item], None]]] = {
        ":domain": _domain,
        ":requirements": _DefinitionBuilder._requirements,
        ":objects": _objects,
        ":init": _init,
        ":goal": _goal,
        ":constraints": _DefinitionBuilder._constraints,
        ":metric": _metric,
        ":length": _length,
    }
    keywords = tuple(sections)
