"""The layout of a reply: plan tags, hidden thoughts, lines, and what stands before an action on its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from pddl2nl.nl.markers import ACTION, PLAN_END, PLAN_START
from pddl2nl.nl.reading.cleaning import Cleaned, clean

__all__ = ["ACTION_LABEL", "OBSERVATION", "Block", "Layout", "Piece", "lay_out", "marker_end"]


class Piece(NamedTuple):
    """A line, or the part of it between tags, without the blanks around it.

    ``block`` counts the stretches between plan tags, from 0; ``gap``: a blank line stands before it;
    ``hidden``: it lies in a stretch that a model marked as thinking; ``offered``: it lies in a list of actions
    that could be taken, and chooses none.
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
_END_WORDS = ("plan end", "end of", "end plan")
_END_LINE = re.compile(
    r"^[ \t#*_>]*(?:plan end|end of (?:the )?plan|end plan)[ \t*_.:]*$", re.IGNORECASE | re.MULTILINE
)


def _tags(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of each tag, in order."""
    # Searches for plain characters come first: they pass over a long reply in no time.
    found: list[tuple[int, int, str]] = []
    for bracket in _BRACKET.finditer(text) if "[" in text or "<" in text else ():
        if match := _TAG.match(text, bracket.start()):
            found.append((match.start(), match.end(), match.lastgroup or ""))
    lowered = text.lower()
    if any(words in lowered for words in _END_WORDS):
        found += [(match.start(), match.end(), "end") for match in _END_LINE.finditer(text)]
    return sorted(found)


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
            continue
        if kind == "end":
            blocks.append(Block(opened, True))
            opened = False
        elif kind == "start":
            blocks.append(Block(opened, False))
            opened = True
    _cut(text, at, len(text), line, pieces, len(blocks), hidden)
    blocks.append(Block(opened, False))
    if ":" in text:
        pieces = _with_records(text, pieces)
    if any(word in text for word in _OFFERING):
        pieces = _with_offers(text, pieces)
    return Layout(tuple(pieces), tuple(blocks), clean_text)


_NAME_KEY = re.compile(
    r"(?:[-\[{,]\s*)*[\"']?(?:action|act|name|operator|function|tool|move|verb)[\"']?\s*:", re.IGNORECASE
)
_NAMED = re.compile(_NAME_KEY.pattern + r"\s*[\"']?[A-Za-z_-]+(?: [A-Za-z_-]+){0,2}[\"']?,?", re.IGNORECASE)
_KEYED = re.compile(r"(?:-\s+)?[\"']?[\w -]+[\"']?\s*:|-\s+\S+$|[\"'\[\]{}]")
_MOST_LINES = 40


def _with_records(text: str, pieces: list[Piece]) -> list[Piece]:
    """Joins the lines of an action whose name stands on one line, as in JSON or YAML, and whose objects on others."""
    joined: list[Piece] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        index += 1
        said = text[piece.start : piece.end]
        if piece.hidden or ":" not in said or len(said) > 100 or not _NAMED.fullmatch(said):
            joined.append(piece)
            continue
        column = piece.indent + max(1, len(said) - len(said.lstrip("- ")))
        last = index
        quoted = said.lstrip("[{, ")[:1] in ("'", '"')
        while last < len(pieces) and last - index < _MOST_LINES:
            item = pieces[last]
            line = text[item.start : item.end]
            if item.gap or item.block != piece.block or item.hidden or not _KEYED.match(line) or _NAME_KEY.match(line):
                break
            if item.indent < column if not quoted else item.indent < piece.indent or line.startswith("}"):
                break
            last += 1
        if last > index:
            piece = piece._replace(end=pieces[last - 1].end)
            index = last
        joined.append(piece)
    return joined


# Lines that open a list of all that can be done. A model may say the former of its plan, whose steps it then marks.
_REPERTOIRE = re.compile(
    r"(?:these|here) are the actions (?:that )?I can (?:take|do|carry out|perform)\W*"
    r"|I can (?:take|do|carry out|perform) the following actions\W*",
    re.IGNORECASE,
)
_SORTS = "(?:in)?(?:applicable|valid)|(?:im)?possible|(?:il)?legal|available|allowed|disallowed"
_NOW = r"now|here|at first|initially|in (?:this|the initial|the first) state|at this point"
_OFFER = re.compile(
    rf"\W*(?:the |all |my |currently |some )*(?:{_SORTS}) (?:first |next |initial )?(?:actions|moves)"
    rf"(?: (?:are|{_NOW}))*\W*"
    rf"|\W*(?:(?:the following|these|the|what|all) )*(?:actions|moves) (?:that |which )?(?:(?:are|would be) )?"
    rf"(?:(?:currently|not|now) )?(?:{_SORTS}|fail)(?: (?:{_NOW}))*\W*"
    r"|\W*(?:wrong|incorrect|rejected|failed|ruled out|(?:in|not )(?:valid|applicable)|(?:im|not )possible|avoid)"
    r"(?: (?:plan|attempt|sequence|solution|order|actions|moves))?\s*:\W*"
    r"|(?:I|we) (?:can['’]t|cannot|can not|must not|should not|shouldn['’]t) (?:do|take|perform|execute|carry out)"
    r" (?:(?:any|all|one|either|none) of )?(?:these|those|the following)(?: actions| moves| steps)?\s*:\W*",
    re.IGNORECASE,
)
_OFFERING = (
    "ctions",
    "oves",
    "rong",
    "ncorrect",
    "ejected",
    "ailed",
    "uled out",
    "valid",
    "pplicable",
    "ossible",
    "void",
    " these",
    " those",
    "following",
)
_LIST_MARK = re.compile(r"[-*•+>]|[(\[]?\w{1,3}[.):\]]")


def _with_offers(text: str, pieces: list[Piece]) -> list[Piece]:
    """Marks the paragraph under a line that announces what could be done, or could not, and not what is done."""
    marked: list[Piece] = []
    offered = announced = False
    plain = False
    for piece in pieces:
        said = text[piece.start : piece.end]
        offered = offered and (announced or not piece.gap)
        announced = False
        if (
            len(said) < 100
            and any(word in said for word in _OFFERING)
            and (_REPERTOIRE.fullmatch(said) or _OFFER.fullmatch(said))
        ):
            offered = announced = True
            plain = _OFFER.fullmatch(said) is None
        elif offered and not (plain and _LIST_MARK.match(said)):
            piece = piece._replace(offered=True)
        marked.append(piece)
    return marked


def _cut(text: str, start: int, end: int, line: int, pieces: list[Piece], block: int, hidden: bool) -> int:
    """Adds the pieces of ``text[start:end]``, which begins on the given line; returns the line it ends on."""
    gap = start == 0
    at = start
    chunks = text[start:end].split("\n")
    for chunk in chunks:
        bare = chunk.strip()
        if bare:
            indent = len(chunk) - len(chunk.lstrip())
            pieces.append(Piece(line, at + indent, at + indent + len(bare), indent, block, gap, hidden))
            gap = False
        else:
            gap = True
        at += len(chunk) + 1
        line += 1
    return line - 1


# ── the label of a turn's action ─────────────────────────────────────────────────────────────────

ACTION_LABEL = re.compile(
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
