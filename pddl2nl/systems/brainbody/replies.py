"""Reads what the models say: plans with numbered steps, and lines of program.

Whatever cannot be read is kept and named: lines of a plan that do not count are *dropped* ones, and a line of program
that is no command is *unreadable*, with the reason in words for the planning model.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pddl2nl.errors import did_you_mean
from pddl2nl.nl import Names
from pddl2nl.pddl import Domain, GroundAtom
from pddl2nl.policies.staged import shortened
from pddl2nl.systems.brainbody.primitives import Command, Robot
from pddl2nl.worlds.triples import atom_of

MAX_STEPS = 60
"""The most steps that one reply can add to a plan; our limit, so that every run ends."""
_LONGEST_STEP, _LONGEST_REPLY = 300, 100_000

_NUMBERED = re.compile(r"(?:step\s+)?(\d{1,6})\s*(?:[.:)\]]|[-–]\s)\s*(.*\S)", re.IGNORECASE)
_BULLET = re.compile(r"[-*•–·]\s+(.*\S)")
_MARK = re.compile(r"^[^\w\n]*(?:new|updated|revised)\s+plan[^\w\n]*$", re.IGNORECASE | re.MULTILINE)
_EXPLANATION = re.compile(r"^\W*explanation\W+", re.IGNORECASE)
_DONE = re.compile(r"\W*(?:the task is )?(?:done|finished|complete|completed|end)\W*", re.IGNORECASE)


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


class PlanReply(NamedTuple):
    """A plan as it was read: the new steps, the explanation before it, and the lines that do not count."""

    steps: tuple[str, ...]
    explanation: str
    dropped: tuple[str, ...]


def is_done(step: str) -> bool:
    """Whether a step says that the plan ends."""
    return _DONE.fullmatch(step) is not None


def read_plan_reply(reply: str, start: int = 0) -> PlanReply:
    """The steps of a plan: lines with numbers, else lines with bullets, or a list in JSON.

    Args:
        reply: the text; what is not part of the plan is ignored, and what comes before it is the explanation.
        start: the number of the first step; lines with a smaller number are dropped, as are lines beyond `MAX_STEPS`.
    """
    text = reply[:_LONGEST_REPLY]
    mark = _MARK.search(text)
    body = text if mark is None else text[mark.end() :]
    lines = _json_lines(body) or [(number, step) for _, number, step in _lines(body)]
    first = mark.start() if mark is not None else next((place for place, _, _ in _lines(body)), len(text))
    kept = [step for number, step in lines if number is None or number >= start]
    dropped = [f"{number}: {step}" for number, step in lines if number is not None and number < start]
    shown = [shortened(step, _LONGEST_STEP) for step in (*kept[:MAX_STEPS], *dropped, *kept[MAX_STEPS:])]
    count = min(len(kept), MAX_STEPS)
    explanation = _EXPLANATION.sub("", text[:first].strip())
    return PlanReply(tuple(shown[:count]), " ".join(explanation.split()), tuple(shown[count:]))


def _lines(text: str) -> list[tuple[int, int | None, str]]:
    """The lines of a plan: where each begins, its number, and its words."""
    numbered: list[tuple[int, int | None, str]] = []
    bullets: list[tuple[int, int | None, str]] = []
    place = 0
    for line in text.splitlines(keepends=True):
        plain = line.replace("**", "").strip()
        bullet = _BULLET.fullmatch(plain)
        if match := _NUMBERED.fullmatch(plain if bullet is None else bullet[1]):
            numbered.append((place, int(match[1]), match[2]))
        elif bullet is not None:
            bullets.append((place, None, bullet[1]))
        place += len(line)
    return numbered or bullets


def _json_lines(text: str) -> list[tuple[int | None, str]]:
    """The steps of a plan in JSON: a list of texts or objects, an object with such a list, or one with numbers."""
    begin = min((place for mark in "[{" if (place := text.find(mark)) >= 0), default=len(text))
    end = max(map(text.rfind, "]}")) + 1
    try:
        data = json.loads(text[begin:end])
    except (ValueError, RecursionError):
        return []
    if isinstance(data, dict):
        numbers = {int(key): step for key, step in data.items() if re.fullmatch(r"\d{1,6}", key)}
        if numbers:
            return [(number, step) for number, step in sorted(numbers.items()) if isinstance(step, str)]
        data = next((value for value in data.values() if isinstance(value, list)), [])
    if not isinstance(data, list):
        return []
    texts = (
        next((value for value in step.values() if isinstance(value, str)), None) if isinstance(step, dict) else step
        for step in data
    )
    return [(None, step) for step in texts if isinstance(step, str) and step.strip()]


# ── lines of program ─────────────────────────────────────────────────────────────────────────────

_BRACKETS = str.maketrans("〈⟨‹«〉⟩›»【〔】〕", "<<<<>>>>[[]]")
_PASS = re.compile(r"[<\[]\s*pass\s*[>\]]|\bpass\W*$", re.IGNORECASE)
_PROGRAM = re.compile(
    r"(?:<\s*(?P<agent>(?:char|rob)\w*)\s*>\s*)?\[(?P<word>[^\[\]<>]{1,80})\](?P<rest>(?:[\s,]*<[^<>]*>\s*(?:\(\s*\d+\s*\))?)*)"
)
_OBJECT = re.compile(r"<([^<>]*)>\s*(?:\(\s*(\d+)\s*\))?")
_ASSERT = re.compile(
    r"assert\b\W*?(?P<negated>not\b)?\s*\(?\s*(?P<fact>\([^()]*\))\s*\)?\s*,?\s*else\b\s*:?(?P<other>.*)", re.IGNORECASE
)


class Assertion(NamedTuple):
    """A condition of a program: an atom, and whether it shall be true."""

    atom: GroundAtom
    true: bool


@dataclass(frozen=True)
class ProgramLine:
    """One line of program.

    Attributes:
        text: as it was said.
        result: ``action``, ``pass`` or ``unreadable``.
        command: of an action; None for a command without effect.
        reason: why it cannot be read.
        unless: it is carried out only if this does not hold.
    """

    text: str
    result: Literal["action", "pass", "unreadable"]
    command: Command | None = None
    reason: str = ""
    unless: Assertion | None = None


class ProgramReader:
    """Reads lines of program, ``<char0> [grab] <salmon> (305)``.

    Case, blanks, hyphens and underscores in names do not matter, nor does the kind of brackets. Numbers in parentheses
    are part of a name if there is such an object, and otherwise ignored.
    """

    def __init__(self, robot: Robot, domain: Domain, names: Names):
        self._robot = robot
        self._domain = domain
        self._names = {_folded(told): name for told, name in (*names.aliases.items(), *names.to_pddl.items())}
        self._told = names.to_pddl
        self._words = {_folded(word): word for word in robot.words}

    def read(self, reply: str) -> ProgramLine:
        """The first line of program in a reply; a reply without one is unreadable."""
        for line in _program_lines(reply):
            if (assertion := _ASSERT.search(line)) is not None:
                return self._assertion(line, assertion)
            program, passed = _PROGRAM.search(line), _PASS.search(line)
            if passed is not None:
                return ProgramLine(line, "pass")
            if program is not None:
                return self._program(line, program)
        text = shortened(reply, _LONGEST_STEP)
        return ProgramLine(text, "unreadable", reason="there is no line of program, such as <char0> [action] <object>.")

    def _program(self, line: str, match: re.Match[str]) -> ProgramLine:
        def unreadable(reason: str) -> ProgramLine:
            return ProgramLine(line, "unreadable", reason=reason)

        if match["agent"] and match["agent"].casefold() not in ("char0", "rob0"):
            return unreadable(f"there is no <{match['agent']}>; the robot is <char0>.")
        said = match["word"].strip()
        word = self._words.get(_folded(said))
        if word is None:
            return unreadable(f'there is no action called "{said}"{did_you_mean(said, self._robot.words, ".")}')
        primitive = self._robot.primitive(word)
        if primitive is None:
            return ProgramLine(line, "action")
        args: list[str] = []
        for name, number in _OBJECT.findall(match["rest"]):
            pddl = self._names.get(_folded(name + number)) or self._names.get(_folded(name))
            if pddl is None:
                return unreadable(f'there is no object called "{name}"{did_you_mean(name, self._told, ".")}')
            args.append(pddl)
        if len(args) != len(primitive.slots):
            return unreadable(f"{primitive} names {len(primitive.slots)} objects, and {len(args)} are given.")
        return ProgramLine(line, "action", Command(primitive, tuple(args)))

    def _assertion(self, line: str, match: re.Match[str]) -> ProgramLine:
        atom = atom_of(match["fact"], self._told)
        predicate = None if atom is None else self._domain.predicate(atom[0])
        if atom is None or predicate is None or len(predicate.parameters) != len(atom) - 1:
            return ProgramLine(line, "unreadable", reason=f"there is no condition {match['fact']}.")
        if atom[0] in self._robot.hidden:
            return ProgramLine(line, "unreadable", reason=f"the condition {match['fact']} cannot be checked.")
        other = self.read(match["other"])
        return ProgramLine(line, other.result, other.command, other.reason, Assertion(atom, not match["negated"]))


def _program_lines(reply: str) -> Iterator[str]:
    """The lines of a reply that can hold a program, with plain brackets."""
    text = unicodedata.normalize("NFKC", reply[:_LONGEST_REPLY]).translate(_BRACKETS)
    for line in text.splitlines():
        if line.strip() and not _EXPLANATION.match(line):
            yield shortened(line, _LONGEST_STEP)


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())
