"""The T-LLM: a model that translates the replies of a policy's model into PDDL.

It has three modes. ``llm`` gives it the whole reply in one call, whatever the reader saw in it (`ReplyTranslator`); its
answer is held to the task's actions where the endpoint can do that. ``lines`` translates every line that may be an
action, as in the AutoPlanBench paper (section 4); `Reader` only selects the lines (`LineTranslator`). ``reader+llm``
translates exactly what `Reader` reports as an action that it cannot read: unreadable, ambiguous, or about an unknown
object.

The lines that are translated:

* A turn of an interactive policy: the first line after ``Action:``; without that label the line that the reader took
  for the turn's action, else everything outside of thoughts. The reader's rules find "look around" and claims to be
  done, which are not actions.
* A plan, ``lines``: what the reading policy chooses if every line that may be an action is read as one. Between plan
  tags that is every line except thoughts, labels, comments, claims and single words (unless an action is one word);
  elsewhere attempts, list items, and lines no longer than an action can be. If the reader sees several actions in a
  line, each is translated separately.
* A plan, ``reader+llm``: all failed attempts of the reply. The reading policy then chooses the plan again.

The answer is not trusted. It must be exactly one ground action of the task in parentheses (code fences are allowed);
anything else makes the line unreadable, or an unknown object. ``no action`` removes a line from the plan if the reader
saw no action in it either; a line that was clearly meant as an action stays, as unreadable.

The ``rule`` of such a reading is ``llm``, with the reader's status before it where the reader had tried first:
``ambiguous+llm``. Failed attempts of the T-LLM carry a rule too, unlike those of the reader.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from pddl2nl.llm import Completion, Message
from pddl2nl.llm.constraint import Constraint, Line
from pddl2nl.nl import READING_POLICIES, Reader, Reading, Readings, Wording
from pddl2nl.nl.reading.readings import PlacedReading, Status
from pddl2nl.nl.reading.segments import OBSERVATION, Layout, marker_end, peel
from pddlval import GroundAction

TranslatorMode = Literal["llm", "lines", "reader+llm"]

NO_ACTION = "no action"
"""The T-LLM's answer where a line states none of the actions; it cannot be an action, as those are in parentheses."""

LOOK_AROUND, FINISHED = "look around", "finished"
"""What the T-LLM may answer to a whole turn instead of an action."""


class Ask(Protocol):
    """Asks the T-LLM, on the episode's account; ``constraint``: what the answer to a whole reply may be."""

    def __call__(self, messages: Sequence[Message], constraint: Constraint | None = None) -> Completion: ...


_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_ONE_ACTION = re.compile(r"\(\s*[^\s()]+(?:\s+[^\s()]+)*\s*\)")
_CLAIMS = ("look-around", "claimed-done")
_MARKS = " \t\r*_`\"'"
_MORE_WORDS = 4
"""The words by which a line outside of plan tags may exceed the longest action and still be translated."""


class Translator(Protocol):
    """Translates the replies of an episode. ``whole``: it reads replies itself, in place of the reader."""

    @property
    def whole(self) -> bool: ...

    def turn(self, text: str, reading: Reading, ask: Ask) -> Reading:
        """The one action, look-around or claim of a reply, given the reader's reading of it."""

    def lines(self, text: str, readings: Readings, ask: Ask, settled: bool = False) -> tuple[Reading, ...]:
        """The lines of a plan, given all readings of a reply; ``settled``: the state may settle ambiguous ones."""

    def line(self, reading: Reading, ask: Ask) -> Reading | None:
        """A line of a plan, translated if that is still to do; None where it states no action."""


# ── a whole reply ────────────────────────────────────────────────────────────────────────────────

_CLAIM_OF: dict[str, Status] = {LOOK_AROUND: "look-around", FINISHED: "claimed-done"}


@dataclass(frozen=True)
class ReplyTranslator:
    """Translates a whole reply in one call, independently of what the reader sees in it.

    The readings hold the T-LLM's words, not the reply's, so they have no place in it (line 0).

    Attributes:
        reader: checks answers by the task's names and types.
        begin: makes the conversation up to the reply (`reply_opening`), when it is first needed.
        actions: the task's actions in PDDL, with told names, by which an endpoint may hold the answer to them.
    """

    reader: Reader
    begin: Callable[[], tuple[Message, ...]]
    actions: Callable[[], tuple[Line, ...]]
    whole: bool = True

    @cached_property
    def opening(self) -> tuple[Message, ...]:
        """The conversation up to the reply."""
        return self.begin()

    @cached_property
    def _constraints(self) -> tuple[Constraint, Constraint]:
        """What the answers to a plan and to a turn may be."""
        actions, instead = self.actions(), (NO_ACTION, LOOK_AROUND, FINISHED)
        turn = Constraint((*actions, *((words,) for words in instead)), optional=True)
        return Constraint(actions, between="\n", instead=(NO_ACTION,), optional=True), turn

    def turn(self, text: str, reading: Reading, ask: Ask) -> Reading:
        """The first thing that the T-LLM finds in a reply; the reader's reading is not looked at."""
        if not re.search(r"\w", text):
            return reading
        found = self._answers(text, ask, self._constraints[1])
        return found[0] if found else _answer("", "not-an-action", "the translator found no action in it")

    def lines(self, text: str, readings: Readings, ask: Ask, settled: bool = False) -> tuple[Reading, ...]:
        """The plan that the T-LLM finds in a reply; the reader's readings are not looked at."""
        return self._answers(text, ask, self._constraints[0]) if re.search(r"\w", text) else ()

    def line(self, reading: Reading, ask: Ask) -> Reading | None:
        return reading

    def _answers(self, text: str, ask: Ask, constraint: Constraint) -> tuple[Reading, ...]:
        completion = ask((*self.opening, Message("user", text)), constraint)
        said = _unfenced(completion.text)
        if completion.finish == "text" and said.rstrip(".").casefold() in ("", NO_ACTION):
            return ()
        read = [self._answered(line) for line in map(str.strip, said.splitlines()) if line]
        if completion.finish != "text":
            read[-1:] = [_answer(said[-80:], "unreadable", "the translation was cut off")]
        return tuple(read)

    def _answered(self, line: str) -> Reading:
        claimed = _CLAIM_OF.get(line.rstrip(".").casefold())
        if claimed is not None:
            return _answer(line, claimed)
        if not _ONE_ACTION.fullmatch(line):
            return _answer(line, "unreadable", "it could not be translated into actions")
        return _grounded(self.reader, line, _answer(line, "unreadable"))


def _answer(said: str, status: Status, reason: str = "") -> Reading:
    return Reading(0, 0, 0, said, status, rule="llm", reason=reason)


def _unfenced(answer: str) -> str:
    said = answer.strip()
    fenced = _FENCED.fullmatch(said)
    return (fenced[1] if fenced else said).strip().strip("`").strip()


def _grounded(reader: Reader, said: str, blank: Reading) -> Reading:
    """One action in parentheses, checked by the task's names and types."""
    name, *args = said.strip("()").split()
    verdict = reader.grammar.pddl.call(name, [("", arg) for arg in args], (0, len(said)))
    if verdict.status == "read":
        return blank._replace(status="read", action=verdict.candidates[0])
    return blank._replace(
        status=verdict.status,
        candidates=verdict.candidates,
        reason=verdict.reason,
        unknown=verdict.unknown,
        suggestions=verdict.suggestions,
    )


# ── line by line ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class LineTranslator:
    """Translates with a T-LLM, one call per line.

    Attributes:
        reader: selects the lines that may be actions, and checks answers by the task's names and types.
        wording: gives the length of an action.
        begin: makes the conversation up to the line to translate (`translation_opening`), when it is first needed.
        mode: ``lines`` or ``reader+llm``.
    """

    reader: Reader
    wording: Wording
    begin: Callable[[], tuple[Message, ...]]
    mode: TranslatorMode = "lines"
    whole: bool = False

    @cached_property
    def opening(self) -> tuple[Message, ...]:
        """The conversation up to the line to translate."""
        return self.begin()

    # ── a turn ───────────────────────────────────────────────────────────────────────────────────

    def turn(self, text: str, reading: Reading, ask: Ask) -> Reading:
        """The one action, look-around or claim of a reply, given the reader's reading of it."""
        if self.mode == "reader+llm" and (reading.status == "read" or reading.status in _CLAIMS):
            return reading
        start, end = self._action_part(text, reading)
        if not re.search(r"\w", text[start:end]) or (reading.status in _CLAIMS and reading.start < end):
            return reading
        translated = self._translated(_span(reading, text, start, end), ask)
        if translated is not None:
            # A claim after a line that could not be translated still counts.
            return reading if reading.status in _CLAIMS and translated.status != "read" else translated
        return reading._replace(rule=self._rule(reading))

    def _action_part(self, text: str, reading: Reading) -> tuple[int, int]:
        cleaned = self.reader.cleaned(text)
        stop = _before_observation(cleaned)
        marked = marker_end(cleaned, stop)
        if marked >= 0:
            start, end = _first_line(cleaned, marked, stop)
            return (start, end) if start < end else (0, 0)
        if reading.is_attempt:
            several = "several" in reading.rule
            return (reading.start, reading.end) if several else _first_line(text, reading.start, len(text))
        # The first stretch of lines that are neither thoughts nor bare labels.
        spoken: list[Reading] = []
        for item in self.reader.placed(text[: _before_observation(text)])[0]:
            if item.reading.rule not in ("thought", "label"):
                spoken.append(item.reading)
            elif spoken:
                break
        return (spoken[0].start, spoken[-1].end) if spoken else (0, 0)

    # ── a plan ───────────────────────────────────────────────────────────────────────────────────

    def lines(self, text: str, readings: Readings, ask: Ask, settled: bool = False) -> tuple[Reading, ...]:
        """The lines of a plan, given all readings of a reply; those left for `line` hold the whole text to send.

        Args:
            text: the reply.
            readings: the reader's.
            ask: asks the T-LLM.
            settled: whether the state may settle ambiguous lines, which are then left for `line`.
        """
        placed, layout = self.reader.placed(text)
        sole = _sole_readings(layout, readings.readings)
        if self.mode == "reader+llm":
            found = [self._read_or_translated(text, item, sole, ask, settled) for item in placed]
            chosen = READING_POLICIES[readings.policy].choose(found, layout.ranks)
            return tuple(item.reading for item in chosen)
        lines: list[Reading] = []
        for item in self._chosen_if_read(placed, layout, readings.policy):
            reading, tagged = _widened(text, item.reading, sole), layout.ranks[item.block] > 0
            if not readings.chosen and not tagged and reading.status == "unreadable":
                # Among prose alone, a line that begins like an action need not be meant as one.
                reading = reading._replace(status="not-an-action")
            lines.append(reading)
        return tuple(lines)

    def line(self, reading: Reading, ask: Ask) -> Reading | None:
        """A line of a plan, translated if necessary; None where it states no action."""
        if self.mode == "reader+llm" and (reading.status == "read" or reading.rule.endswith("+llm")):
            return reading
        if not re.search(r"\w", reading.text):
            return reading if reading.is_attempt else None
        translated = self._translated(reading, ask)
        if translated is not None or not reading.is_attempt:
            return translated
        reason = reading.reason or "the translator found no action in it"
        return reading._replace(status="unreadable", action=None, reason=reason, rule=self._rule(reading))

    def _read_or_translated(
        self, text: str, item: PlacedReading, sole: _Places, ask: Ask, settled: bool
    ) -> PlacedReading:
        reading = item.reading
        if not reading.is_attempt or reading.status == "read" or self._claims(reading):
            return item
        reading = _widened(text, reading, sole)
        if settled and reading.status == "ambiguous":
            return item._replace(reading=reading)
        return item._replace(reading=self.line(reading, ask) or reading)

    def _claims(self, reading: Reading) -> bool:
        return self.reader.read_turn(reading.text).status == "claimed-done"

    def _chosen_if_read(self, placed: Sequence[PlacedReading], layout: Layout, policy: str) -> list[PlacedReading]:
        """What the policy would choose if every line that may be an action were read as one."""
        known: dict[tuple[int, int], PlacedReading] = {}
        supposed: list[PlacedReading] = []
        for number, item in enumerate(placed):
            reading, tagged = item.reading, layout.ranks[item.block] > 0
            attempt = reading.is_attempt and len(reading.text.split()) >= self._lengths[0]
            if attempt or self._may_be_action(item, tagged):
                known[reading.start, reading.end] = item
                reading = reading._replace(status="read", action=GroundAction(f"line-{number}", ()))
                supposed.append(item._replace(reading=reading))
            else:
                supposed.append(item._replace(reading=reading._replace(status="not-an-action", action=None)))
        chosen = READING_POLICIES[policy].choose(supposed, layout.ranks)
        return [known[item.reading.start, item.reading.end] for item in chosen]

    def _may_be_action(self, item: PlacedReading, tagged: bool) -> bool:
        said = item.reading.text
        if item.reading.rule != "prose" or said.startswith("```") or not re.search(r"[^\W\d_]", said):
            return False
        words, (shortest, longest) = len(said.split()), self._lengths
        if tagged or words < shortest:
            return words >= shortest
        if item.indent >= 2 or said.rstrip(_MARKS).endswith(":"):
            return False
        return item.item != "" or words <= longest + _MORE_WORDS

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        """The fewest words of a line that may be an action, and the words of the longest action."""
        counts = [len((snippet.text or "").split()) for snippet in self.wording.actions.values()]
        return min((2, *counts)), max(counts, default=0)

    # ── asking ───────────────────────────────────────────────────────────────────────────────────

    def _translated(self, reading: Reading, ask: Ask) -> Reading | None:
        """The T-LLM's translation of a piece of text; None where it answers that there is no action."""
        completion = ask((*self.opening, Message("user", reading.text)))
        blank = Reading(reading.line, reading.start, reading.end, reading.text, "unreadable", rule=self._rule(reading))
        said = _unfenced(completion.text)
        if completion.finish == "text" and said.rstrip(".").casefold() == NO_ACTION:
            return None
        if completion.finish != "text" or not _ONE_ACTION.fullmatch(said):
            return self._failed(reading, blank._replace(reason="it could not be translated into one action"))
        grounded = _grounded(self.reader, said, blank)
        return grounded if grounded.status == "read" else self._failed(reading, grounded)

    def _failed(self, reading: Reading, failed: Reading) -> Reading:
        """In ``reader+llm`` the reader's finding about a line says more than the T-LLM's failure."""
        if self.mode == "reader+llm" and reading.status in ("ambiguous", "unknown-object"):
            return reading._replace(rule=failed.rule)
        return failed

    def _rule(self, reading: Reading) -> str:
        return "llm" if self.mode == "lines" else f"{reading.status}+llm"


_Places = Mapping[tuple[int, int], tuple[int, int]]


def _sole_readings(layout: Layout, readings: Sequence[Reading]) -> _Places:
    """The piece of the reply around each reading, by its span, where no other reading lies in the piece."""
    places = [(piece.start, piece.end) for piece in layout.pieces]
    starts = [start for start, _ in places]
    found: dict[tuple[int, int], list[Reading]] = {}
    for reading in readings:
        index = bisect_right(starts, reading.start) - 1
        if index >= 0:
            found.setdefault(places[index], []).append(reading)
    return {(inside[0].start, inside[0].end): place for place, inside in found.items() if len(inside) == 1}


def _widened(text: str, reading: Reading, sole: _Places) -> Reading:
    """The reading extended to its whole line without list marks and labels, where it is the only one there."""
    place = sole.get((reading.start, reading.end))
    if place is None:
        return reading
    start = reading.start
    if reading.rule == "prose":
        peeled = peel(text[place[0] : place[1]])
        start = place[0] + peeled.start
    start, end = _bare(text, start, place[1])
    return _span(reading, text, start, end) if start < end else reading


def _span(reading: Reading, text: str, start: int, end: int) -> Reading:
    line = text.count("\n", 0, start) + 1
    return reading._replace(line=line, start=start, end=end, text=text[start:end])


def _before_observation(text: str) -> int:
    """The end of a reply, or the place where it begins to invent an observation."""
    invented = OBSERVATION.search(text)
    return invented.start() if invented is not None and text[: invented.start()].strip() else len(text)


def _first_line(text: str, start: int, stop: int) -> tuple[int, int]:
    """The first line from an offset on that holds a word; empty, at the end, without one."""
    for line in re.finditer(r"[^\n\v]+", text[start:stop]):
        begin, end = _bare(text, start + line.start(), start + line.end())
        if re.search(r"\w", text[begin:end]):
            return begin, end
    return stop, stop


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """A piece of text without the blanks and marks around it and the full stop at its end."""
    kept = text[start:end].rstrip(_MARKS + ".,;]}")
    begin = len(kept) - len(kept.lstrip(_MARKS))
    return start + begin, start + max(len(kept), begin)
