"""Segments: a reply cut into pieces, without noise, with the plan tags, thoughts, marks and labels around them.

What chat windows, web pages and typesetters leave in a reply says nothing about actions, and what is struck out is no
longer said: `clean` puts what it stands for (a line break, a bullet, a full stop) or blanks in its place, so that
readings point into the reply as it was. `lay_out` cuts the rest at line breaks and plan tags, and `peel` takes list
marks and labels off the front of a piece.
"""

from __future__ import annotations

import html
import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from pddl2nl.nl.reading.stance import is_plain_lead
from pddl2nl.nl.reading.words import LEXICON, WORDS, front, noise, phrases

_NOISE = noise()
_SIGNS = ("<", "&", "\\", "$", "~~", "\x0c")
_EDGE = re.compile(r"_(?:(?!\w)|(?<!\w_))")
_CLOSER = re.compile(r"</(\w+)")


def noise_in(text: str) -> frozenset[str]:
    """The kinds of noise in a text: of a wording's own texts they must be kept."""
    return frozenset(match.lastgroup or "" for match in _NOISE.finditer(text))


def clean(text: str, keep: frozenset[str] = frozenset()) -> str:
    """The text with blanks for what has no part in its words, save for kinds to ``keep``; it keeps its length."""
    broken = "\r" in text and text.count("\r") != text.count("\r\n")
    if text.isascii() and not broken and not any(sign in text for sign in _SIGNS) and not _EDGE.search(text):
        return text
    closed = {name.lower() for name in _CLOSER.findall(text)}

    def said(match: re.Match[str]) -> str:
        kind, mark = match.lastgroup or "", match[0]
        # "stack <a> on <b>": a name in angle brackets is no tag.
        if kind in keep or (match["inline"] and match["name"].lower() not in closed):
            return mark
        # A vertical tab is a line break that the reply did not have.
        says = str(LEXICON["noise"][kind]["says"])
        if kind == "entity":
            says = html.unescape(mark)[:1].replace("\xa0", " ")
        elif kind == "escaped":
            says = mark[1]
        elif kind == "wide":
            says = chr(ord(mark) - 0xFEE0)
        return says.ljust(len(mark))[: len(mark)]

    return _NOISE.sub(said, text)


class Peeled(NamedTuple):
    """A piece without what stands before its content.

    ``start``: offset of the content in the piece; ``markup``, ``prefix``: what was taken off (list marks and emphasis;
    labels); ``number``, ``item``: its list mark; ``outer``: the numbers before its last one (1 of "1.2"); ``label``:
    what `label_of` says of its label; ``bare``: nothing else stands there.
    """

    start: int
    markup: bool
    prefix: bool
    number: int | None
    item: str
    label: str
    bare: bool
    outer: tuple[int, ...] = ()


_ACTIONS = WORDS.plan_nouns | WORDS.action_nouns


def label_of(words: Sequence[str]) -> str:
    """What the folded words of a label say of what follows: "action", "thought", "offered" (not chosen), or nothing."""
    said = set(words)
    label = " ".join(words)
    if any(phrases(kind, "heading").match(label) for kind in ("offers", "rejected")):
        return "offered"
    if said & (WORDS.plan_nouns | WORDS.calls):
        return "action"
    if WORDS.thoughts.intersection(words[:5]) and words[0] != "to":
        return "thought"
    nouns = said & (_ACTIONS | WORDS.speakers)
    return "action" if nouns and all(word in nouns | WORDS.kinds or is_plain_lead(word) for word in words) else ""


NO_PLAN_HEADINGS = ("state", "goal", "explains", "rules", "example", "offers", "rejected")
"""The headings under which steps are no plan, as `lexicon.toml` names them, in the order in which they are tried."""


@cache
def heading_of(text: str) -> str:
    """What the last words of a text say of the list below it; empty where they are no heading.

    One of `NO_PLAN_HEADINGS`; "plan", which announces one; "recap"; or "title" for any other. The last clause decides:
    "After checking each precondition, my plan is:" announces a plan.
    """
    titled = text.lstrip().startswith(("#", "**"))
    bare = re.split(r"[.!?](?:\s|$)\W*(?=\w)", text.strip(' *_#`>-|\t✅"'))[-1].strip(' *_#`"')
    if not bare.endswith(":") and not (titled and bare[-1:] not in ".,;") and len(bare.split()) > 5:
        return ""
    if bare[-1:] in tuple(".,;!?") and not titled:
        return ""
    clause = re.split(r"[,;–—]\s|\s-\s", bare.rstrip(' :*_`".'))[-1].strip()
    if not clause:
        return ""
    plain = clause[phrases("small").match(clause).end() :]  # type: ignore[union-attr]
    # "| Action | Objects |" announces no other plan.
    in_table = text.startswith("|")
    for kind in NO_PLAN_HEADINGS if in_table else (*NO_PLAN_HEADINGS, "recap", "plan"):
        if phrases(kind, "heading").match(plain):
            # "To serve a, the following actions can be taken:" offers nothing else.
            return "plan" if kind == "offers" and bare.startswith("To ") else kind
    return "" if in_table else "title"


_MARKS = front("marks")
_BULLET = front("bullet")
_NUMBER = front("number")
_LABEL = front("label")
_TAGGED = front("tagged")


def peel(text: str) -> Peeled:
    """Takes list marks, emphasis and labels off the front of a line."""
    at = 0
    markup = prefix = False
    number: int | None = None
    item = label = ""
    outer: tuple[int, ...] = ()
    while at < len(text) and label != "thought":
        if match := (_BULLET.match(text, at) if not prefix else None):
            markup, item = True, item or match[1] or match[2] or "->"
        elif match := (_NUMBER.match(text, at) if not prefix or (label and number is None) else None):
            markup, item = True, "count" if match["bare"] else "number"
            if number is None:
                outer = tuple([int(count) for count in (match["outer"] or "").split(".") if count])
                # The last group of a pattern is its number.
                number = int(match[match.lastgroup]) if match.lastgroup else None
        elif match := _MARKS.match(text, at):
            markup = True
        elif labelled := _label(text, at):
            match, said = labelled
            prefix, label = True, said or label
            *nouns, last = match["words"].lower().split()
            option = not WORDS.plan_nouns.isdisjoint((*nouns, last))
            lettered = 1 + "abcde".find(last) if option and nouns and len(last) == 1 else 0
            if match["count"] or lettered:
                number = int(match["count"] or lettered) if number is None else number
                item = "option" if option else item or "number"
        else:
            break
        if match.end() == at:
            break
        at = match.end()
    return Peeled(at, markup, prefix, number, item, label, not text[at:].strip(" *_`#-:.\"'"), outer)


def _label(text: str, at: int) -> tuple[re.Match[str], str] | None:
    """The label at an offset and what it says."""
    match = _TAGGED.match(text, at) or _LABEL.match(text, at)
    if match is None:
        return None
    words = re.findall(r"[\w'’]+", match["words"].lower())
    said = label_of(words)
    if match["counted"] and WORDS.speakers.issuperset(words):
        # "robot_0: move to b" names who acts.
        return None
    if "loose" in match.re.groupindex and match["loose"] is not None:
        # "Step 3 stack a on b": without a colon a label is a noun with its number; "move 13 12 8 9" is an action.
        counted = len(words) == 1 and not text[match.end() : match.end() + 1].isdigit()
        return (match, said) if said == "action" and counted else None
    more = match.groupdict().get("more")
    if more and said != "thought" and more.lstrip()[0] != "(":
        return None
    return (match, said) if said or all(map(is_plain_lead, words)) else None


class Piece(NamedTuple):
    """A line, the part of it between tags, or a record of several lines, without the blanks around it.

    ``block`` counts the stretches between plan tags, from 0; ``gap``: a blank line stands before it; ``hidden``: it
    lies in a stretch that a model marked as thinking; ``fenced``: between two lines of code marks;
    ``offered``: under a heading such as "Possible actions:" or "A wrong plan:".
    """

    line: int
    start: int
    end: int
    indent: int
    block: int
    gap: bool
    hidden: bool
    offered: bool = False
    fenced: bool = False


@dataclass(frozen=True)
class Layout:
    """A reply cut into pieces; ``text`` is the reply without noise, as long as it was.

    ``ranks`` are those of the stretches between plan tags: 3 with both tags, 2 with an end tag only, 1 with a start tag
    only, else 0.
    """

    pieces: tuple[Piece, ...]
    ranks: tuple[int, ...]
    text: str

    @property
    def ended(self) -> bool:
        """Whether an end tag stands anywhere."""
        return max(self.ranks) > 1


_BRACKET = re.compile(r"[\[<]")
_TAG = front("tag")
_END_LINE = front("end_line")


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


def lay_out(text: str) -> Layout:
    """Cuts a clean reply at line breaks and plan tags. Tags inside a hidden thought don't count."""
    pieces: list[Piece] = []
    ranks: list[int] = []
    opened = hidden = False
    at, line = 0, 1
    known = 0
    text = _without_columns(text) if "|" in text else text
    for start, end, kind in _tags(text):
        if start < at or (hidden and kind != "unthink"):
            continue
        if kind == "unthink" and not hidden:
            # Chat templates often swallow the opening tag: all before the closing one was thinking.
            pieces[known:] = [piece._replace(hidden=True) for piece in pieces[known:]]
        line = _cut(text, at, start, line, pieces, len(ranks), hidden or kind == "unthink")
        known = len(pieces) if kind == "unthink" else known
        at = end
        if kind in ("think", "unthink"):
            hidden = kind == "think"
        else:
            ranks.append(2 * (kind == "end") + opened)
            opened = kind != "end"
    _cut(text, at, len(text), line, pieces, len(ranks), hidden)
    ranks.append(int(opened))
    if "```" in text:
        fences = [piece.line for piece in pieces if text.startswith("```", piece.start)]
        pieces = [piece._replace(fenced=bisect(fences, piece.line) % 2 == 1) for piece in pieces]
    if ":" in text:
        pieces = _with_offers(text, pieces)
    if any(sign in text for sign in (":", '"', "'")):
        pieces = _with_records(text, pieces)
    return Layout(tuple(pieces), tuple(ranks), text)


_RULE = re.compile(r"[ \t|:-]+-[ \t|:-]+")


def _without_columns(text: str) -> str:
    """The text, as long as it was, without the columns of tables that are headed "Comment", "Why" or "Effect".

    A column headed "Action / reason" stays, and so does a row of which nothing else would be left.
    """
    lines = text.split("\n")
    columns, dropped = 0, set[int]()
    for at, line in enumerate(lines):
        cells = line.split("|")
        if at + 1 < len(lines) and "|" in lines[at + 1] and _RULE.fullmatch(lines[at + 1]):
            heads = [re.findall(r"\w+", cell.lower()) for cell in cells]
            explains = [words and (label_of(words) == "thought" or words[-1] == "afterwards") for words in heads]
            dropped = {place for place, words in enumerate(heads) if explains[place] and _ACTIONS.isdisjoint(words)}
            columns = len(cells)
        elif len(cells) != columns:
            columns = 0
        elif any(re.search(r"[^\W\d_]", cell) for place, cell in enumerate(cells) if place not in dropped):
            kept = (" " * len(f"|{cell}") if place in dropped else f"|{cell}" for place, cell in enumerate(cells))
            lines[at] = "".join(kept)[1:]
    return "\n".join(lines)


def _cut(text: str, start: int, end: int, line: int, pieces: list[Piece], block: int, hidden: bool) -> int:
    """Adds the pieces of ``text[start:end]``, which begins on the given line; returns the line it ends on."""
    gap = start == 0
    at = start
    for chunk in re.split("[\n\v]", text[start:end]) if "\v" in text else text[start:end].split("\n"):
        bare = chunk.strip()
        if bare:
            indent = len(chunk) - len(chunk.lstrip())
            pieces.append(Piece(line, at + indent, at + indent + len(bare), indent, block, gap, hidden))
        at += len(chunk) + 1
        gap = not bare and (gap or text[at - 1 : at] != "\v")
        line += at <= end and text[at - 1] == "\n"
    return line


_OPENS = re.compile(r"(?:[A-Za-z_]\w*\s*=\s*)?[\[{][^\]})]*$")
_BELOW = re.compile(r"(?:arg(?:ument)?s|param(?:eter)?s|objects)\s*:\s*[\[{]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz_= "
_LONGEST_RECORD = 20_000


def _with_records(text: str, pieces: list[Piece]) -> list[Piece]:
    """Joins the lines of a JSON value."""
    joined: list[Piece] = []
    closes = 0
    for piece in pieces:
        before = joined[-1] if joined else piece
        below = piece.indent > before.indent and _BELOW.match(text, piece.start)
        if joined and piece.block == before.block and (piece.start < closes or below):
            joined[-1] = before._replace(end=piece.end)
            continue
        joined.append(piece)
        said = text[piece.start : piece.end]
        opens = not piece.hidden and len(said) <= 200 and said[-1] in "[{(,:" and _OPENS.match(said)
        closes = _closing(text, piece.start + len(said) - len(said.lstrip(_LETTERS))) if opens else 0
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


def _with_offers(text: str, pieces: list[Piece]) -> list[Piece]:
    """Marks the paragraph under a heading that announces what could be done, or what is wrong."""
    marked: list[Piece] = []
    heading = kind = ""
    for piece in pieces:
        said = text[piece.start : piece.end]
        heading = "" if piece.gap and not kind else heading
        kind = heading_of(said) if len(said) < 150 and ":" in said[-4:] else ""
        heading = kind or heading
        marked.append(piece._replace(offered=not kind and heading in ("offers", "rejected")))
    return marked


# ── the label of a turn's action ─────────────────────────────────────────────────────────────────

OBSERVATION = front("observation")


def marker_end(text: str, stop: int) -> int:
    """Where the first line's ``Action:`` ends that begins with it, else the last ``Action:`` anywhere; else -1."""
    marked = front("action_line").search(text, 0, stop)
    if marked:
        return marked.end()
    announced = -1
    for match in front("action").finditer(text, 0, stop):
        if not front("ruled_out").search(text, max(match.start() - 24, 0), match.start()):
            announced = match.end()
    return announced
