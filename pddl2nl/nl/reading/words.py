"""Words as the reader compares them: folded for case and hyphens, with the punctuation around them set aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["ARTICLES", "FILLERS", "PARTICLES", "PREPOSITIONS", "PRONOUNS", "SYNONYMS", "Word", "fold"]
__all__ += ["reduced_prepositions", "verb_forms", "word_set", "words_of"]


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
            words.append(Word("at" if core == "@" else fold(core), core, begin, end, parted, aside))
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
    "do": "did done", "draw": "drew drawn", "eat": "ate eaten", "feed": "fed", "find": "words", "hold": "held",
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
