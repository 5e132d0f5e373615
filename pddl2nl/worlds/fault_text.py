"""Reads specifications of faults (`pddl2nl.worlds.faults` has the language)::

    SPEC      := [STATEMENT] { (";" | line break) [STATEMENT] }                "#" begins a remark
    STATEMENT := "fail" [NUMBER "%"] [PATTERN] ["at" ["step"] N { "," N }] ["once" | "twice" | N "times" | "always"]
               | "move" [NAME ":"] ATOM { ATOM } ("->" | "to") FACT { FACT } MOMENT
               | "set" FACT { FACT } MOMENT
               | "initially" FACT { FACT }
               | "seed" N
    MOMENT    := ("before" | "after") ["step"] N
    PATTERN   := "(" name { name } ")"                                          with "*" in the names
    FACT      := ATOM | "(" "not" ATOM ")" | "(" "=" ATOM NUMBER ")"
    ATOM      := "(" name { name } ")"

Letter case does not matter, as in PDDL.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple, NoReturn

from pddl2nl.pddl import GroundAtom, Source, Span
from pddl2nl.worlds.faults import Change, Fact, Failure, Faults, Pattern

__all__ = ["FaultParser", "is_specification"]

_TOKEN = re.compile(
    r"(?P<remark>#[^\n]*)|(?P<blank>[^\S\n]+)|(?P<end>[;\n])|(?P<mark>->|→|[(),:])|(?P<word>(?:(?!->)[^\s();,:#→])+)"
)
_STATEMENTS = ("fail", "move", "set", "initially", "seed")
_BEGINS = re.compile(rf"\s*(?:#|;|(?:{'|'.join(_STATEMENTS)})(?:[\s(;:]|\Z)|\Z)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,30}(?:\.\d{1,30})?(?:/\d{1,30})?")
_TIMES = {"once": 1, "twice": 2, "always": None}
_MOST = 1_000_000


def is_specification(text: str) -> bool:
    """Whether a text begins as a specification does, and so is no file's name."""
    return "\n" in text or _BEGINS.match(text) is not None


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class FaultParser:
    """Reads one specification.

    Args:
        source: its text.
    """

    def __init__(self, source: Source):
        self._source = source
        self._context = Faults(source=source)
        self._tokens = [
            _Token(match.lastgroup or "", match[0].lower(), match.start())
            for match in _TOKEN.finditer(source.text)
            if match.lastgroup not in ("blank", "remark")
        ]
        # Behind the end stands an end, so that there is always a next one.
        self._tokens.append(_Token("end", "", len(source.text)))
        self._place = 0

    def faults(self) -> Faults:
        """The faults.

        Raises:
            InputError: the text is no specification; the message shows the place.
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
                    from pddlval.actions import near_name

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
        """Takes a word if it comes next."""
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
