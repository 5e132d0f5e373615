"""What a model may say instead of an action: that it wants to see the state, or that it is done."""

from __future__ import annotations

import re

from pddl2nl.nl.markers import DONE, LOOK_AROUND
from pddl2nl.nl.reading.read_layout import Piece
from pddl2nl.nl.reading.read_peel import peel
from pddl2nl.nl.reading.readings import Reading

__all__ = ["claim_of"]

_LOOK = re.compile(
    rf"(?:am |will )?{re.escape(LOOK_AROUND)}(?!\W*\?)(?=\W*$|\s*[.,;:!(]|\s+(?:to|again|first|and|now|for|in|so)\b)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?:(?:am|have|are|'m|'ve)\s+|(?:the\s+)?(?:task|plan|goal)\s+is\s+)?(?:now\s+|all\s+)?"
    rf"(?:{re.escape(DONE)}|done)(?!\W*\?)(?=\W*$|\s*[.,;:!(]|\s+(?:since|because|now|as|and)\b"
    r"|\s+with\s+(?:the|my|this|it|all|everything)\b)",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"(?:i|we)['’](?:m|ve|re)\s+", re.IGNORECASE)


def claim_of(text: str, piece: Piece) -> Reading | None:
    """A wish to see the state, or a claim to be done, if the piece is one."""
    said = text[piece.start : piece.end]
    at = peel(said).start
    contracted = _CONTRACTED.match(said, at)
    at = contracted.end() if contracted else at
    if match := _LOOK.match(said, at):
        status, rule = "look-around", "look-around"
    elif match := _DONE.match(said, at):
        status, rule = "claimed-done", "done"
    else:
        return None
    start, end = piece.start + match.start(), piece.start + match.end()
    if status == "look-around":
        return Reading(piece.line, start, end, text[start:end], "look-around", rule=rule)
    return Reading(piece.line, start, end, text[start:end], "claimed-done", rule=rule)
