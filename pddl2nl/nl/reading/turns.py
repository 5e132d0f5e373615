"""Reading one turn of an interactive policy (Act, ReAct): an action, a wish to look around, or a claim to be done.

The text behind the first line that begins with ``Action:`` counts; without such a line, the text behind the last
``Action:`` anywhere; without that, the only action line of the reply. Of several actions the first is read, since
the others take for granted what came of it, and the rule begins with ``first-of-several``; the PDDL twins do the
same. What a model writes from a line "Observation:" on is its own invention of the world's answer and is left
out. Inside a thought nothing counts: neither an action nor "finished" nor "look around".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from pddl2nl.nl.reading.claims import claim_of
from pddl2nl.nl.reading.cleaning import Cleaned, Original
from pddl2nl.nl.reading.labels import Peeled
from pddl2nl.nl.reading.layout import ACTION_LABEL, OBSERVATION, Block, Layout, Piece, lay_out, marker_end
from pddl2nl.nl.reading.readings import Reading, reported
from pddl2nl.nl.reading.stance import corrects
from pddlval import GroundAction

__all__ = ["PieceReader", "read_turn"]


class PieceReader(Protocol):
    """What reads the pieces of a turn: `pddl2nl.nl.Reader`."""

    def cleaned(self, text: str) -> Cleaned:
        """The text without markup and odd characters."""
        ...

    def read_piece(
        self,
        text: str,
        piece: Piece,
        block: Block,
        in_thought: bool = False,
        expected: bool = False,
        before: Sequence[GroundAction] = (),
    ) -> tuple[list[Reading], Peeled]:
        """What one piece of a text says, and its labels."""
        ...

    def bids(self, said: str) -> bool:
        """Whether a text asks for something to be done."""
        ...


def read_turn(reader: PieceReader, text: str) -> Reading:
    """The one thing that a reply does; "not-an-action" where it does nothing.

    A reply that says nothing readable behind ``Action:`` is unreadable. An unreadable line does not hide a
    readable one that follows it, but an ambiguous one, or one with an unknown object, does.
    """
    cleaned = reader.cleaned(text)
    return Original(text, cleaned).place(_read(reader, cleaned.text))


def _read(reader: PieceReader, text: str) -> Reading:
    invented = OBSERVATION.search(text)
    if invented is not None:
        reading = _turn(reader, text, invented.start())
        if reading.status != "not-an-action":
            return reading
    return _turn(reader, text, len(text))


def _turn(reader: PieceReader, text: str, stop: int) -> Reading:
    start = _last_corrected(text, marker_end(text, stop), stop)
    found = list(_signals(reader, text, max(start, 0), stop, start >= 0))
    chosen = _option(text, found) if start < 0 else None
    chosen = chosen or _first(_uncorrected(text, found))
    if chosen is None and (unknown := _unknown_verb(reader, text, stop)):
        return unknown
    if chosen is None:
        bare = text[:stop].strip()
        begin = text.find(bare) if bare else 0
        line = text.count("\n", 0, begin) + 1
        stance = next((reading.stance for reading in found if reading.stance), "")
        return Reading(line, begin, begin + len(bare), bare, "not-an-action", rule="prose", stance=stance)
    others = {
        (reading.status, reading.action)
        for reading in found
        if reading.status in ("read", "look-around", "claimed-done")
    }
    if len(others | {(chosen.status, chosen.action)}) > 1 and chosen.status != "unreadable":
        rules = [rule for rule in chosen.rule.split("+") if rule not in ("several", "exact", "")]
        return chosen._replace(rule="+".join(("first-of-several", *rules)))
    return chosen


def _unknown_verb(reader: PieceReader, text: str, stop: int) -> Reading | None:
    """The one line of a turn that bids something of objects in words of no action; None where it is a sentence."""
    lines = [piece for piece in lay_out(Cleaned(text[:stop])).pieces if not piece.hidden]
    if len(lines) != 1:
        return None
    readings, _ = reader.read_piece(text, lines[0], Block(False, False))
    reading = readings[0]
    if reading.rule != "prose" or reading.stance or not reader.bids(reading.text):
        return None
    return reading._replace(status="unreadable", rule="", reason="it begins like none of the actions")


def _last_corrected(text: str, start: int, stop: int) -> int:
    """The last "Action:" that takes back the one before it: "Action: … Actually, no. Action: …"."""
    while start >= 0:
        following = ACTION_LABEL.search(text, start, stop)
        if following is None or not corrects(
            text[start : following.start()].partition("\n")[2] or text[start : following.start()]
        ):
            return start
        start = following.end()
    return start


def _uncorrected(text: str, found: Sequence[Reading]) -> list[Reading]:
    """The readings without those that the reply takes back before it goes on."""
    kept: list[Reading] = []
    for reading in found:
        if kept and (reading.stance == "corrects" or corrects(text[kept[-1].end : reading.start])):
            kept = [] if reading.status in ("read", "ambiguous") else kept
        kept.append(reading)
    return kept


def _option(text: str, found: Sequence[Reading]) -> Reading | None:
    """Of options in a list the one that the reply says it takes: "The second one is better"."""
    read = [reading for reading in found if reading.status == "read"]
    if len(read) < 2 or not _OPTIONS.search(text, 0, read[0].start):
        return None
    match = _CHOICE.search(text, read[-1].end)
    if match is None:
        return None
    said = next(group for group in match.groups() if group is not None).lower()
    index = _ORDINALS.get(said, int(said) if said.isdigit() else 0)
    return read[index - 1 if index > 0 else index] if abs(index) <= len(read) and index else None


_OPTIONS = re.compile(r"\b(?:options?|alternatives|choices|possibilities|candidates|possible)\b", re.IGNORECASE)
_NUMERALS = "first|second|third|fourth|fifth|last|former|latter|one|two|three|four|[1-9]"
_CHOICE = re.compile(
    rf"\b(?:option|number|choice|alternative|action)\s*\(?({_NUMERALS})\b|\bthe\s+({_NUMERALS})\b", re.IGNORECASE
)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "former": 1, "latter": -1, "last": -1, "one": 1,
    "two": 2, "three": 3, "four": 4,
}  # fmt: skip


def _first(found: Sequence[Reading]) -> Reading | None:
    for reading in found:
        if reading.status not in ("not-an-action", "unreadable"):
            return reading
    return next((reading for reading in found if reading.status == "unreadable"), None)


def _signals(reader: PieceReader, text: str, start: int, stop: int, expected: bool) -> Iterator[Reading]:
    """Everything in a stretch that could be the turn's one thing."""
    layout = lay_out(Cleaned(text[:stop]))
    in_thought = False
    for piece in _from(layout, start, text):
        readings, _ = reader.read_piece(
            text, piece, Block(False, False), in_thought and not piece.gap, expected and not piece.hidden
        )
        in_thought = readings[-1].rule == "thought"
        claim = None if in_thought else claim_of(text, piece)
        if claim is not None and not any(reading.status == "read" for reading in readings):
            yield claim
        else:
            for reading in readings:
                if reading.rule == "doubt":
                    yield reported(reading)
                elif reading.is_attempt or reading.stance:
                    yield reading
        expected = False
    if not layout.pieces and layout.ended and text.strip():
        bare = text.strip()
        begin = text.find(bare)
        yield Reading(text.count("\n", 0, begin) + 1, begin, begin + len(bare), bare, "claimed-done", rule="plan-end")


def _from(layout: Layout, start: int, text: str) -> Iterator[Piece]:
    for piece in layout.pieces:
        if piece.end <= start:
            continue
        if piece.start < start:
            kept = text[start : piece.end]
            begin = start + len(kept) - len(kept.lstrip())
            if begin < piece.end and kept.strip(" \t*_`\"'}]"):
                yield piece._replace(start=begin, gap=True)
        else:
            yield piece
