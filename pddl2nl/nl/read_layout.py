"""The layout of a reply: plan tags, hidden thoughts, lines, and what stands before an action on its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from pddl2nl.nl.markers import PLAN_END, PLAN_START

__all__ = ["Block", "Layout", "Peeled", "Piece", "lay_out", "peel"]


class Piece(NamedTuple):
    """A line, or the part of it between tags, without the blanks around it.

    ``block`` counts the stretches between plan tags, from 0; ``gap``: a blank line stands before it;
    ``hidden``: it lies in a stretch that a model marked as thinking.
    """

    line: int
    start: int
    end: int
    indent: int
    block: int
    gap: bool
    hidden: bool


class Block(NamedTuple):
    """A stretch between plan tags: whether a start tag opens it and whether an end tag closes it."""

    opened: bool
    closed: bool


@dataclass(frozen=True)
class Layout:
    """A reply cut into pieces, with the blocks that they lie in."""

    pieces: tuple[Piece, ...]
    blocks: tuple[Block, ...]

    @property
    def ended(self) -> bool:
        """Whether an end tag stands anywhere."""
        return any(block.closed for block in self.blocks)


_START_NAMES = rf"{re.escape(PLAN_START)}|\[\s*(?:plan[ _]?start|start[ _](?:of[ _])?plan|begin[ _]plan|plan)\s*\]"
_END_NAMES = rf"{re.escape(PLAN_END)}|\[\s*(?:/\s*plan|plan[ _]?end|end[ _](?:of[ _])?plan|plan[ _]ended)\s*\]"
_TAG = re.compile(
    rf"(?P<end>{_END_NAMES}|<\s*/\s*plan\s*>|^[ \t#*_>]*(?:plan end|end of (?:the )?plan|end plan)[ \t*_.:]*$)"
    rf"|(?P<start>{_START_NAMES}|<\s*plan\s*>)"
    r"|(?P<think><\s*(?:think|thinking|thought|reasoning|scratchpad)\s*>)"
    r"|(?P<unthink><\s*/\s*(?:think|thinking|thought|reasoning|scratchpad)\s*>)",
    re.IGNORECASE | re.MULTILINE,
)


def lay_out(text: str) -> Layout:
    """Cuts a reply at line breaks and plan tags. Tags inside a hidden thought don't count."""
    pieces: list[Piece] = []
    blocks: list[Block] = []
    opened = hidden = False
    at, line = 0, 1
    for match in _TAG.finditer(text):
        kind = match.lastgroup
        if hidden and kind != "unthink":
            continue
        if kind == "unthink" and not hidden:
            # Chat templates often swallow the opening tag: all before the closing one was thinking.
            pieces = [piece._replace(hidden=True) for piece in pieces]
        line = _cut(text, at, match.start(), line, pieces, len(blocks), hidden or kind == "unthink")
        at = match.end()
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
    return Layout(tuple(pieces), tuple(blocks))


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


class Peeled(NamedTuple):
    """A piece without what stands before its content.

    ``start``: offset of the content in the piece; ``markup``, ``prefix``: what was taken off (list marks and
    emphasis; labels and polite words); ``polite``: the prefix had words of a sentence ("I will");
    ``number``, ``item``: its list mark; ``label``: "action" for a label that announces an action, "thought" for
    one that announces something else, or empty; ``bare``: nothing else stands there.
    """

    start: int
    markup: bool
    prefix: bool
    polite: bool
    number: int | None
    item: str
    label: str
    bare: bool


_MARKS = re.compile(r"(?:[*_`~\"'“”‘’«»]|\[(?=[\w\"'])|\\)+\s*|\|\s*|>+\s*|#{1,6}\s+|\[[ xX✓]?\]\s+")
_BULLET = re.compile(r"([-*+•‣◦▪●–—→])\s+|->\s*|=>\s*")
_NUMBER = re.compile(
    r"\d+\.\d+\s*:\s*"
    r"|(?:\d+\.)+(?P<deep>\d+)[.):]?\s+"
    r"|[(\[]?(?P<plain>\d{1,4})(?:[.):\]]+(?=\D|$)|\s+[-–—|]\s)\s*"
    r"|#(?P<hash>\d+)[.:)]?\s+"
    r"|[(]?[a-hA-H]\)\s+"
)
_DECORATED = r"[*_`\"'”’]*"
_ORDINAL = r"(?:\s*(?:no\.?|number|#)?\s*(?P<count>\d+)(?:\s*/\s*\d+)?)?"
_ACTION_LABEL = re.compile(
    r"(?:(?:my|the|your|our|so|therefore)[, ]\s*)*(?:next|final|first|chosen|selected|best|proposed|following)?\s*"
    rf"(?:(?:action|step|move|command|answer|plan|output|response|decision|act|instruction|operation){_ORDINAL}"
    rf"(?:\s*\([^()]{{0,80}}\))?(?:{_DECORATED}\s*[:=]{_DECORATED}\s*|\s+[-–—]\s+)"
    r"|(?:action|step|move|command)\s+(?:is|would be|will be)(?:\s+to|:)?\s+(?=\S))",
    re.IGNORECASE,
)
_STEP_ONLY = re.compile(rf"(?:action|step|move|turn|task|phase)\s*#?\s*(?P<count>\d+){_DECORATED}\s*[.):,]?\s*", re.I)
_OTHER_LABEL = re.compile(
    r"(?:my |the |your |new |current |resulting |initial |final |updated |next |all |key )*"
    r"(?:thoughts?|think|thinking|reasoning|reasons?|rationale|observations?|obs|results?|explanations?|notes?|"
    r"comments?|pre-?conditions?|effects?|post-?conditions?|states?|goals?|sub-?goals?|conditions?|why|checks?|"
    r"analysis|justification|after|before|currently|now|facts?|status|outcome|warning|assumptions?|summary|"
    r"objective|purpose|situation|add effects?|delete effects?|false|true|question|user|system|tool)"
    rf"(?:\s+(?:\d+|after|before|of|for|at)[^:]{{0,40}})?{_DECORATED}\s*:{_DECORATED}\s*",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?:i(?:['’]ll|['’]m going to| will| am going to| shall| then| now| would)?"
    r"|we(?:['’]ll| will| then| now)?|let['’]?s|let us|let me|then|next|now|please|first(?:ly)?|second(?:ly)?"
    r"|third(?:ly)?|finally|lastly|and|so|also|again|after that|afterwards|subsequently|go ahead and|proceed to"
    r"|simply|just|ok|okay|sure|alright|to (?:begin|start)(?: with)?)(?:\s*[,:]\s*|\s*\.\.\.\s*|\s+)",
    re.IGNORECASE,
)


def peel(text: str) -> Peeled:
    """Takes list marks, emphasis, labels and polite words off the front of a line."""
    at = 0
    markup = prefix = polite = False
    number: int | None = None
    item = label = ""
    first = text[:1]
    if first.isalpha() and first.islower() and _PLAIN_WORD.match(text) is None:
        return Peeled(0, False, False, False, None, "", "", False)
    while at < len(text):
        if match := (_BULLET.match(text, at) if not prefix else None):
            markup, item = True, item or (match[1] or "->")
        elif match := (_NUMBER.match(text, at) if not prefix else None):
            markup, item = True, "number"
            count = match["plain"] or match["deep"] or match["hash"]
            number = int(count) if count and number is None else number
        elif match := _MARKS.match(text, at):
            markup = True
        elif match := _OTHER_LABEL.match(text, at):
            label = "thought"
            at = match.end()
            break
        elif match := _ACTION_LABEL.match(text, at) or _STEP_ONLY.match(text, at):
            prefix, label = True, "action"
            if match["count"]:
                number, item = (int(match["count"]) if number is None else number), item or "number"
        elif match := _POLITE.match(text, at):
            prefix = polite = True
        else:
            break
        if match.end() == at:
            break
        at = match.end()
    return Peeled(at, markup, prefix, polite, number, item, label, not text[at:].strip(" *_`#-:.\"'"))


# A line whose first word is none of these has nothing to peel: most lines of a plan.
_PLAIN_WORD = re.compile(
    r"(?:i|we|let|then|next|now|please|first|second|third|final|last|and|so|also|again|after|subsequently|go |proceed"
    r"|simply|just|ok|sure|alright|to |my |the |your |our |therefore|chosen|selected|best|proposed|following|action"
    r"|step|move|command|answer|plan|output|response|decision|act|instruction|operation|turn|task|phase"
    r"|thought|think|reason|rationale|obs|result|explanation|note|comment|pre|effect|post|state|goal|sub|condition"
    r"|why|check|analysis|justification|before|current|fact|status|outcome|warning|assumption|summary|objective"
    r"|purpose|situation|add|delete|false|true|question|user|system|tool|new|initial|updated|all |key |[a-h]\))",
)
