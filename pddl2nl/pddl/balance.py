"""Finds the parentheses that are missing or too many, and balances the text so that reading can go on.

A missing parenthesis shows only at the end of the file. But sections, ``(:init …)``, are
directly in ``(define …)``, and ``:effect`` directly in an action: where one begins deeper than that, something
before it was not closed; where one begins less deep, something was closed too early.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pddl2nl.pddl.build_formulas import CONNECTIVES, MODALS, OPERATORS, UPDATES
from pddl2nl.pddl.diagnostics import Log
from pddl2nl.pddl.nesting import MAX_DEPTH

_SECTIONS = (
    "domain|problem|requirements|types|constants|predicates|functions|constraints|action|durative-action|derived"
    "|process|event|objects|init|goal|metric|length"
)
_KEYS = "parameters|precondition|condition|effect|duration"
_EVENT = re.compile(rf"\(\s*:(?P<section>{_SECTIONS})(?![^\s()])|(?<=[\s)]):(?P<key>{_KEYS})(?![^\s()])|[()]")
_SCHEMA = re.compile(r"\(\s*:(?:action|durative-action|process|event)\b")
_DECLARES = re.compile(r"\(\s*:(?:domain|types|constants|predicates|functions|objects)\b")
_DEFINE = re.compile(r"\s*\(\s*define\b")
_HOLDER = re.compile(r"\(\s*([^\s():?][^\s()]*)\s*([^()]*)(?=\(\s*(?!either\b))")
_HOLD_LISTS = CONNECTIVES.union(UPDATES, MODALS, OPERATORS, ("define", "over"))
_TIME = re.compile(r"start|end|[-+.\d]+")


@dataclass(frozen=True)
class Balanced:
    """A text with matching parentheses, every offset unchanged; ``garbled`` if declarations may be lost."""

    text: str
    garbled: bool


@dataclass
class _Work:
    text: str
    log: Log
    stack: list[int] = field(default_factory=list)
    edits: dict[int, str] = field(default_factory=dict)
    garbled: bool = False
    unreadable: bool = False
    section: int = 0
    section_end: int = -1
    ended: bool = False
    content_end: int = 0


def balance(text: str, log: Log) -> Balanced | None:
    """Reports wrong parentheses, and returns a text that can be read; None if it cannot."""
    # Only blanks and closing parentheses follow.
    work = _Work(text, log, content_end=len(text.rstrip(" \t\r\n\f\v)")))
    for event in _EVENT.finditer(text):
        if log.full:
            # Each of these errors costs a search of the text.
            return None
        if event["key"]:
            _key(work, event)
        elif event[0] != ")":
            if event["section"]:
                if len(work.stack) > 1:
                    _unclosed(work, 1, event.start(), event[0])
                if work.stack:
                    work.section = event.start()
            work.stack.append(event.start())
        else:
            _close(work, event.start())
    missing = len(work.stack)
    if missing:
        _at_end(work)
    if work.unreadable or missing > MAX_DEPTH:
        return None
    return Balanced(_edited(text, work.edits) + ")" * missing, work.garbled)


def _edited(text: str, edits: dict[int, str]) -> str:
    pieces: list[str] = []
    done = 0
    for offset in sorted(edits):
        pieces += (text[done:offset], edits[offset])
        done = offset + 1
    pieces.append(text[done:])
    return "".join(pieces)


def _key(work: _Work, event: re.Match[str]) -> None:
    stack = work.stack
    if len(stack) > 2 and _SCHEMA.match(work.text, stack[1]):
        _unclosed(work, 2, event.start(), event[0])
    elif len(stack) == 1 and work.section_end >= 0 and _SCHEMA.match(work.text, work.section):
        line = work.log.source.position(work.section).line
        message = f"one ')' too many: it closes the action that began on line {line}, and '{event[0]}' follows"
        work.log.error(work.section_end, message, expected=f"'{event[0]}' inside of the action")
        work.edits[work.section_end] = " "
        stack.append(work.section)


def _unclosed(work: _Work, keep: int, here: int, what: str) -> None:
    """Reports the open lists deeper than ``keep`` where something begins that belongs at that depth."""
    stack, text = work.stack, work.text
    first = stack[keep] if keep < len(stack) else stack[-1]
    blamed = _culprit(text, first, here)
    if blamed is None:
        blamed = stack[-1]
    _blame(work, blamed, f"before '{' '.join(what.split())}' on line {work.log.source.position(here).line}")
    missing = len(stack) - keep
    blanks = here - len(text[:here].rstrip()) if missing < 100 else 0
    if blanks < missing:
        work.unreadable = True
    else:
        work.edits.update((here - 1 - index, ")") for index in range(missing))
    work.log.mute(first, here)
    work.garbled = work.garbled or _DECLARES.match(text, first) is not None
    del stack[keep:]


def _blame(work: _Work, start: int, where: str) -> None:
    words = work.text[start + 1 : start + 60].replace("(", " ").replace(")", " ").split()
    name = f"'({words[0]} …'" if words else "'('"
    work.log.error(start, f"{name} is not closed {where}", expected=f"a ')' {where}")


def _culprit(text: str, start: int, end: int) -> int | None:
    """The first list that contains another though no list of its name may: a ')' is missing there."""
    for match in _HOLDER.finditer(text, start, end):
        head, rest = match[1], match[2].split()
        timed = head == "at" and rest and _TIME.fullmatch(rest[0])
        if head not in _HOLD_LISTS and not timed:
            return match.start()
    return None


def _close(work: _Work, offset: int) -> None:
    stack = work.stack
    if len(stack) > 1:
        stack.pop()
        if len(stack) == 1:
            work.section_end = offset
        return
    line = work.log.source.position(stack[0]).line if stack else 0
    more = offset < work.content_end and not _DEFINE.match(work.text, offset + 1)
    if stack and not more:
        stack.pop()
        return
    work.edits[offset] = " "
    if stack:
        message = f"one ')' too many: it closes the '(define' of line {line}, and more follows"
        work.log.error(offset, message, expected="nothing behind the end of (define …)")
    elif not work.ended:
        work.ended = True
        work.log.error(offset, "one ')' too many: it closes nothing", expected="the end of the file")


def _at_end(work: _Work) -> None:
    stack, text = work.stack, work.text
    blamed = _culprit(text, stack[1] if len(stack) > 1 else work.section, len(text))
    _blame(work, stack[-1] if blamed is None else blamed, "before the file ends")
    if blamed is not None:
        work.log.mute(blamed, len(text))
