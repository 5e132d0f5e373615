"""The layout of a reply: plan tags, hidden thoughts, and the pieces between them, which are lines or records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from pddl2nl.nl.markers import ACTION, PLAN_END, PLAN_START
from pddl2nl.nl.reading.cleaning import Cleaned, clean
from pddl2nl.nl.reading.labels import heading_of

__all__ = ["ACTION_LABEL", "OBSERVATION", "Block", "Layout", "Piece", "lay_out", "marker_end"]


class Piece(NamedTuple):
    """A line, the part of it between tags, or a record of several lines, without the blanks around it.

    ``block`` counts the stretches between plan tags, from 0; ``gap``: a blank line stands before it; ``hidden``: it
    lies in a stretch that a model marked as thinking; ``offered``: it lies in a list of actions that could be taken, or
    could not, and chooses none.
    """

    line: int
    start: int
    end: int
    indent: int
    block: int
    gap: bool
    hidden: bool
    offered: bool = False


class Block(NamedTuple):
    """A stretch between plan tags: whether a start tag opens it and whether an end tag closes it."""

    opened: bool
    closed: bool


@dataclass(frozen=True)
class Layout:
    """A reply cut into pieces, with the blocks that they lie in; offsets of pieces count in the clean text."""

    pieces: tuple[Piece, ...]
    blocks: tuple[Block, ...]
    clean: Cleaned

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Where the pieces start and end in the reply as it was written."""
        return tuple(self.clean.span(piece.start, piece.end) for piece in self.pieces)

    @property
    def ended(self) -> bool:
        """Whether an end tag stands anywhere."""
        return any(block.closed for block in self.blocks)


_START_NAMES = rf"{re.escape(PLAN_START)}|\[\s*(?:plan[ _]?start|start[ _](?:of[ _])?plan|begin[ _]plan|plan)\s*\]"
_END_NAMES = rf"{re.escape(PLAN_END)}|\[\s*(?:/\s*plan|plan[ _]?end|end[ _](?:of[ _])?plan|plan[ _]ended)\s*\]"
_THOUGHTS = r"(?:think|thinking|thoughts?|reasoning|scratchpad|reflection|analysis|observation|explanation|rationale)"
_BRACKET = re.compile(r"[\[<]")
_TAG = re.compile(
    rf"(?P<end>{_END_NAMES}|<\s*/\s*plan\s*>)|(?P<start>{_START_NAMES}|<\s*plan\s*>)"
    rf"|(?P<think><\s*{_THOUGHTS}\s*>)|(?P<unthink><\s*/\s*{_THOUGHTS}\s*>)",
    re.IGNORECASE,
)
_END_LINE = re.compile(
    r"^[ \t#*_>]*(?:plan end|end of (?:the )?plan|end plan)[ \t*_.:]*$", re.IGNORECASE | re.MULTILINE
)


def _tags(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of each tag, in order."""
    # Searches for plain characters come first: they pass over a long reply in no time.
    tags: list[tuple[int, int, str]] = []
    for bracket in _BRACKET.finditer(text) if "[" in text or "<" in text else ():
        if match := _TAG.match(text, bracket.start()):
            tags.append((match.start(), match.end(), match.lastgroup or ""))
    lowered = text.lower()
    if "plan end" in lowered or "end of" in lowered or "end plan" in lowered:
        tags += [(match.start(), match.end(), "end") for match in _END_LINE.finditer(text)]
    return sorted(tags)


def lay_out(reply: str | Cleaned) -> Layout:
    """Cleans a reply and cuts it at line breaks and plan tags. Tags inside a hidden thought don't count."""
    clean_text = clean(reply) if isinstance(reply, str) else reply
    text = clean_text.text
    pieces: list[Piece] = []
    blocks: list[Block] = []
    opened = hidden = False
    at, line = 0, 1
    known = 0
    for start, end, kind in _tags(text):
        if start < at or (hidden and kind != "unthink"):
            continue
        if kind == "unthink" and not hidden:
            # Chat templates often swallow the opening tag: all before the closing one was thinking.
            pieces[known:] = [piece._replace(hidden=True) for piece in pieces[known:]]
        line = _cut(text, at, start, line, pieces, len(blocks), hidden or kind == "unthink")
        known = len(pieces) if kind == "unthink" else known
        at = end
        if kind in ("think", "unthink"):
            hidden = kind == "think"
        elif kind == "end":
            blocks.append(Block(opened, True))
            opened = False
        else:
            blocks.append(Block(opened, False))
            opened = True
    _cut(text, at, len(text), line, pieces, len(blocks), hidden)
    blocks.append(Block(opened, False))
    if ":" in text:
        pieces = _with_offers(text, pieces)
    if any(sign in text for sign in (":", '"', "'")):
        pieces = _with_records(text, pieces)
    return Layout(tuple(pieces), tuple(blocks), clean_text)


def _cut(text: str, start: int, end: int, line: int, pieces: list[Piece], block: int, hidden: bool) -> int:
    """Adds the pieces of ``text[start:end]``, which begins on the given line; returns the line it ends on."""
    gap = start == 0
    at = start
    for chunk in text[start:end].split("\n"):
        bare = chunk.strip()
        if bare:
            indent = len(chunk) - len(chunk.lstrip())
            pieces.append(Piece(line, at + indent, at + indent + len(bare), indent, block, gap, hidden))
        gap = not bare
        at += len(chunk) + 1
        line += 1
    return line - 1


_NAMED = re.compile(
    r"(?:-\s+)*(?:action|act|name|operator|function|tool|move|verb)\s*:\s*[\"']?[A-Za-z_-]+(?: [A-Za-z_-]+){0,2}[\"']?",
    re.IGNORECASE,
)
_KEYED = re.compile(r"[\w -]+\s*:|-\s+\S+$")
_OPENS = re.compile(r"(?:[A-Za-z_]\w*\s*=\s*)?[\[{][^\]})]*$")
_LONGEST_RECORD = 20_000


def _with_records(text: str, pieces: list[Piece]) -> list[Piece]:
    """Joins the lines of a JSON value, and those of a YAML record that begins with an action's name."""
    joined: list[Piece] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        last = index
        said = text[piece.start : piece.end]
        if not piece.hidden and len(said) <= 200 and said[-1] in "[{(,:" and _OPENS.match(said):
            end = _closing(text, piece.start + len(said) - len(said.lstrip("abcdefghijklmnopqrstuvwxyz_= ")))
            while last < len(pieces) and pieces[last].start < end and pieces[last].block == piece.block:
                last += 1
        elif not piece.hidden and ":" in said and len(said) <= 100 and _NAMED.fullmatch(said):
            column = piece.indent + max(1, len(said) - len(said.lstrip("- ")))
            while last < len(pieces) and pieces[last].indent >= column and not pieces[last].gap:
                line = text[pieces[last].start : pieces[last].end]
                if not _KEYED.match(line) or _NAMED.match(line):
                    break
                last += 1
        if last > index:
            piece = piece._replace(end=pieces[last - 1].end)
            index = last
        joined.append(piece)
    return joined


def _closing(text: str, start: int) -> int:
    """The end of the JSON value that begins at an offset; the offset itself where it does not end soon."""
    depth = 0
    for match in re.compile(r"[\[{(\]})]").finditer(text, start, start + _LONGEST_RECORD):
        depth += 1 if match[0] in "[{(" else -1
        if depth <= 0:
            value = text[start : match.end()]
            return match.end() if '"' in value or "'" in value else start
    return start


_LIST_MARK = re.compile(r"[-*•+>]|[(\[]?\w{1,3}[.):\]]")
_NUMBER_MARK = re.compile(r"[(\[]?\d{1,3}[.):\]]")


def _with_offers(text: str, pieces: list[Piece]) -> list[Piece]:
    """Marks the paragraph under a heading that announces what could be done, or could not, and not what is done."""
    marked: list[Piece] = []
    heading = ""
    announced = False
    for number, piece in enumerate(pieces):
        said = text[piece.start : piece.end]
        if piece.gap and not announced:
            heading = ""
        kind = heading_of(said) if len(said) < 100 and ":" in said[-4:] else ""
        if kind and _NUMBER_MARK.match(said) and number + 1 < len(pieces):
            # A numbered item before another one is a step, and no heading above it.
            kind = "" if _NUMBER_MARK.match(text, pieces[number + 1].start) else kind
        announced = bool(kind)
        if kind:
            heading = kind
        elif heading == "offered" or (heading == "repertoire" and not _LIST_MARK.match(said)):
            piece = piece._replace(offered=True)
        marked.append(piece)
    return marked


# ── the label of a turn's action ─────────────────────────────────────────────────────────────────

_ACTION = re.escape(ACTION.rstrip(":"))
ACTION_LABEL = re.compile(rf"(?:^|(?<=[\s*_\"'>#{{,-])){_ACTION}(?:\s*\d+)?[*_\"'`]*\s*:[*_`]*", re.IGNORECASE)
# "Possible action: …" chooses none.
_RULED_OUT = re.compile(
    r"\b(?:possible|available|applicable|inapplicable|valid|invalid|legal|illegal|wrong|failed|previous|last|other)"
    r"[\s*_]+\Z",
    re.IGNORECASE,
)
# Blanks before them, but no line breaks: over thousands of empty lines that would take quadratic time.
_MARKED_LINE = re.compile(rf"^[ \t\r\xa0>*_#{{\"'`-]*{_ACTION}(?:\s*\d+)?[*_\"'`]*\s*:[*_`]*", re.I | re.M)
OBSERVATION = re.compile(r"^[ \t\r\xa0>*_#-]*obs(?:ervation)?(?:\s*\d+)?[*_]*\s*:", re.IGNORECASE | re.MULTILINE)


def marker_end(text: str, stop: int) -> int:
    """Where the first line's ``Action:`` ends that begins with it, else the last ``Action:`` anywhere; else -1."""
    marked = _MARKED_LINE.search(text, 0, stop)
    if marked:
        return marked.end()
    announced = -1
    for match in ACTION_LABEL.finditer(text, 0, stop):
        if not _RULED_OUT.search(text, max(match.start() - 24, 0), match.start()):
            announced = match.end()
    return announced
