"""Reads what the models say: plans with numbered steps, and lines of program.

No step is lost. A new plan may give the steps from the failed one on, under any numbers, or the whole plan once more;
lines of it that do not count are *dropped* ones, and the planning model is told. A line of program that is no
command is *unreadable*, with the reason in words for the planning model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rapidfuzz import fuzz

from pddl2nl.errors import did_you_mean
from pddl2nl.nl import Teller
from pddl2nl.nl.reading.told import FactReader, objects_of
from pddl2nl.pddl import Atom, GroundAtom, Not
from pddl2nl.policies.prompts import shortened
from pddl2nl.policies.structured import MOST_READ, read_json
from pddl2nl.systems.brainbody.primitives import Command, Robot

MAX_STEPS = 60
"""The most steps that one reply can add to a plan; our limit, so that every run ends."""
LONGEST_STEP = 300
_ALIKE = 85
"""From this share of equal letters on, in %, a step is one of the old plan in other words."""

_NUMBERED = re.compile(r"(?:step\s+|#)?[(\[]?(\d{1,6})\s*(?:\\?[.:)\]]|[-–]\s)\s*(.*\S)", re.IGNORECASE)
_NEXT_NUMBER = re.compile(r"[\s,;.]+(?:step\s+)?(\d{1,6})\s*[.:)]\s+(?=\S)", re.IGNORECASE)
_BULLET = re.compile(r"[-*•–·]\s+(.*\S)")
# "New plan:" on a line of its own, or at the end of a sentence; its first step may follow on the same line.
_MARK = re.compile(
    r"(?:^|(?<=[.!?]\s))[^\w\n]*(?:(?:here is|this is)\s+)?(?:(?:the|my|a)\s+)?"
    r"(?:new|updated|revised|corrected)\s+plan\b[^\w\n]*(?:$|(?=(?:step\s+)?\d{1,6}\s*[.:)\]]))",
    re.IGNORECASE | re.MULTILINE,
)
_EXPLANATION = re.compile(r"^\W*explanation\W+", re.IGNORECASE)
_DONE = re.compile(r"\W*(?:the task is )?(?:done|finished|complete|completed|end)\W*", re.IGNORECASE)


class PlanReply(NamedTuple):
    """A plan as it was read: the new steps, the explanation before it, and the lines that do not count.

    These are ``repeated`` ones, of steps that were executed, and those ``beyond`` the longest plan.
    """

    steps: tuple[str, ...]
    explanation: str
    repeated: tuple[str, ...] = ()
    beyond: tuple[str, ...] = ()


def is_done(step: str) -> bool:
    return _DONE.fullmatch(step) is not None


def read_plan_reply(reply: str, executed: Sequence[str] = ()) -> PlanReply:
    """The steps of a plan: a list in JSON, lines with numbers, or lines with bullets; before it is the explanation.

    The numbers do not decide which lines are new, because many models number a new plan from 0 or 1. Lines are dropped
    if they repeat the steps that were executed before the failed one, all of them from the first number on, as are
    lines beyond `MAX_STEPS`.
    """
    text = reply[:MOST_READ]
    mark = _MARK.search(text)
    body = text if mark is None else text[mark.end() :]
    lines = [(number, step) for _, number, step in _lines(body)]
    lines = _json_lines(body) or lines
    first = mark.start() if mark is not None else next((place for place, _, _ in _lines(body)), len(text))
    again = _repeated(lines, executed)
    repeated = (step if number is None else f"{number}: {step}" for number, step in lines[:again])
    steps = tuple(shortened(step, LONGEST_STEP) for _, step in lines[again:])
    explanation = " ".join(_EXPLANATION.sub("", text[:first].strip()).split())
    told = tuple(shortened(step, LONGEST_STEP) for step in repeated)
    return PlanReply(steps[:MAX_STEPS], explanation, told, steps[MAX_STEPS:])


def _repeated(lines: Sequence[tuple[int | None, str]], executed: Sequence[str]) -> int:
    """How many of the first lines repeat the executed steps: those from some step on to the last, or none."""
    number = lines[0][0] if lines else None
    # From the failed step on, as asked for; otherwise from 0 or from 1.
    begins = [] if number == len(executed) else [0] if number is None else [number, number - 1]
    for begin in begins:
        count = len(executed) - begin
        told = [step for _, step in lines[:count]] if begin >= 0 else []
        same = zip(told, executed[max(begin, 0) :], strict=False)
        if 0 < count == len(told) and all(fuzz.ratio(_folded(one), _folded(other)) >= _ALIKE for one, other in same):
            return count
    return 0


def _lines(text: str) -> list[tuple[int, int | None, str]]:
    """The lines of a plan: where each begins, its number, and its words."""
    numbered: list[tuple[int, int | None, str]] = []
    bullets: list[tuple[int, int | None, str]] = []
    place = 0
    for line in text.splitlines(keepends=True):
        plain = line.replace("**", "").replace("`", "").strip()
        bullet = _BULLET.fullmatch(plain)
        if match := _NUMBERED.fullmatch(plain if bullet is None else bullet[1]):
            numbered.extend((place, number, step) for number, step in _cut(int(match[1]), match[2]))
        elif bullet is not None:
            bullets.append((place, None, bullet[1]))
        place += len(line)
    return numbered or bullets


def _cut(number: int, text: str) -> Iterator[tuple[int, str]]:
    """The steps of a line, ``Open it 4: Close it``: cut where the next number stands."""
    start = 0
    for match in _NEXT_NUMBER.finditer(text):
        if int(match[1]) == number + 1:
            yield number, text[start : match.start()]
            number, start = number + 1, match.end()
    yield number, text[start:]


def _json_lines(text: str) -> list[tuple[int | None, str]]:
    """The steps of a plan in JSON: a list of texts or objects, an object with such a list, or one with numbers."""
    data = read_json(text, (dict, list))
    if isinstance(data, dict):
        numbers = {int(key): step for key, step in data.items() if re.fullmatch(r"\d{1,6}", str(key))}
        if numbers:
            return [(number, step) for number, step in sorted(numbers.items()) if isinstance(step, str)]
        data = next((value for value in data.values() if isinstance(value, list)), [])
    if not isinstance(data, list):
        return []
    texts = (
        next((value for value in step.values() if isinstance(value, str)), None) if isinstance(step, dict) else step
        for step in data
    )
    found: list[tuple[int | None, str]] = []
    for step in texts:
        if isinstance(step, str) and step.strip():
            match = _NUMBERED.fullmatch(step.strip())
            found.append((None, step) if match is None else (int(match[1]), match[2]))
    return found


_BRACKETS = str.maketrans("〈⟨‹«〉⟩›»【〔】〕", "<<<<>>>>[[]]")
_PASS = re.compile(r"[<\[]\s*pass\s*[>\]]|\bpass\W*$", re.IGNORECASE)
# What stands behind these words is what the line is not.
_NOT_THIS = re.compile(
    r"\b(?:instead of|rather than|not|never|without)(?:\s+(?:a|the|to|write|writing|output|using))*\W*$", re.I
)
_PROGRAM = re.compile(
    r"(?:<\s*(?P<agent>(?:char|rob)\w*)\s*>\s*)?\[(?P<word>[^\[\]<>]{1,80})\](?P<rest>(?:[\s,]*<[^<>]*>\s*(?:\(\s*\d+\s*\))?)*)"
)
_OBJECT = re.compile(r"<([^<>]*)>\s*(?:\(\s*(\d+)\s*\))?")
_ASSERT = re.compile(r"\bassert\b[\s:(]*(?:that\s+)?(?P<fact>.*?\S)[\s).,;]*\belse\b\s*:?(?P<other>.*)", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:the|an?)\s+", re.IGNORECASE)


class Assertion(NamedTuple):
    """A condition of a program: an atom, and whether it shall be true."""

    atom: GroundAtom
    true: bool


@dataclass(frozen=True)
class ProgramLine:
    """One line of program as it was said: an action, a pass, or unreadable for a reason.

    The command is None for one without effect; it is carried out only if `unless` does not hold.
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

    def __init__(self, robot: Robot, teller: Teller):
        names = teller.names
        self._robot = robot
        self._facts = FactReader(teller.task.domain, teller.wording)
        self._objects = objects_of(teller.task, names)
        self._names = {_folded(told): name for told, name in (*names.aliases.items(), *names.to_pddl.items())}
        self._told = names.to_pddl
        self._words = {_folded(word): word for word in robot.words}

    def read(self, reply: str) -> ProgramLine:
        """The first line of program in a reply; a reply without one is unreadable."""
        for line in _program_lines(reply):
            if (assertion := _ASSERT.search(line)) is not None:
                return self._assertion(line, assertion)
            said = [match for kind in (_PASS, _PROGRAM) for match in kind.finditer(line)]
            meant = [match for match in said if not _NOT_THIS.search(line[: match.start()])]
            # The sort is stable: [pass] is a pass and no program.
            for match in sorted(meant, key=lambda match: match.start())[:1]:
                return ProgramLine(line, "pass") if match.re is _PASS else self._program(line, match)
        text = shortened(reply, LONGEST_STEP)
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
        said = match["fact"].strip("\"'` ")
        texts = (said, said[:1].lower() + said[1:], _ARTICLE.sub("", said), f"the {_ARTICLE.sub('', said)}")
        facts = next(filter(None, (self._facts.facts(text, self._objects) for text in texts)), None)
        if not facts:
            return ProgramLine(line, "unreadable", reason=f'there is no condition "{said}".')
        fact = facts[0].body if isinstance(facts[0], Not) else facts[0]
        assert isinstance(fact, Atom), "a sentence is about one fact"
        if fact.predicate in self._robot.hidden:
            return ProgramLine(line, "unreadable", reason=f'the condition "{said}" cannot be checked.')
        other = self.read(match["other"])
        unless = Assertion(GroundAtom((fact.predicate, *fact.args)), isinstance(facts[0], Atom))
        return ProgramLine(line, other.result, other.command, other.reason, unless)


def _program_lines(reply: str) -> Iterator[str]:
    text = unicodedata.normalize("NFKC", reply[:MOST_READ]).translate(_BRACKETS)
    for line in text.splitlines():
        if line.strip() and not _EXPLANATION.match(line):
            yield shortened(line, LONGEST_STEP)


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold())
