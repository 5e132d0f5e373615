"""Text to nested lists, on lark's LALR parser; what the lists mean is not known here."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["ELEMENT", "MAX_DEPTH", "Item", "Nesting", "Node", "Piece", "UnbalancedError", "Word", "read_nesting"]

MAX_DEPTH = 200
"""Lists may be nested so deep. What reads the tree recurses, some frames a level, in a stack of 1,000 frames."""

_SHALLOW = 6
"""Lists may be nested so deep in a PIECE of the grammar."""

_RUN = 10_000
"""So many words and lists make a PIECE, or a list in one, at most: what is taken apart lies in memory at once."""


def _lists(depth: int) -> str:
    """The pattern of the lists behind a head, nested at most so deep."""
    # Possessive: where a list is too deep or too long, nothing is gained by trying with less of it.
    return rf"(?:\([^()]*+{_lists(depth - 1)}\)[^()]*+){{0,{_RUN}}}+" if depth else ""


def _plain(pattern: str) -> str:
    # Before Python 3.11.5, possessive repetitions could match too much (python/cpython, issues 100061 and 106052).
    return pattern if sys.version_info >= (3, 11, 5) else re.sub(r"(?<=[*+}])\+", "", pattern)


_PIECE = _plain(rf"(?:[^()\s][^()]*+|\([^()]*+{_lists(_SHALLOW - 1)}\)\s*+){{1,{_RUN}}}+")
ELEMENT = re.compile(_plain(rf"\(([^()]*+)({_lists(_SHALLOW - 1)})\)|([^()\s]++)"))
"""An element of a PIECE: a list, as the words of its head and the rest of its text, or a word."""

_WORD = re.compile(r"[^\s?]+|\?[^\s?]*")
_FLAT = re.compile(r"\(([^()]*)\)\s*")


def _glued(text: str) -> bool:
    # Counting is many times faster than a search with a pattern, which would look at every character.
    return text.count("?") != sum(text.count(before + "?") for before in " (\n\t\r")


class UnbalancedError(Exception):
    """The parentheses of a text do not match."""


class Word(NamedTuple):
    """A symbol and the offset where it stands."""

    text: str
    start: int


class Piece(NamedTuple):
    """A stretch of words and shallow lists, not taken apart yet, and the offset where it begins."""

    text: str
    start: int


class Node:
    """A list: ``head`` is the raw text of the words before its first inner list, ``items`` what follows.

    ``depth`` is how deep lists are nested in it, itself counted, for those that lark built.
    """

    __slots__ = ("depth", "end", "head", "items", "start")

    def __init__(self, start: int, end: int, head: str, items: list[Node | Piece], depth: int = 1):
        self.start = start
        self.end = end
        self.head = head
        self.items = items
        self.depth = depth


Item = Node | Word
_NO_ITEMS: list[Node | Piece] = []


class Nesting:
    """The nested lists of one prepared text, and how to take them apart."""

    def __init__(self, text: str, roots: list[Node | Piece]):
        self.text = text
        self.roots = roots
        # A '?' begins a token wherever it stands: `aircraft?a` is two. Only texts that have it pay for it.
        self.split: Callable[[str], list[str]] = _WORD.findall if _glued(text) else str.split

    def words(self, text: str, offset: int) -> list[Word]:
        """The words of a stretch of text with their offsets."""
        return [Word(match[0], offset + match.start()) for match in _WORD.finditer(text)]

    def elements(self, items: list[Node | Piece]) -> Iterator[Item]:
        """The words and lists of some items, in order."""
        for item in items:
            if isinstance(item, Node):
                yield item
                continue
            for match in ELEMENT.finditer(item.text):
                if match[3]:
                    yield from self.words(match[3], item.start + match.start())
                else:
                    yield self.node(match, item.start)

    def node(self, match: re.Match[str], base: int) -> Node:
        """The list that ELEMENT matched in a piece that begins at an offset."""
        head, rest = match[1], match[2]
        start = base + match.start()
        items: list[Node | Piece] = [Piece(rest, start + 1 + len(head))] if rest else _NO_ITEMS
        return Node(start, base + match.end(), head, items)

    def flat(self, text: str) -> list[str] | None:
        """The words of a text that is one flat list and nothing else; None where it is not."""
        match = _FLAT.fullmatch(text)
        return self.split(match[1]) if match else None

    def all(self, node: Node) -> list[Item]:
        """Everything in a list, the words of its head included."""
        return [*self.words(node.head, node.start + 1), *self.elements(node.items)]

    def argument(self, start: int, number: int) -> int:
        """The offset of a word in the list that opens at an offset: 0 is its head, 1 the first argument."""
        end = self.text.find(")", start)
        words = self.words(self.text[start + 1 : len(self.text) if end < 0 else end], start + 1)
        return words[number].start if number < len(words) else start


@lru_cache(maxsize=1)
def _parser() -> Lark:
    # Imported here: a command that reads no PDDL should not wait for lark.
    from importlib import resources

    from lark import Lark, Transformer

    class Lists(Transformer):  # type: ignore[type-arg]
        def nested(self, children: list[Any]) -> Node:
            opening = children[0]
            start: int = opening.start_pos
            items = children[1:-1]
            # A piece counts as deep as it may be.
            depth = max((item.depth if type(item) is Node else _SHALLOW for item in items), default=0) + 1
            return Node(start, children[-1].start_pos + 1, opening[1:], items, depth)

        def start(self, children: list[Any]) -> list[Any]:
            return children

        def PIECE(self, token: Any) -> Piece:
            return Piece(token, token.start_pos)

    grammar = resources.files("pddl2nl.pddl").joinpath("grammar.lark").read_text("utf-8")
    return Lark(f"{grammar}\nPIECE.3: /{_PIECE}/\n", parser="lalr", lexer="basic", transformer=Lists())


def read_nesting(text: str) -> Nesting:
    """The nested lists of a prepared text; UnbalancedError where its parentheses do not match."""
    from lark.exceptions import UnexpectedInput

    try:
        roots: Any = _parser().parse(text)
    except UnexpectedInput:
        raise UnbalancedError from None
    return Nesting(text, roots)
