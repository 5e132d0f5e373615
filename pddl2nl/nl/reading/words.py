"""Words as the reader compares them, folded for case and hyphens, and snippets matched letter by letter."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

LEXICON: dict[str, Any] = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))
"""The reader's words and phrases, each with an example (`lexicon.toml`)."""


_BLANK = re.compile(r"(\(\?<[!=][^)]*\))| ([*?]?)")


@cache
def phrases(name: str, section: str = "phrases", *, opening: bool = False) -> re.Pattern[str]:
    """A pattern of all phrases of that name; ``opening``: at the beginning of a text, behind small words."""
    said = "|".join(f"(?:{entry['say']})" for entry in LEXICON[section][name])
    said = _BLANK.sub(lambda match: match[1] or (r"\s" if match[2] else r"\s+") + match[2], said).replace("'", "['’]")
    return re.compile(rf"(?:{said})" if opening else rf"(?<!\w)(?:{said})(?!\w)", re.IGNORECASE)


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


ARTICLES = word_set("the a an this that these those its my our your")
"""Words before a noun that say nothing about which object is meant."""

FILLERS = word_set(
    "and back now then again carefully safely currently also just simply directly first next finally over located "
    "standing lying sitting parked there here both object objects once straight all way called named labeled labelled"
)
"""Words within an action that change nothing about what is done."""

PARTICLES = word_set("up down off out away back over")
"""Words that belong to a verb, next to it or behind its object."""

PRONOUNS = word_set(
    "it them this that these those one another something everything other others any each all its itself him her "
    "there here nothing anything they"
)
"""Words that stand for an object without naming one."""

PREPOSITIONS = word_set(
    "to from at in into inside on onto off with by using via toward towards under near behind beside of for between "
    "above below over through across along atop upon within against next around beneath"
)
"""Words behind which a snippet's noun announces what stands in its slot."""

_CHUNK = re.compile(r"[^\s,;]+|[,;]")
_EDGE = "\\.,;:!?\"'`*()[]{}<>“”‘’«»…~"
_INVISIBLE = re.compile(r"[\\\xad\u200b-\u200f\u2060\ufeff]")
_DASHES = word_set("- -- – — / # // & = +")
_ARROWS = word_set("-> --> → => |")
_POSSESSIVES = ("'s", "’s")
_OPENING = frozenset("([")


class Word(NamedTuple):
    """One word: ``text`` is folded, ``raw`` as it stands at ``start``..``end``.

    ``parted`` is the mark that parts it from the word before it (one of ``. ? ; : , ( - >``), or empty; ``aside``:
    it stands in brackets.
    """

    text: str
    raw: str
    start: int
    end: int
    parted: str = ""
    aside: bool = False


def fold(name: str) -> str:
    """A name as it is compared: lower case, hyphens as underscores."""
    return name.lower().replace("-", "_")


def words_of(text: str) -> list[Word]:
    """The words of a text without the punctuation around them; a possessive ``'s`` is a word of its own."""
    words: list[Word] = []
    parted = ""
    depth = 0
    for match in _CHUNK.finditer(text):
        raw = match[0]
        begin = match.start()
        if raw.isalnum():
            words.append(Word(raw.lower(), raw, begin, begin + len(raw), parted, depth > 0))
            parted = ""
            continue
        core = raw.lstrip(_EDGE)
        left = len(raw) - len(core)
        core = core.rstrip(_EDGE)
        aside = depth > 0 or (left > 0 and not _OPENING.isdisjoint(raw[:left]))
        depth = max(0, depth + sum((letter in _OPENING) - (letter in ")]") for letter in raw))
        if not core or core in _DASHES or raw in _ARROWS:
            parted = ">" if raw in _ARROWS else _break(raw) or "-"
            continue
        if left and raw[0] in "([{":
            parted = "("
        begin += left
        end = begin + len(core)
        if raw in _POSSESSIVES:
            words.append(Word("'s", raw, begin - left, end, "", aside))
        elif core.endswith(_POSSESSIVES) and len(core) > 2:
            words.append(Word(fold(core[:-2]), core[:-2], begin, end - 2, parted, aside))
            words.append(Word("'s", core[-2:], end - 2, end, "", aside))
        else:
            plain = core if core.isascii() and "\\" not in core else _INVISIBLE.sub("", core)
            words.append(Word("at" if core == "@" else fold(plain), core, begin, end, parted, aside))
        parted = _break(raw[left + len(core) :])
    return words


def _break(marks: str) -> str:
    """The strongest break among punctuation marks; none in quotes, stars and backticks."""
    for mark in ".;:,?":
        if mark in marks:
            return mark
    if "!" in marks:
        return "."
    return "(" if set(marks) & set("()]") else ""


# Phrases that say the same between an action's objects; the longest are tried first.
_REDUCED: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): plain
    for plain, phrases in {
        "on": "on top of|on to|onto|upon|atop",
        "in": "in to|into|inside",
        "to": "over to|towards|toward",
        "with": "using|use|via|by means of",
        "from": "from on top of|off the top of|from the top of|from top of|off top of|off of|from on|out of|out from"
        "|away from|from inside|off",
    }.items()
    for phrase in phrases.split("|")
}
_REDUCED_STARTS = frozenset(phrase[0] for phrase in _REDUCED)


def reduced_prepositions(words: Sequence[str]) -> list[str]:
    """The words with prepositional phrases of one meaning replaced by one word ("from on top of" is "from")."""
    reduced: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word in _REDUCED_STARTS:
            for length in (4, 3, 2, 1):
                plain = _REDUCED.get(tuple(words[index : index + length]))
                if plain is not None:
                    word = plain
                    index += length - 1
                    break
        reduced.append(word)
        index += 1
    return reduced


# ── verbs ────────────────────────────────────────────────────────────────────────────────────────

_IRREGULAR = {
    "drive": "drove driven", "take": "took taken", "give": "gave given", "go": "went gone goes", "make": "made",
    "fly": "flew flown", "throw": "threw thrown", "send": "sent", "leave": "left", "lay": "laid", "get": "got gotten",
    "bring": "brought", "build": "built", "buy": "bought", "catch": "caught", "choose": "chose chosen",
    "do": "did done", "draw": "drew drawn", "eat": "ate eaten", "feed": "fed", "find": "found", "hold": "held",
    "keep": "kept", "sell": "sold", "slide": "slid", "swing": "swung", "wear": "wore worn", "write": "wrote written",
    "run": "ran", "put": "put", "set": "set", "cut": "cut", "shut": "shut", "let": "let", "ride": "rode ridden",
    "rise": "rose risen", "sink": "sank sunk", "swim": "swam swum", "fall": "fell fallen", "overcome": "overcame",
    "hang": "hung", "freeze": "froze frozen", "break": "broke broken", "feel": "felt", "teach": "taught",
    "think": "thought",
}  # fmt: skip

SYNONYMS: dict[str, tuple[str, ...]] = {
    "put": ("place", "set", "lay"),
    "place": ("put", "set"),
    "stack": ("put", "place", "set"),
    "unstack": ("take", "remove", "lift"),
    "pick": ("take", "lift"),
    "load": ("put", "place"),
    "unload": ("take", "remove"),
    "switch": ("turn",),
    "move": ("go", "travel", "relocate", "transfer", "return"),
    "go": ("move", "travel", "walk", "return"),
    "navigate": ("go", "move", "walk", "travel", "head", "return"),
    "walk": ("go", "move"),
    "drive": ("move", "go", "travel", "return"),
    "sail": ("move", "go", "travel", "return"),
    "fly": ("move", "go", "travel", "return"),
}
"""Verbs that say the same where nothing else in the sentence differs."""


def verb_forms(verb: str) -> dict[str, str]:
    """The forms of a verb with what each can be: ``base``, ``s``, ``ing`` or ``past`` (the participle included)."""
    stem = verb[:-1] if verb.endswith("e") else verb
    forms = {f"{stem}ed": "past", f"{stem}ing": "ing", f"{verb}s": "s"}
    if verb[-1:] in tuple("sxzo") or verb[-2:] in ("ch", "sh"):
        forms[f"{verb}es"] = "s"
    if len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou" and verb[-3] not in "aeiou":
        forms |= {f"{verb}{verb[-1]}ed": "past", f"{verb}{verb[-1]}ing": "ing"}
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        forms |= {f"{verb[:-1]}ies": "s", f"{verb[:-1]}ied": "past"}
    forms |= {form: "s" if form.endswith("es") else "past" for form in _IRREGULAR.get(verb, "").split()}
    return forms | {verb: "base"}


T = TypeVar("T")
_REGEX_SLOT = r"(\S+)"


class ExactForm(Generic[T]):
    """One snippet, cut into literal pieces and slots, that answers with ``meaning`` and what stands in its slots."""

    def __init__(self, meaning: T, parts: Sequence[str | int], arity: int):
        self.meaning = meaning
        self.parts = tuple(parts)
        self.arity = arity
        self.slots = tuple(part for part in parts if isinstance(part, int))
        self._simple = len(self.slots) == len(set(self.slots)) == arity and not self._is_tight()
        self.longest = max((part for part in parts if isinstance(part, str)), key=len, default="")
        pattern = "".join(re.escape(part) if isinstance(part, str) else _REGEX_SLOT for part in self.parts)
        self._match = re.compile(pattern).fullmatch
        self._order = tuple(self.slots.index(index) for index in range(arity)) if self._simple else ()

    def _is_tight(self) -> bool:
        """Whether a slot touches something that is no blank, so that its end is not simply the next blank."""
        for index, part in enumerate(self.parts):
            if isinstance(part, int):
                continue
            if index > 0 and not part[0].isspace():
                return True
            if index + 1 < len(self.parts) and not part[-1].isspace():
                return True
        return False

    def read(self, text: str, known: Callable[[str], bool]) -> list[tuple[str, ...]]:
        """All ways to see the text as this form filled, as arguments in the parameters' order.

        A slot holds no blank. Where punctuation touches a slot its end is not certain; ``known`` says which
        names exist, and every split into known names is given (usually one).
        """
        match = self._match(text)
        if match is None:
            return []
        if self._simple:
            matches = match.groups()
            return [tuple([matches[index] for index in self._order])]
        unique = dict.fromkeys(self._splits(text, known))
        return list(unique)

    def _splits(self, text: str, known: Callable[[str], bool]) -> Iterator[tuple[str, ...]]:
        bound: list[str | None] = [None] * self.arity

        def step(index: int, at: int) -> Iterator[tuple[str, ...]]:
            if index == len(self.parts):
                if at == len(text):
                    yield tuple(item or "" for item in bound)
                return
            part = self.parts[index]
            if isinstance(part, str):
                if text.startswith(part, at):
                    yield from step(index + 1, at + len(part))
                return
            before = bound[part]
            for end in self._ends(text, at, index):
                name = text[at:end]
                if (before is None or before == name) and known(name):
                    bound[part] = name
                    yield from step(index + 1, end)
            bound[part] = before

        yield from step(0, 0)

    def _ends(self, text: str, at: int, index: int) -> Iterator[int]:
        """Where the slot at ``index`` may end: before each further place of the literal that follows it."""
        stop = text.find(" ", at)
        stop = len(text) if stop < 0 else stop
        if index + 1 == len(self.parts):
            if stop == len(text):
                yield stop
            return
        literal = self.parts[index + 1]
        end = text.find(str(literal), at + 1)
        while 0 <= end <= stop:
            yield end
            end = text.find(str(literal), end + 1)


class FormIndex(Generic[T]):
    """Forms found quickly: those that begin with a literal by its first word, the others by their longest literal."""

    def __init__(self, forms: Iterable[ExactForm[T]]):
        self._by_word: dict[str, list[ExactForm[T]]] = {}
        self._others: list[ExactForm[T]] = []
        self._complete: dict[str, list[ExactForm[T]]] = {}
        for form in forms:
            first = form.parts[0] if form.parts else 0
            if form.arity == 0:
                self._complete.setdefault(str(first), []).append(form)
            elif isinstance(first, str) and first.find(" ") > 0:
                self._by_word.setdefault(first[: first.index(" ")], []).append(form)
            else:
                self._others.append(form)

    def read(self, text: str, known: Callable[[str], bool]) -> list[tuple[ExactForm[T], tuple[str, ...]]]:
        """Every form that the text fills, with its arguments."""
        matches: list[tuple[ExactForm[T], tuple[str, ...]]] = [(form, ()) for form in self._complete.get(text, ())]
        blank = text.find(" ")
        likely = self._by_word.get(text[:blank], []) if blank > 0 else []
        for form in (*likely, *(form for form in self._others if form.longest in text)):
            matches += [(form, args) for args in form.read(text, known)]
        return matches
