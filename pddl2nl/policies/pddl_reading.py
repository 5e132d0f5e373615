"""Reads the replies of the PDDL twins with regular expressions and the task's names.

As in section 5 of the AutoPlanBench paper, the PDDL action is cut out of the reply and given to the simulator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pddl2nl.nl import Reading, Readings
from pddl2nl.nl.markers import DONE, LOOK_AROUND, PLAN_END, PLAN_START, THOUGHT
from pddl2nl.nl.reading.readings import Status
from pddl2nl.nl.reading.segments import OBSERVATION, marker_end
from pddlval import BadActionError, GroundAction, Simulator

_GROUP = re.compile(r"\(\s*([^\s()]+(?:\s+[^\s()]+)*)\s*\)")
_BARE = re.compile(r"[^\S\n]*(?:\d+[.):]|[-*])?\s*(\S+(?:[^\S\n]+\S+)*?)\s*[.;]?\s*$")
_THOUGHT = re.compile(rf"[\s*_>]*{re.escape(THOUGHT)}", re.IGNORECASE)
_CLAIM = re.compile(
    r"(?:(?:i|we)(?:['’](?:m|ve|re)|\s+(?:am|are|have))\s+"
    r"|(?:(?:the|my)\s+)?(?:task|plan|goal|problem|it|all|everything)\s+(?:is|has\s+been)\s+)?"
    rf"(?:now\s+|all\s+|already\s+)?(?:{DONE}|done)(?:\s+(?:now|since|because|as|and)\b.*)?",
    re.IGNORECASE,
)
"""A whole sentence that claims the end, unlike "not finished yet", "once this is done" and "is it done?"."""

_SENTENCE_END = re.compile(r"[.!;:,\n]|\s[-–—]\s")
_MARKS = " \t\r*_`>#()\"'-"
_THINKING_ENDS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THINKING = re.compile(r"<(think|thinking|thoughts?|reasoning)>.*?(?:</\1>|\Z)", re.IGNORECASE | re.DOTALL)


class PDDLReader:
    """Reads ground PDDL actions; has the methods of `pddl2nl.nl.Reader` that an episode uses."""

    def __init__(self, simulator: Simulator):
        self._simulator = simulator

    def read(self, text: str, policy: str = "default") -> Readings:
        """The plan in a reply: the text between the last plan tags, or the whole reply without one.

        A line gives a reading for every ``(name object …)`` in it; the parentheses may be missing where the line
        begins with an action's name.
        """
        text = _without_thinking(text)
        tag = text.rfind(PLAN_START)
        begin = tag + len(PLAN_START) if tag >= 0 else 0
        end = text.find(PLAN_END, begin)
        readings = tuple(self._readings(text, begin, end if end >= 0 else len(text), meant=tag >= 0))
        return Readings(readings, tuple(item for item in readings if item.is_attempt), end >= 0, policy)

    def read_turn(self, text: str) -> Reading:
        """The one action, look-around or claim of a turn, found as by `pddl2nl.nl.Reader.read_turn`.

        The line after ``Action:`` counts, and the lines below it where it holds nothing readable; without ``Action:``
        everything except thoughts. The first of several actions is read.
        """
        spoken = _without_thinking(text)
        invented = OBSERVATION.search(spoken)
        reading = self._turn(spoken, invented.start() if invented else len(spoken))
        if invented and reading.status == "unreadable":
            reading = self._turn(spoken, len(spoken))
        return reading._replace(text=text[reading.start : reading.end])

    def _turn(self, text: str, stop: int) -> Reading:
        marked = marker_end(text, stop)
        start = max(marked, 0)
        end = text.find("\n", start, stop) if marked >= 0 else stop
        end = stop if end < 0 else end
        reading = self._said(text, start, end, meant=marked >= 0)
        if reading.status == "unreadable":
            later = self._said(text, end, stop, meant=False)
            reading = reading if later.status == "unreadable" else later
        actions = {item.action for item in self._attempts(text, start, stop, meant=False)} - {None}
        several = reading.action is not None and len(actions | {reading.action}) > 1
        return reading._replace(rule=f"first-of-several+{reading.rule}") if several else reading

    def _said(self, text: str, start: int, stop: int, *, meant: bool) -> Reading:
        attempts = self._attempts(text, start, stop, meant=meant)
        if attempts:
            # The model meant to act on an unknown object, so nothing after it counts; after nonsense something may.
            return next((item for item in attempts if item.status != "unreadable"), attempts[0])
        lines = [text[begin:end] for _, begin, end in _lines(text, start, stop) if not _THOUGHT.match(text, begin, end)]
        said = "\n".join(lines)
        if LOOK_AROUND in said.lower().replace("-", " "):
            return Reading(1, 0, len(text), text, "look-around", rule="phrase")
        if any(_CLAIM.fullmatch(sentence.strip(_MARKS)) for sentence in _SENTENCE_END.split(said)):
            return Reading(1, 0, len(text), text, "claimed-done", rule="phrase")
        return Reading(1, 0, len(text), text, "unreadable", reason="there is none in parentheses")

    def _attempts(self, text: str, start: int, stop: int, *, meant: bool) -> list[Reading]:
        readings = self._readings(text, start, stop, meant=meant, thoughts=False)
        return [item for item in readings if item.is_attempt]

    def _readings(self, text: str, begin: int, end: int, *, meant: bool, thoughts: bool = True) -> Iterator[Reading]:
        for line, start, stop in _lines(text, begin, end):
            if thoughts or not _THOUGHT.match(text, start, stop):
                yield from self._line(text, line, start, stop, meant=meant)

    def _line(self, text: str, line: int, start: int, stop: int, *, meant: bool) -> Iterator[Reading]:
        groups = list(_GROUP.finditer(text, start, stop))
        for match in groups:
            yield self._judged(line, match.start(), match.end(), match[0], match[1], "pddl", meant)
        if groups or not text[start:stop].strip():
            return
        bare = _BARE.match(text[start:stop])
        words = bare[1] if bare else ""
        if words and self._simulator.task.domain.action(words.split()[0].lower()) is not None:
            yield self._judged(line, start, stop, text[start:stop], words, "pddl-bare", True)
        else:
            yield Reading(line, start, stop, text[start:stop], "not-an-action", rule="prose")

    def _judged(self, line: int, start: int, stop: int, said: str, words: str, rule: str, meant: bool) -> Reading:
        name, *args = words.lower().replace(",", " ").split() or [""]
        action, task = GroundAction(name, tuple(args)), self._simulator.task
        try:
            self._simulator.check(action)
        except BadActionError as error:
            known = task.domain.action(name) is not None
            no_action = " ".join((name, *args)).replace("-", " ") in (LOOK_AROUND, DONE, "done")
            if not known and (not meant or no_action):
                return Reading(line, start, stop, said, "not-an-action", rule="prose")
            unknown = tuple(arg for arg in args if arg not in task.objects)
            status: Status = "unknown-object" if known and unknown else "unreadable"
            candidates = () if status == "unknown-object" else (action,)
            return Reading(
                line, start, stop, said, status, None, candidates, rule, reason=error.reason, unknown=unknown
            )
        return Reading(line, start, stop, said, "read", action, rule=rule)


def _without_thinking(text: str) -> str:
    """The reply with blanks instead of what is marked as thinking, so that offsets stay the same."""
    closed = _THINKING_ENDS.search(text)
    if closed and not _THINKING.search(text, 0, closed.start()):
        # Chat templates often swallow the opening tag.
        text = _blank(text[: closed.end()]) + text[closed.end() :]
    return _THINKING.sub(lambda thinking: _blank(thinking[0]), text)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _lines(text: str, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The lines between two offsets: number in the whole text (from 1), start and end."""
    number = text.count("\n", 0, begin) + 1
    start = begin
    for line in text[begin:end].split("\n"):
        yield number, start, start + len(line)
        number += 1
        start += len(line) + 1
