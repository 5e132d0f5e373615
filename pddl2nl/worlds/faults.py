"""Faults: how the world in which a plan is carried out differs from the model of it (``--faults SPEC``).

A specification is a text of statements, one in each line or separated by ``;``; ``#`` starts a comment::

    fail (pick-up egg-1)                the first time that this action is executed, it silently does nothing
    fail (toggle-on *) twice            the first two times; also "3 times", "always"
    fail (pick-up *) at 7               if it is the 7th action; also "at 3, 7"
    fail at 7                           whatever the 7th action is
    fail 10%                            each action, with this probability
    fail 25% (pick-up *)                each of these actions, likewise
    move (inside egg-1 fridge-1) -> (on egg-1 table-1) before 5
                                        just before the 5th action the first atom becomes false and the second
                                        true; nothing happens if the first is not true then
    set (dirty pan-1) (not (clean pan-1)) after 3
                                        just after the 3rd action these become true
    initially (dirty pan-1)             true from the start, unknown to the agent
    set (= (fuel car) 3) before 2       numbers likewise
    seed 7                              of the probabilities; default: the run's seed

``*`` in a pattern matches any name, or a part of one (``egg-*``); as the last argument it matches all further ones.
Actions are counted from 1, inapplicable ones included. A fault changes only what actions can change.

The grammar; letter case does not matter, as in PDDL::

    SPEC      := [STATEMENT] { (";" | line break) [STATEMENT] }                "#" starts a comment
    STATEMENT := "fail" [NUMBER "%"] [PATTERN] ["at" ["step"] N { "," N }] ["once" | "twice" | N "times" | "always"]
               | "move" [NAME ":"] ATOM { ATOM } ("->" | "to") FACT { FACT } MOMENT
               | "set" FACT { FACT } MOMENT
               | "initially" FACT { FACT }
               | "seed" N
    MOMENT    := ("before" | "after") ["step"] N
    PATTERN   := "(" name { name } ")"                                          with "*" in the names
    FACT      := ATOM | "(" "not" ATOM ")" | "(" "=" ATOM NUMBER ")"
    ATOM      := "(" name { name } ")"
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, NoReturn

from pddl2nl.errors import InputError, near_name
from pddl2nl.pddl import NOWHERE, Diagnostic, GroundAtom, Source, Span, Task, changed_predicates, write_number
from pddlval import GroundAction

__all__ = [
    "Change",
    "Fact",
    "Failure",
    "Faults",
    "Pattern",
    "check_faults",
    "parse_faults",
    "read_faults",
]

_TOKEN = re.compile(
    r"(?P<remark>#[^\n]*)|(?P<blank>[^\S\n]+)|(?P<end>[;\n])|(?P<mark>->|→|[(),:])|(?P<word>(?:(?!->)[^\s();,:#→])+)"
)
_STATEMENTS = ("fail", "move", "set", "initially", "seed")
_BEGINS = re.compile(rf"\s*(?:#|;|(?:{'|'.join(_STATEMENTS)})(?:[\s(;:]|\Z)|\Z)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?(?:/\d{1,30})?")
_TIMES = {"once": 1, "twice": 2, "always": None}
_MOST = 1_000_000
_ORDINAL_TIMES = {1: "once", 2: "twice", None: "always"}
_LONGEST = 200
_LIKE_STATEMENTS = re.compile(r"[()%;]|->")


def _number_text(value: Fraction) -> str:
    """A number as a specification writes it; a third is ``1/3``."""
    text = write_number(value)
    return f"{value.numerator}/{value.denominator}" if text.startswith("(") else text


@dataclass(frozen=True)
class Pattern:
    """A pattern of actions: a name and arguments, each of which may contain ``*``."""

    parts: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"({' '.join(self.parts)})"

    def matches(self, action: GroundAction) -> bool:
        """Whether an action matches the pattern."""
        return self._shape.fullmatch(" ".join((action.name, *action.args))) is not None

    @cached_property
    def _shape(self) -> re.Pattern[str]:
        *first, last = (re.escape(part).replace(r"\*", r"[^ ]*") for part in self.parts)
        if self.parts[-1] == "*" and first:
            return re.compile(" ".join(first) + r"( [^ ]+)*")
        return re.compile(" ".join((*first, last)) if first or last != "[^ ]*" else r".*")


@dataclass(frozen=True)
class Failure:
    """Actions that silently do nothing.

    Attributes:
        pattern: which ones; None for any.
        steps: only at these positions in the order of execution, from 1; empty for all.
        times: how often at most; None for no limit.
        chance: the probability, each time.
    """

    pattern: Pattern | None = None
    steps: tuple[int, ...] = ()
    times: int | None = 1
    chance: Fraction = Fraction(1)

    def __str__(self) -> str:
        parts = ["fail"]
        if self.chance != 1:
            parts.append(f"{_number_text(self.chance * 100)}%")
        if self.pattern is not None:
            parts.append(str(self.pattern))
        if self.steps:
            parts.append(f"at {', '.join(map(str, self.steps))}")
        if self.times != _default_times(self):
            parts.append(_ORDINAL_TIMES.get(self.times, f"{self.times} times"))
        return " ".join(parts)


def _default_times(failure: Failure) -> int | None:
    """How often a failure occurs by default: once, or always if steps or a probability are given."""
    return None if failure.steps or failure.chance != 1 else 1


@dataclass(frozen=True)
class Fact:
    """A fact that a fault sets: an atom true or false, or the value of a fluent."""

    atom: GroundAtom
    positive: bool = True
    value: Fraction | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        if self.value is not None:
            return f"(= {self.atom} {_number_text(self.value)})"
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True)
class Change:
    """A change of the world just before or after an action.

    ``step`` is the action's number; ``after`` is true for a change after it. If ``undone`` is not empty, all its atoms
    must be true for the change to happen, and become false. ``facts`` become true.
    """

    step: int
    after: bool
    facts: tuple[Fact, ...]
    undone: tuple[Fact, ...] = ()

    def __str__(self) -> str:
        facts = " ".join(map(str, self.facts))
        moment = f"{'after' if self.after else 'before'} {self.step}"
        if self.undone:
            return f"move {' '.join(map(str, self.undone))} -> {facts} {moment}"
        return f"initially {facts}" if (self.step, self.after) == (1, False) else f"set {facts} {moment}"


@dataclass(frozen=True)
class Faults:
    """All faults of a world, in the order of their text; ``seed`` None uses the run's seed."""

    failures: tuple[Failure, ...] = ()
    changes: tuple[Change, ...] = ()
    seed: int | None = None
    source: Source = field(default=Source("<faults>", ""), compare=False, repr=False)

    @property
    def text(self) -> str:
        """The faults as a specification, its statements separated by ``;``; it parses to equal faults."""
        seed = () if self.seed is None else (f"seed {self.seed}",)
        return "; ".join((*map(str, self.failures), *map(str, self.changes), *seed))

    def __str__(self) -> str:
        return self.text

    def refuse(self, span: Span, said: str, suggestion: str = "", expected: str = "") -> InputError:
        """An error at a position of the text."""
        at = Diagnostic.at(self.source, span.start, said, suggestion=suggestion, expected=expected)
        return InputError(at.render())


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def parse_faults(text: str, name: str = "--faults") -> Faults:
    """The faults of a specification.

    Raises:
        InputError: a syntax error; the message shows the position.
    """
    return _Parser(Source(name, text)).faults()


def read_faults(text_or_path: str) -> Faults:
    """The faults of a specification, or of a file with one.

    A text that starts with a keyword of the language is a specification; any other text is a file name.

    Raises:
        InputError: a syntax error, or there is no such file.
    """
    if _is_specification(text_or_path):
        return parse_faults(text_or_path)
    shown = text_or_path if len(text_or_path) <= _LONGEST else f"{text_or_path[:_LONGEST]}…"
    try:
        text = Path(text_or_path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        if _LIKE_STATEMENTS.search(text_or_path):
            return parse_faults(text_or_path)
        why = getattr(error, "strerror", None) or "no text in UTF-8"
        raise InputError(
            f"--faults {shown}: neither faults nor a file with some ({why}); expected such as "
            "'fail (pick-up egg-1)', 'move (inside egg-1 fridge-1) -> (on egg-1 table-1) before 5', "
            "'initially (dirty pan-1)'"
        ) from error
    return parse_faults(text, text_or_path)


def _is_specification(text: str) -> bool:
    """Whether a text is a specification rather than a file name."""
    return "\n" in text or _BEGINS.match(text) is not None


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class _Parser:
    """A recursive-descent parser for one specification."""

    def __init__(self, source: Source):
        self._source = source
        self._context = Faults(source=source)
        self._tokens = [
            _Token(match.lastgroup or "", match[0].lower(), match.start())
            for match in _TOKEN.finditer(source.text)
            if match.lastgroup not in ("blank", "remark")
        ]
        # An end token, so that there always is a next token.
        self._tokens.append(_Token("end", "", len(source.text)))
        self._place = 0

    def faults(self) -> Faults:
        """The faults.

        Raises:
            InputError: a syntax error; the message shows the position.
        """
        failures: list[Failure] = []
        changes: list[Change] = []
        seed: int | None = None
        while self._place < len(self._tokens):
            if self._next.kind == "end":
                self._place += 1
                continue
            word = self._take("word", "a statement: fail, move, set, initially or seed")
            match word.text:
                case "fail":
                    failures.append(self._fail())
                case "move":
                    changes.append(self._move())
                case "set":
                    facts = self._facts("a fact, (dirty pan-1)")
                    changes.append(Change(*self._moment(), facts))
                case "initially":
                    changes.append(Change(1, False, self._facts("a fact, (dirty pan-1)")))
                case "seed":
                    seed = self._count("a number", least=0)
                case _:
                    self._refuse(
                        word,
                        f"'{word.text}' begins no statement",
                        "fail, move, set, initially or seed",
                        near_name(word.text, _STATEMENTS),
                    )
            self._take("end", "';' or the end of the line")
        return Faults(tuple(failures), tuple(changes), seed, self._source)

    # ── statements ───────────────────────────────────────────────────────────────────────────────

    def _fail(self) -> Failure:
        chance = self._percent()
        pattern = self._pattern() if self._next.text == "(" else None
        steps = self._steps() if self._word("at") else ()
        if chance is None and pattern is None and not steps:
            self._refuse(self._next, "what fails?", "(pick-up egg-1), 10%, or at 7")
        times: int | None = None if steps or chance is not None else 1
        if self._next.text in _TIMES:
            times = _TIMES[self._take("word", "").text]
        elif self._next.kind == "word":
            times = self._count("once, twice, 3 times, always, or at 7")
            if not self._word("times"):
                self._refuse(self._next, "a number of what?", "times, as in '3 times'; a step is 'at 3'")
        return Failure(pattern, steps, times, Fraction(1) if chance is None else chance)

    def _percent(self) -> Fraction | None:
        token = self._next
        if token.kind != "word" or not token.text.endswith("%"):
            return None
        number = token.text[:-1]
        value = Fraction(number) if _NUMBER.fullmatch(number) and not number.endswith("/0") else Fraction(-1)
        if not 0 <= value <= 100:
            self._refuse(token, f"'{token.text}' is no probability", "a number from 0% to 100%")
        self._place += 1
        return value / 100

    def _steps(self) -> tuple[int, ...]:
        self._word("step")
        self._word("steps")
        steps = [self._count("the number of an action, from 1")]
        while self._next.text == ",":
            self._place += 1
            steps.append(self._count("the number of an action, from 1"))
        return tuple(dict.fromkeys(steps))

    def _move(self) -> Change:
        name = None
        if self._next.kind == "word" and self._tokens[self._place + 1].text == ":":
            name = self._take("word", "")
            self._place += 1
        undone = self._facts("what no longer holds, (inside egg-1 fridge-1)")
        for fact in undone:
            if not fact.positive or fact.value is not None:
                raise self._context.refuse(fact.span, "what moves is an atom", expected="(inside egg-1 fridge-1)")
        if self._next.text not in ("->", "→", "to"):
            self._refuse(self._next, "whereto?", "'->' and what holds then, (on egg-1 table-1)")
        self._place += 1
        facts = self._facts("what holds then, (on egg-1 table-1)")
        if name is not None and not any(name.text in fact.atom[1:] for fact in (*undone, *facts)):
            self._refuse(name, f"'{name.text}' stands in none of these facts", "the object that moves")
        step, after = self._moment()
        return Change(step, after, facts, undone)

    def _moment(self) -> tuple[int, bool]:
        token = self._next
        if token.text not in ("before", "after"):
            self._refuse(token, "when?", "before 5, or after 5 (the number of an action, from 1)")
        self._place += 1
        self._word("step")
        return self._count("the number of an action, from 1"), token.text == "after"

    # ── facts ────────────────────────────────────────────────────────────────────────────────────

    def _facts(self, expected: str) -> tuple[Fact, ...]:
        if self._next.text != "(":
            self._refuse(self._next, f"found {_shown(self._next)}", expected)
        facts: list[Fact] = []
        while self._next.text == "(":
            facts.append(self._fact())
        return tuple(facts)

    def _fact(self) -> Fact:
        start = self._next.start
        second = self._tokens[self._place + 1].text
        if second == "not":
            self._place += 2
            atom = self._atom()
            end = self._close()
            return Fact(atom, False, None, Span(start, end))
        if second == "=":
            self._place += 2
            atom = self._atom()
            number = self._take("word", "a number")
            if not _NUMBER.fullmatch(number.text) or re.search(r"/0+\Z", number.text):
                self._refuse(number, f"'{number.text}' is no number", "a number, such as 3 or 2.5")
            end = self._close()
            return Fact(atom, True, _number(number.text), Span(start, end))
        atom = self._atom()
        return Fact(atom, True, None, Span(start, self._tokens[self._place - 1].start + 1))

    def _atom(self) -> GroundAtom:
        names = self._names()
        for token in names:
            if "*" in token.text:
                self._refuse(token, f"'{token.text}': a fact is about certain objects", "a name without '*'")
        return GroundAtom(token.text for token in names)

    def _pattern(self) -> Pattern:
        start = self._next.start
        names = self._names()
        return Pattern(tuple(token.text for token in names), Span(start, self._tokens[self._place - 1].start + 1))

    def _names(self) -> list[_Token]:
        if self._next.text != "(":
            self._refuse(self._next, f"found {_shown(self._next)}", "'(' and names")
        self._place += 1
        names = [self._take("word", "a name")]
        while self._next.kind == "word":
            names.append(self._take("word", ""))
        self._close()
        return names

    def _close(self) -> int:
        if self._next.text != ")":
            self._refuse(self._next, f"found {_shown(self._next)}", "')'")
        self._place += 1
        return self._tokens[self._place - 1].start + 1

    # ── tokens ───────────────────────────────────────────────────────────────────────────────────

    @property
    def _next(self) -> _Token:
        return self._tokens[min(self._place, len(self._tokens) - 1)]

    def _take(self, kind: str, expected: str) -> _Token:
        token = self._next
        if token.kind != kind:
            self._refuse(token, f"found {_shown(token)}", expected)
        self._place += 1
        return token

    def _word(self, text: str) -> bool:
        """Takes the next token if it is that word."""
        if self._next.text != text:
            return False
        self._place += 1
        return True

    def _count(self, expected: str, least: int = 1) -> int:
        token = self._take("word", expected)
        if not re.fullmatch(r"[0-9]{1,7}", token.text) or not least <= int(token.text) <= _MOST:
            self._refuse(token, f"'{token.text}' is no such number", expected)
        return int(token.text)

    def _refuse(self, token: _Token, said: str, expected: str, suggestion: str = "") -> NoReturn:
        raise self._context.refuse(Span(token.start, token.start), said, suggestion, expected)


def _shown(token: _Token) -> str:
    return f"'{token.text}'" if token.text.strip() else "the end of the line"


def _number(text: str) -> Fraction:
    whole, _, below = text.partition("/")
    return Fraction(whole) / Fraction(below or 1)


# ── against a task ───────────────────────────────────────────────────────────────────────────────


def check_faults(faults: Faults, task: Task) -> None:
    """Checks that faults name actions, predicates and objects of a task, and facts that actions change.

    Raises:
        InputError: they do not; the message shows the position and suggests the nearest name.
    """
    for failure in faults.failures:
        if failure.pattern is not None:
            _check_pattern(faults, failure.pattern, task)
    for change in faults.changes:
        for fact in (*change.undone, *change.facts):
            _check_fact(faults, fact, task)


def _check_pattern(faults: Faults, pattern: Pattern, task: Task) -> None:
    name, *args = pattern.parts
    shape = Pattern((name,), pattern.span)
    schemas = [schema for schema in task.domain.actions if shape.matches(GroundAction(schema.name))]
    if not schemas:
        names = [schema.name for schema in task.domain.actions]
        said = f"the domain has no action '{name}'"
        raise faults.refuse(pattern.span, said, near_name(name, names), f"one of {', '.join(names)}")
    for arg in args:
        if "*" not in arg and arg not in task.objects:
            said = f"'{arg}' is no object of the task"
            raise faults.refuse(pattern.span, said, near_name(arg, task.objects))
    if args and args[-1] == "*":
        fits = any(len(schema.parameters) >= len(args) - 1 for schema in schemas)
    else:
        fits = name == "*" or any(len(schema.parameters) == len(args) for schema in schemas)
    if not fits:
        takes = len(schemas[0].parameters)
        said = f"'{schemas[0].name}' takes {takes} argument{'' if takes == 1 else 's'}, found {len(args)}"
        raise faults.refuse(pattern.span, said, expected=f"({name} *) for any arguments")


def _check_fact(faults: Faults, fact: Fact, task: Task) -> None:
    domain, (name, *args) = task.domain, fact.atom
    kind, declared = ("predicate", domain.predicates) if fact.value is None else ("function", domain.functions)
    found = next((item for item in declared if item.name == name), None)
    if found is None:
        near = near_name(name, [item.name for item in declared])
        raise faults.refuse(fact.span, f"the domain has no {kind} '{name}'", near)
    if len(args) != len(found.parameters):
        takes = len(found.parameters)
        said = f"'{name}' takes {takes} argument{'' if takes == 1 else 's'}, found {len(args)}"
        raise faults.refuse(fact.span, said)
    for arg, parameter in zip(args, found.parameters, strict=True):
        if not task.is_a(arg, parameter.types):
            said = f"'{arg}' is no object of the task"
            if arg in task.objects:
                said = f"'{arg}' is no {' or '.join(parameter.types)}, and '{name}' takes one there"
            raise faults.refuse(fact.span, said, near_name(arg, task.objects_of(parameter.types)))
    if kind == "predicate":
        if name in {item.name for item in domain.derived}:
            raise faults.refuse(fact.span, f"'{name}' follows from other facts by a rule; set those")
        if name not in changed_predicates(domain):
            said = f"no action changes '{name}', so it is the same in every state of this task"
            raise faults.refuse(fact.span, said)
