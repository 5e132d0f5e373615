"""Faults: how the world in which a plan is carried out differs from the model of it (the option ``faults``).

A specification is a text of statements, one in each line or separated by ``;``; ``#`` starts a comment::

    fail (pick-up egg-1)                the first time that this action is executed, it silently does nothing
    fail (toggle-on *) twice            the first two times; also "once", "3 times", "always"
    fail (pick-up *) at 7               if it is the 7th action; also "at 3, 7"
    fail at 7                           the 7th action, of any name
    fail 10%                            each action, with this probability
    fail 25% (pick-up *)                each of these actions, likewise
    refuse (pick-up egg-1) "the egg is stuck"
                                        this action does nothing, and the world reports the error, always
    refuse (pick-up egg-1) "it slips" twice
                                        with the same endings as fail
    break (pick-up egg-1)               the first time, this action does nothing but break its first object: every
                                        fact about it that actions change becomes false, and nothing undoes this
    move (inside egg-1 fridge-1) -> (on egg-1 table-1) before 5
                                        just before the 5th action the first atom becomes false and the second
                                        true; nothing happens if the first is not true then
    set (dirty pan-1) (not (clean pan-1)) after 3
                                        just after the 3rd action these become true
    initially (dirty pan-1)             true from the start, unknown to the agent
    set (= (fuel car) 3) before 2       numbers likewise
    seed 7                              of the probabilities; default: the run's seed

``*`` in a pattern matches any name, or a part of one (``egg-*``); as the last argument it matches all further ones.
Actions are counted from 1, inapplicable ones included. A fault changes only what actions can change. Of several
failures that fit an action, the first one happens; changes before and after the action happen all the same, also if
the action is refused.

Letter case does not matter, as in PDDL. ``step`` may stand before a number, the name of what moves and a colon before
the facts of ``move``, and ``to`` for ``->``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple, NoReturn, cast

from pddl2nl.errors import InputError, near_name
from pddl2nl.files import read_text
from pddl2nl.pddl import NOWHERE, Diagnostic, GroundAtom, Source, Span, Task, changed_predicates, write_number
from pddlval import GroundAction
from pddlval.plans import why_bad_atom

_TOKEN = re.compile(
    r"(?P<remark>#[^\n]*)|(?P<quoted>\"[^\"\n]*\")|(?P<blank>[^\S\n]+)|(?P<end>[;\n])|(?P<mark>->|[(),:])|(?P<word>(?:(?!->)[^\s();,:#])+)"
)
_STATEMENTS = ("fail", "refuse", "break", "move", "set", "initially", "seed")
_BEGINS = re.compile(rf"\s*(?:#|;|(?:{'|'.join(_STATEMENTS)})(?:[\s(;:]|\Z)|\Z)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?(?:/0*[1-9]\d{0,29})?")
_TIMES: dict[str, int | None] = {"once": 1, "twice": 2, "always": None}
_MOST = 1_000_000
_LONGEST_PATH = 1_000
_COUNT = "the number of an action, from 1"


@dataclass(frozen=True)
class Pattern:
    """A pattern of actions: a name and arguments, each of which may contain ``*``."""

    parts: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __str__(self) -> str:
        return f"({' '.join(self.parts)})"

    def matches(self, action: GroundAction) -> bool:
        return self._regex.fullmatch(" ".join((action.name, *action.args))) is not None

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        if self.parts == ("*",):
            return re.compile(".*")
        any_tail = len(self.parts) > 1 and self.parts[-1] == "*"
        names = [re.escape(part).replace(r"\*", "[^ ]*") for part in self.parts[: -1 if any_tail else None]]
        return re.compile(" ".join(names) + ("( [^ ]+)*" if any_tail else ""))


@dataclass(frozen=True)
class Failure:
    """Actions that do nothing.

    Attributes:
        kind: ``fail`` is silent, ``refuse`` reports an error, ``break`` breaks the action's first object.
        report: what the world reports of a refusal.
        pattern: which; None for any.
        steps: only at these positions in the order of execution, from 1; empty for all.
        times: how often at most; None for no limit.
        chance: the probability, each time.
    """

    pattern: Pattern | None = None
    steps: tuple[int, ...] = ()
    times: int | None = 1
    chance: Fraction = Fraction(1)
    kind: Literal["fail", "refuse", "break"] = "fail"
    report: str = ""

    def __str__(self) -> str:
        parts: list[str] = [self.kind]
        if self.chance != 1:
            parts.append(f"{_number_text(self.chance * 100)}%")
        if self.pattern is not None:
            parts.append(str(self.pattern))
        if self.report:
            parts.append(f'"{self.report}"')
        if self.steps:
            parts.append(f"at {', '.join(map(str, self.steps))}")
        if self.times != _default_times(self.kind, bool(self.steps), self.chance != 1):
            words = {times: word for word, times in _TIMES.items()}
            parts.append(words.get(self.times, f"{self.times} times"))
        return " ".join(parts)


def _default_times(kind: str, has_steps: bool, has_chance: bool) -> int | None:
    return None if kind == "refuse" or has_steps or has_chance else 1


@dataclass(frozen=True)
class FaultFact:
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
class WorldChange:
    """A change of the world just before or after an action.

    ``step`` is the action's number; ``after`` is true for a change after it. If ``undone`` is not empty, all its atoms
    must be true for the change to happen, and become false. ``facts`` become true.
    """

    step: int
    after: bool
    facts: tuple[FaultFact, ...]
    undone: tuple[FaultFact, ...] = ()

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
    changes: tuple[WorldChange, ...] = ()
    seed: int | None = None
    source: Source = field(default=Source("<faults>", ""), compare=False, repr=False)

    @property
    def text(self) -> str:
        """The faults as a specification, its statements separated by ``;``; it parses to equal faults."""
        seed = () if self.seed is None else (f"seed {self.seed}",)
        return "; ".join((*map(str, self.failures), *map(str, self.changes), *seed))

    def __str__(self) -> str:
        return self.text


def _number_text(value: Fraction) -> str:
    """A number as a specification writes it; a third is ``1/3``."""
    text = write_number(value)
    return f"{value.numerator}/{value.denominator}" if text.startswith("(") else text


def _error(source: Source, offset: int, message: str, suggestion: str = "", expected: str = "") -> InputError:
    return InputError(Diagnostic.at(source, offset, message, suggestion=suggestion, expected=expected).render())


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def parse_faults(text: str, name: str = "faults") -> Faults:
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
    if "\n" in text_or_path or len(text_or_path) > _LONGEST_PATH or _BEGINS.match(text_or_path):
        return parse_faults(text_or_path)
    try:
        text = read_text(text_or_path, "file with faults")
    except InputError as error:
        if re.search(r"[()%;]|->", text_or_path):
            return parse_faults(text_or_path)
        raise InputError(
            f"faults {error}; expected faults or a file with some, such as 'fail (pick-up egg-1)', "
            "'move (inside egg-1 fridge-1) -> (on egg-1 table-1) before 5', 'initially (dirty pan-1)'"
        ) from error
    return parse_faults(text, text_or_path)


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class _Parser:
    """A recursive-descent parser for one specification."""

    def __init__(self, source: Source):
        self._source = source
        self._tokens = [
            _Token(match.lastgroup or "", match[0] if match.lastgroup == "quoted" else match[0].lower(), match.start())
            for match in _TOKEN.finditer(source.text)
            if match.lastgroup not in ("blank", "remark")
        ]
        # End tokens, so that there always is a next token, and one after it.
        self._tokens += [_Token("end", "", len(source.text))] * 2
        self._place = 0

    def faults(self) -> Faults:
        """The faults.

        Raises:
            InputError: a syntax error; the message shows the position.
        """
        failures: list[Failure] = []
        changes: list[WorldChange] = []
        seed: int | None = None
        while self._place < len(self._tokens) - 1:
            if self._next.kind == "end":
                self._place += 1
                continue
            expected = f"{', '.join(_STATEMENTS[:-1])} or {_STATEMENTS[-1]}"
            word = self._take("word", f"a statement: {expected}")
            if word.text in ("fail", "refuse", "break"):
                failures.append(self._failure(cast(Literal["fail", "refuse", "break"], word.text)))
            elif word.text == "move":
                changes.append(self._move())
            elif word.text == "set":
                facts = self._facts("a fact, (dirty pan-1)")
                changes.append(WorldChange(*self._moment(), facts))
            elif word.text == "initially":
                changes.append(WorldChange(1, False, self._facts("a fact, (dirty pan-1)")))
            elif word.text == "seed":
                seed = self._count("a number", least=0)
            else:
                self._refuse(word, f"'{word.text}' begins no statement", expected, near_name(word.text, _STATEMENTS))
            self._take("end", "';' or the end of the line")
        return Faults(tuple(failures), tuple(changes), seed, self._source)

    # ── statements ───────────────────────────────────────────────────────────────────────────────

    def _failure(self, kind: Literal["fail", "refuse", "break"]) -> Failure:
        chance = self._percent()
        pattern = None
        if self._next.text == "(":
            begin = self._next
            pattern = Pattern(tuple(token.text for token in self._names()), self._span_from(begin))
        report = self._report() if kind == "refuse" else ""
        steps: list[int] = []
        if self._skip("at"):
            self._skip("step")
            steps.append(self._count(_COUNT))
            while self._skip(","):
                steps.append(self._count(_COUNT))
        if chance is None and pattern is None and not steps:
            self._refuse(self._next, "which action?", "(pick-up egg-1), 10%, or at 7")
        times = _default_times(kind, bool(steps), chance is not None)
        if self._next.text in _TIMES:
            times = _TIMES[self._take("word", "").text]
        elif self._next.kind == "word":
            times = self._count("once, twice, 3 times, always, or at 7")
            if not self._skip("times"):
                self._refuse(self._next, "a number of what?", "times, as in '3 times'; a step is 'at 3'")
        probability = Fraction(1) if chance is None else chance
        return Failure(pattern, tuple(dict.fromkeys(steps)), times, probability, kind, report)

    def _report(self) -> str:
        token = self._take("quoted", 'what the world reports, "the egg is stuck"')
        report = " ".join(token.text[1:-1].split())
        if not report:
            self._refuse(token, "an empty report", '"the egg is stuck"')
        return report

    def _percent(self) -> Fraction | None:
        token = self._next
        if token.kind != "word" or not token.text.endswith("%"):
            return None
        self._place += 1
        value = Fraction(token.text[:-1]) if _NUMBER.fullmatch(token.text[:-1]) else Fraction(-1)
        if not 0 <= value <= 100:
            self._refuse(token, f"'{token.text}' is no probability", "a number from 0% to 100%")
        return value / 100

    def _move(self) -> WorldChange:
        name = None
        if self._next.kind == "word" and self._after_next.text == ":":
            name = self._next
            self._place += 2
        undone = self._facts("what no longer holds, (inside egg-1 fridge-1)")
        for fact in undone:
            if not fact.positive or fact.value is not None:
                raise _error(self._source, fact.span.start, "what moves is an atom", "", "(inside egg-1 fridge-1)")
        if not (self._skip("->") or self._skip("to")):
            self._refuse(self._next, "whereto?", "'->' and what holds then, (on egg-1 table-1)")
        facts = self._facts("what holds then, (on egg-1 table-1)")
        if name is not None and not any(name.text in fact.atom[1:] for fact in (*undone, *facts)):
            self._refuse(name, f"'{name.text}' stands in none of these facts", "the object that moves")
        step, after = self._moment()
        return WorldChange(step, after, facts, undone)

    def _moment(self) -> tuple[int, bool]:
        word = self._next.text
        if not (self._skip("before") or self._skip("after")):
            self._refuse(self._next, "when?", f"before 5, or after 5 ({_COUNT})")
        self._skip("step")
        return self._count(_COUNT), word == "after"

    # ── facts ────────────────────────────────────────────────────────────────────────────────────

    def _facts(self, expected: str) -> tuple[FaultFact, ...]:
        if self._next.text != "(":
            self._refuse(self._next, f"found {_shown(self._next)}", expected)
        facts: list[FaultFact] = []
        while self._next.text == "(":
            facts.append(self._fact())
        return tuple(facts)

    def _fact(self) -> FaultFact:
        begin, kind = self._next, self._after_next.text
        value = None
        if kind in ("not", "="):
            self._place += 2
        atom = self._atom()
        if kind == "=":
            number = self._take("word", "a number")
            if not _NUMBER.fullmatch(number.text):
                self._refuse(number, f"'{number.text}' is no number", "a number, such as 3 or 2.5")
            numerator, _, denominator = number.text.partition("/")
            value = Fraction(numerator) / Fraction(denominator or 1)
        if kind in ("not", "="):
            self._close()
        return FaultFact(atom, kind != "not", value, self._span_from(begin))

    def _atom(self) -> GroundAtom:
        names = self._names()
        for token in names:
            if "*" in token.text:
                self._refuse(token, f"'{token.text}': a fact is about certain objects", "a name without '*'")
        return GroundAtom(token.text for token in names)

    def _names(self) -> list[_Token]:
        if not self._skip("("):
            self._refuse(self._next, f"found {_shown(self._next)}", "'(' and names")
        names = [self._take("word", "a name")]
        while self._next.kind == "word":
            names.append(self._take("word", ""))
        self._close()
        return names

    def _close(self) -> None:
        if not self._skip(")"):
            self._refuse(self._next, f"found {_shown(self._next)}", "')'")

    # ── tokens ───────────────────────────────────────────────────────────────────────────────────

    @property
    def _next(self) -> _Token:
        return self._tokens[min(self._place, len(self._tokens) - 1)]

    @property
    def _after_next(self) -> _Token:
        return self._tokens[min(self._place + 1, len(self._tokens) - 1)]

    def _span_from(self, first: _Token) -> Span:
        return Span(first.start, self._tokens[self._place - 1].start + 1)

    def _take(self, kind: str, expected: str) -> _Token:
        token = self._next
        if token.kind != kind:
            self._refuse(token, f"found {_shown(token)}", expected)
        self._place += 1
        return token

    def _skip(self, text: str) -> bool:
        """Takes the next token if it is that text."""
        found = self._next.text == text
        self._place += found
        return found

    def _count(self, expected: str, least: int = 1) -> int:
        token = self._take("word", expected)
        if not re.fullmatch(r"[0-9]{1,7}", token.text) or not least <= int(token.text) <= _MOST:
            self._refuse(token, f"'{token.text}' is no such number", expected)
        return int(token.text)

    def _refuse(self, token: _Token, message: str, expected: str, suggestion: str = "") -> NoReturn:
        raise _error(self._source, token.start, message, suggestion, expected)


def _shown(token: _Token) -> str:
    return f"'{token.text}'" if token.text.strip() else "the end of the line"


# ── against a task ───────────────────────────────────────────────────────────────────────────────


def check_faults(faults: Faults, task: Task) -> None:
    """Checks that faults name actions, predicates and objects of a task, and facts that actions change.

    Raises:
        InputError: they do not; the message shows the position and suggests the nearest name.
    """
    for failure in faults.failures:
        if failure.pattern is not None:
            _check_pattern(faults.source, failure.pattern, task)
    for change in faults.changes:
        for fact in (*change.undone, *change.facts):
            _check_fact(faults.source, fact, task)


def _check_pattern(source: Source, pattern: Pattern, task: Task) -> None:
    name, *args = pattern.parts
    at = pattern.span.start
    schemas = [schema for schema in task.domain.actions if Pattern((name,)).matches(GroundAction(schema.name))]
    if not schemas:
        names = [schema.name for schema in task.domain.actions]
        expected = f"one of {', '.join(names)}"
        raise _error(source, at, f"the domain has no action '{name}'", near_name(name, names), expected)
    for arg in args:
        if "*" not in arg and arg not in task.objects:
            raise _error(source, at, f"'{arg}' is no object of the task", near_name(arg, task.objects))
    counts = [len(schema.parameters) for schema in schemas]
    fits = max(counts) >= len(args) - 1 if args and args[-1] == "*" else name == "*" or len(args) in counts
    if not fits:
        message = f"'{schemas[0].name}' takes {counts[0]} argument{'' if counts[0] == 1 else 's'}, found {len(args)}"
        raise _error(source, at, message, expected=f"({name} *) for any arguments")


def _check_fact(source: Source, fact: FaultFact, task: Task) -> None:
    name, at, numeric = fact.atom.predicate, fact.span.start, fact.value is not None
    bad = why_bad_atom(task, fact.atom, numeric=numeric)
    if bad is not None:
        raise _error(source, at, bad.reason, bad.suggestion)
    if not numeric and name in {item.name for item in task.domain.derived}:
        raise _error(source, at, f"'{name}' follows from other facts by a rule; set those")
    if not numeric and name not in changed_predicates(task.domain):
        raise _error(source, at, f"no action changes '{name}', so it is the same in every state of this task")
