"""Reading one turn of an interactive policy (Act, ReAct): an action, a wish to look around, or a claim to be done.

The text behind the first line that begins with ``Action:`` counts; without such a line, the text behind the last
``Action:`` anywhere; without that, the only action line of the reply. Of several actions the first is read, since
the others take for granted what came of it, and the rule begins with ``first-of-several``; the PDDL twins do the
same. What a model writes from a line "Observation:" on is its own invention of the world's answer and is left
out. Inside a thought nothing counts: neither an action nor "finished" nor "look around".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pddl2nl.nl.reading.claims import claim_of
from pddl2nl.nl.reading.cleaning import Cleaned, Original
from pddl2nl.nl.reading.discourse import follow
from pddl2nl.nl.reading.formal import is_record
from pddl2nl.nl.reading.labels import Peeled
from pddl2nl.nl.reading.layout import ACTION_LABEL, OBSERVATION, Block, Layout, Piece, lay_out, marker_end
from pddl2nl.nl.reading.readings import Reading, reported
from pddl2nl.nl.reading.stance import EXCUSED, chosen_option, corrects, offers_options
from pddlval import GroundAction

__all__ = ["read_turn"]


class PieceReader(Protocol):
    """Reads one piece: `pddl2nl.nl.Reader.read_piece`."""

    def __call__(
        self, text: str, piece: Piece, block: Block, in_thought: bool, expected: bool, before: Sequence[GroundAction]
    ) -> tuple[list[Reading], Peeled]: ...


def read_turn(read_piece: PieceReader, text: str, cleaned: Cleaned) -> Reading:
    """The one thing that a reply does; "not-an-action" where it does nothing.

    A reply that says nothing readable behind ``Action:`` is unreadable. An unreadable line does not hide a
    readable one that follows it, but an ambiguous one, or one with an unknown object, does.
    """
    said = cleaned.text
    invented = OBSERVATION.search(said)
    reading = _turn(read_piece, said, invented.start() if invented else len(said))
    if invented and reading.status == "not-an-action":
        reading = _turn(read_piece, said, len(said))
    return Original(text, cleaned).place(reading)


def _turn(read_piece: PieceReader, text: str, stop: int) -> Reading:
    start = _last_corrected(text, marker_end(text, stop), stop)
    if any(item.start < start <= item.end and "\n" in text[item.start : item.end] for item in _records(text, stop)):
        # A key "action" of a JSON value is read with the others.
        start = -1
    readings = list(_signals(read_piece, text, max(start, 0), stop, start >= 0))
    read = [reading for reading in readings if reading.status == "read"]
    several = start < 0 and len(read) > 1 and offers_options(text[: read[0].start])
    option = chosen_option(text[read[-1].end : stop], [""] * len(read)) if several else None
    if option is not None:
        return read[option]
    kept = _uncorrected(text, readings)
    chosen = next((item for item in kept if item.status not in ("not-an-action", "unreadable")), None)
    chosen = chosen or next((item for item in kept if item.status == "unreadable"), None)
    open_stances = [item for item in readings if item.stance and not item.stance.startswith(EXCUSED)]
    if chosen is None and open_stances:
        return reported(max(open_stances, key=lambda item: len(item.text)))
    asked = any(item.stance == "question" for item in readings)
    if chosen is None and asked and chosen_option(text[:stop], ["", ""]) is not None:
        # "Should I stack a on b or on c? I choose the latter."
        return reported(max(readings, key=lambda item: len(item.text)))
    if chosen is None:
        bare = text[:stop].strip()
        begin = text.find(bare) if bare else 0
        stance = next((reading.stance for reading in readings if reading.stance), "")
        line = text.count("\n", 0, begin) + 1
        return Reading(line, begin, begin + len(bare), bare, "not-an-action", rule="prose", stance=stance)
    signals = ("read", "look-around", "claimed-done")
    others = {(reading.status, reading.action) for reading in readings if reading.status in signals}
    if len(others | {(chosen.status, chosen.action)}) > 1 and chosen.status != "unreadable":
        rules = [rule for rule in chosen.rule.split("+") if rule not in ("several", "exact", "")]
        return chosen._replace(rule="+".join(("first-of-several", *rules)))
    return chosen


def _records(text: str, stop: int) -> list[Piece]:
    pieces = lay_out(Cleaned(text[:stop])).pieces if "{" in text else ()
    return [piece for piece in pieces if is_record(text[piece.start : piece.end])]


def _last_corrected(text: str, start: int, stop: int) -> int:
    """The last "Action:" that takes back the one before it: "Action: … Actually, no. Action: …"."""
    while start >= 0:
        following = ACTION_LABEL.search(text, start, stop)
        between = text[start : following.start()] if following else ""
        if following is None or not corrects(between.partition("\n")[2] or between):
            return start
        start = following.end()
    return start


def _uncorrected(text: str, readings: Sequence[Reading]) -> list[Reading]:
    """The readings without those that the reply takes back before it goes on."""
    kept: list[Reading] = []
    for reading in readings:
        if kept and (reading.stance == "corrects" or corrects(text[kept[-1].end : reading.start])):
            kept = [] if reading.status in ("read", "ambiguous") else kept
        kept.append(reading)
    return kept


def _signals(read_piece: PieceReader, text: str, start: int, stop: int, expected: bool) -> Iterator[Reading]:
    """Everything in a stretch that could be the turn's one thing."""
    layout = lay_out(Cleaned(text[:stop]))
    in_thought = False
    context: list[GroundAction] = []
    for piece in _from(layout, start, text):
        readings, _ = read_piece(
            text, piece, Block(False, False), in_thought and not piece.gap, expected and not piece.hidden, context
        )
        in_thought = readings[-1].rule == "thought"
        claim = None if in_thought else claim_of(text, piece)
        if claim is not None and not any(reading.status == "read" for reading in readings):
            yield claim
        else:
            for reading in readings:
                follow(context, reading.status, reading.stance, reading.action)
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
    """The pieces behind an offset, the first of them cut there."""
    for piece in layout.pieces:
        kept = text[max(piece.start, start) : piece.end]
        begin = piece.end - len(kept.lstrip())
        if piece.start >= start:
            yield piece
        elif begin < piece.end and kept.strip(" \t*_`\"'}]"):
            yield piece._replace(start=begin, gap=True)
