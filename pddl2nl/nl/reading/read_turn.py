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
from typing import TYPE_CHECKING

from pddl2nl.nl.markers import ACTION
from pddl2nl.nl.reading.read_claims import claim_of
from pddl2nl.nl.reading.read_layout import Block, Layout, Piece, lay_out
from pddl2nl.nl.reading.read_noise import Cleaned, Original
from pddl2nl.nl.reading.readings import Reading

if TYPE_CHECKING:
    from pddl2nl.nl.reading.read import Reader

__all__ = ["OBSERVATION", "marker_end", "read_turn"]

_MARKER = re.compile(
    rf"(?:^|(?<=[\s*_\"'>#{{,-])){re.escape(ACTION.rstrip(':'))}(?:\s*\d+)?[*_\"'`]*\s*:[*_`]*", re.IGNORECASE
)
# "Possible action: …" chooses none.
_RULED_OUT = re.compile(
    r"\b(?:possible|available|applicable|inapplicable|valid|invalid|legal|illegal|wrong|failed|previous|last|other)"
    r"[\s*_]+\Z",
    re.IGNORECASE,
)
# Blanks before them, but no line breaks: over thousands of empty lines that would take quadratic time.
_MARKED_LINE = re.compile(
    rf"^[ \t\r\xa0>*_#{{\"'`-]*{re.escape(ACTION.rstrip(':'))}(?:\s*\d+)?[*_\"'`]*\s*:[*_`]*", re.I | re.M
)
OBSERVATION = re.compile(r"^[ \t\r\xa0>*_#-]*obs(?:ervation)?(?:\s*\d+)?[*_]*\s*:", re.IGNORECASE | re.MULTILINE)


def read_turn(reader: Reader, text: str) -> Reading:
    """The one thing that a reply does; "not-an-action" where it does nothing.

    A reply that says nothing readable behind ``Action:`` is unreadable. An unreadable line does not hide a
    readable one that follows it, but an ambiguous one, or one with an unknown object, does.
    """
    cleaned = reader.cleaned(text)
    return Original(text, cleaned).place(_read(reader, cleaned.text))


def _read(reader: Reader, text: str) -> Reading:
    invented = OBSERVATION.search(text)
    if invented is not None:
        reading = _turn(reader, text, invented.start())
        if reading.status != "not-an-action":
            return reading
    return _turn(reader, text, len(text))


def marker_end(text: str, stop: int) -> int:
    """Where the first line's ``Action:`` ends that begins with it, else the last ``Action:`` anywhere; else -1."""
    marked = _MARKED_LINE.search(text, 0, stop)
    if marked:
        return marked.end()
    announced = -1
    for match in _MARKER.finditer(text, 0, stop):
        if not _RULED_OUT.search(text, max(match.start() - 24, 0), match.start()):
            announced = match.end()
    return announced


def _turn(reader: Reader, text: str, stop: int) -> Reading:
    start = marker_end(text, stop)
    found = list(_signals(reader, text, max(start, 0), stop, start >= 0))
    chosen = _first(found)
    if chosen is None:
        bare = text[:stop].strip()
        begin = text.find(bare) if bare else 0
        line = text.count("\n", 0, begin) + 1
        return Reading(line, begin, begin + len(bare), bare, "not-an-action", rule="prose")
    others = {
        (reading.status, reading.action)
        for reading in found
        if reading.status in ("read", "look-around", "claimed-done")
    }
    if len(others | {(chosen.status, chosen.action)}) > 1 and chosen.status != "unreadable":
        rule = chosen.rule.replace("several", "").strip("+")
        rule = "first-of-several" if rule in ("", "exact") else f"first-of-several+{rule}"
        return chosen._replace(rule=rule)
    return chosen


def _first(found: Sequence[Reading]) -> Reading | None:
    for reading in found:
        if reading.status not in ("not-an-action", "unreadable"):
            return reading
    return next((reading for reading in found if reading.status == "unreadable"), None)


def _signals(reader: Reader, text: str, start: int, stop: int, expected: bool) -> Iterator[Reading]:
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
            yield from (reading for reading in readings if reading.is_attempt)
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
