"""PDDL text to nested lists; what the lists mean is decided elsewhere.

``grammar.lark`` is the definition, and a test holds this module to it. A text is first read without places
(`read_lists`), which is fast. Only a text with something to report is read again with places (`read_placed_lists`):
its words and lists then have their places.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from pddl2nl.pddl.diagnostics import NOWHERE, Span

MAX_DEPTH = 200
"""How deep lists may be nested. The code that reads the tree recurses, several frames a level, on Python's stack."""

Item: TypeAlias = "str | list[Item]"
"""A word, a list without inner lists as its text (``(on a b)``), or a list: first its words, then what follows.

Most lists in PDDL are atoms. They stay text until someone needs their words, which saves time and memory.
"""

_COMMENT = re.compile(r";[^\r\n]*")
# A match is a parenthesis with the words after it. The patterns never backtrack, so that reading stays linear.
_TOKEN = re.compile(r"\([^()]*\)?|\)|[^\s()]+")
_WORD = re.compile(r"[^\s?]+|\?[^\s?]*")
_PARENTHESIS = re.compile(r"[()]")


class UnbalancedError(Exception):
    """The parentheses of a text do not match, or are nested too deep to be read without places."""


class PlacedText(str):
    """A word, or a list without inner lists, with the place of its text."""

    __slots__ = ("end", "start")

    start: int
    end: int

    @classmethod
    def at(cls, text: str, start: int, length: int | None = None) -> PlacedText:
        """A text at a character offset; ``length`` says how long it is there, if it was changed."""
        made = cls(text)
        made.start = start
        made.end = start + (len(text) if length is None else length)
        return made


class PlacedList(list["Item"]):
    """A list with inner lists, with the place of its text."""

    __slots__ = ("end", "start")

    def __init__(self, words: list[Item], start: int):
        super().__init__(words)
        self.start = self.end = start


def span_of(item: Item) -> Span:
    """The place of an item; `NOWHERE` without places."""
    return Span(item.start, item.end) if isinstance(item, PlacedText | PlacedList) else NOWHERE


def is_word(item: Item) -> bool:
    """Whether an item is a word and not a list."""
    return isinstance(item, str) and item[0] != "("


def contents(item: Item) -> list[Item]:
    """The words and lists in a list."""
    if isinstance(item, list):
        return item
    if isinstance(item, PlacedText):
        return words_at(item[1:-1], item.start + 1)
    return item[1:-1].split()  # type: ignore[return-value]


def plain_words(item: str) -> list[str]:
    """The words in a list without inner lists, without places."""
    return [str(word) for word in contents(item)] if isinstance(item, PlacedText) else item[1:-1].split()


def first_word(item: Item) -> str:
    """The word that a list begins with; empty if it begins with none."""
    if not isinstance(item, list):
        if type(item) is str:
            found = item[1:-1].split(None, 1)
            return found[0] if found else ""
        item = contents(item)
    first = item[0] if item else ""
    return first if isinstance(first, str) and first[:1] != "(" else ""


def words_at(text: str, start: int) -> list[Item]:
    """The words of a text that begins at a character offset. A ``?`` begins a word: ``aircraft?a`` is two."""
    return [PlacedText.at(match[0], start + match.start()) for match in _WORD.finditer(text)]


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):
        # A few letters, such as the Turkish dotted capital I, grow in lower case: they stay as they are.
        lowered = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return lowered


def prepare(text: str) -> str:
    """The text in lower case, its comments and byte order mark blanked out; every offset stays true."""
    if ";" in text:
        text = _COMMENT.sub(lambda match: " " * (match.end() - match.start()), text)
    return _lowered(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)


def read_lists(text: str) -> list[Item]:
    """The words and lists of a text, without places.

    Raises:
        UnbalancedError: the parentheses do not match, or lists are nested more than `MAX_DEPTH` deep.
    """
    text = _lowered(_COMMENT.sub("", text).removeprefix("\ufeff")).replace("?", " ?")
    current: list[Item] = []
    above: list[list[Item]] = []
    for token in _TOKEN.findall(text):
        if token[0] == "(":
            if token[-1] == ")":
                current.append(token)
            else:
                words: list[Item] = token[1:].split()
                current.append(words)
                above.append(current)
                current = words
                if len(above) >= MAX_DEPTH:
                    raise UnbalancedError
        elif token == ")":
            if not above:
                raise UnbalancedError
            current = above.pop()
        else:
            current.append(token)
    if above:
        raise UnbalancedError
    return current


def read_placed_lists(prepared: str) -> list[Item]:
    """The words and lists of a prepared text, with places and however deep.

    Raises:
        UnbalancedError: the parentheses do not match.
    """
    current: list[Item] = []
    above: list[list[Item]] = []
    for match in _TOKEN.finditer(prepared):
        token, start = match[0], match.start()
        if token[0] == "(":
            if token[-1] == ")":
                current.append(PlacedText.at(token, start))
            else:
                opened = PlacedList(words_at(token[1:], start + 1), start)
                current.append(opened)
                above.append(current)
                current = opened
        elif token == ")":
            if not isinstance(current, PlacedList):
                raise UnbalancedError
            current.end = match.end()
            current = above.pop()
        else:
            current.extend(words_at(token, start))
    if above:
        raise UnbalancedError
    return current


def too_deep(prepared: str, limit: int = MAX_DEPTH) -> int | None:
    """The offset of the first parenthesis that opens more than ``limit`` lists, or None."""
    depth = 0
    for match in _PARENTHESIS.finditer(prepared):
        depth += 1 if match[0] == "(" else -1
        if depth > limit:
            return match.start()
    return None


def argument_start(prepared: str, start: int, number: int) -> int:
    """The offset of a word in the list that opens at an offset: 0 is its head, 1 the first argument."""
    end = prepared.find(")", start)
    words = words_at(prepared[start + 1 : len(prepared) if end < 0 else end], start + 1)
    return span_of(words[number]).start if number < len(words) else start
