"""Words as the reader compares them: folded for case and hyphens, with the punctuation around them set aside."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = [
    "ARTICLE",
    "ARTICLES",
    "FILLERS",
    "PREPOSITIONS",
    "PRONOUNS",
    "RELATIVES",
    "SYNONYMS",
    "Word",
    "fold",
    "is_judged",
    "is_reason",
    "is_mere_aside",
    "reduced_prepositions",
    "refuses",
    "tail_is_harmless",
    "verb_forms",
    "word_set",
    "words_of",
]


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


ARTICLE = "the"
ARTICLES = word_set("the a an this that these those its my our your")
"""Words before a noun that say nothing about which object is meant."""

RELATIVES = word_set("which who that where whose")
"""Words that begin a clause about the object before them."""

FILLERS = word_set(
    "and back now then again carefully safely currently also just simply directly first next finally over located "
    "standing lying sitting parked currently there here both object objects once straight all way "
    "called named labeled labelled"
)
"""Words within an action that change nothing about what is done."""

PRONOUNS = word_set(
    "it them this that these those one another something everything other others any each all its itself "
    "him her there here nothing anything"
)
"""Words that stand for an object without naming one: a line that needs them is unreadable, not wrong."""

PREPOSITIONS = word_set(
    "to from at in into inside on onto off with by using via toward towards under near behind beside of for between "
    "above below over through across along atop upon within against next around beneath"
)
"""Words behind which a snippet's noun announces what stands in its slot."""

_CHUNK = re.compile(r"[^\s,;]+|[,;]")
_EDGE = "\\.,;:!?\"'`*()[]{}<>“”‘’«»…~"
_DASHES = frozenset(("-", "--", "–", "—", "/", "#", "//", "&", "=", "+"))
_ARROWS = frozenset(("->", "-->", "→", "=>", "|"))
_POSSESSIVES = ("'s", "’s")


class Word(NamedTuple):
    """One word: ``text`` is folded, ``raw`` as it stands at ``start``..``end``.

    ``parted`` is the mark that parts it from the word before it (one of ``. ? ; : , ( - >``), or empty.
    """

    text: str
    raw: str
    start: int
    end: int
    parted: str


def fold(name: str) -> str:
    """A name as it is compared: lower case, hyphens as underscores."""
    return name.lower().replace("-", "_")


def words_of(text: str, start: int = 0) -> list[Word]:
    """The words of a text; ``start`` is added to their offsets.

    Punctuation around a word is dropped, but breaks are kept in ``parted``. A possessive ``'s`` is a word of
    its own.
    """
    found: list[Word] = []
    parted = ""
    for match in _CHUNK.finditer(text):
        raw = match[0]
        begin = start + match.start()
        if raw.isalnum():
            found.append(Word(raw.lower(), raw, begin, begin + len(raw), parted))
            parted = ""
            continue
        core = raw.lstrip(_EDGE)
        left = len(raw) - len(core)
        core = core.rstrip(_EDGE)
        if not core or core in _DASHES or raw in _ARROWS:
            parted = ">" if raw in _ARROWS else _break(raw) or "-"
            continue
        if left and raw[0] in "([{":
            parted = "("
        begin += left
        end = begin + len(core)
        if core == "@":
            found.append(Word("at", raw, begin, end, parted))
        elif raw in _POSSESSIVES:
            found.append(Word(_POSSESSIVES[0], raw, begin - left, end, ""))
        elif core.endswith(_POSSESSIVES) and len(core) > 2:
            found.append(Word(fold(core[:-2]), core[:-2], begin, end - 2, parted))
            found.append(Word(_POSSESSIVES[0], core[-2:], end - 2, end, ""))
        else:
            found.append(Word(fold(core), core, begin, end, parted))
        parted = _break(raw[left + len(core) :])
    return found


def _break(marks: str) -> str:
    """The strongest break among punctuation marks; none in quotes, stars and backticks."""
    for mark in ".;:,":
        if mark in marks:
            return mark
    if "?" in marks:
        return "?"
    if "!" in marks:
        return "."
    return "(" if ")" in marks or "(" in marks or "]" in marks else ""


# Phrases that say the same between an action's objects; the longest are tried first.
_PREPOSITIONS: dict[tuple[str, ...], str] = {
    ("on", "top", "of"): "on",
    ("from", "on", "top", "of"): "from",
    ("off", "the", "top", "of"): "from",
    ("from", "the", "top", "of"): "from",
    ("from", "top", "of"): "from",
    ("off", "top", "of"): "from",
    ("off", "of"): "from",
    ("from", "on"): "from",
    ("out", "of"): "from",
    ("out", "from"): "from",
    ("away", "from"): "from",
    ("over", "to"): "to",
    ("from", "inside"): "from",
    ("on", "to"): "on",
    ("in", "to"): "in",
    ("onto",): "on",
    ("upon",): "on",
    ("atop",): "on",
    ("into",): "in",
    ("inside",): "in",
    ("off",): "from",
    ("towards",): "to",
    ("toward",): "to",
    ("using",): "with",
    ("use",): "with",
    ("via",): "with",
    ("by", "means", "of"): "with",
}
_PREPOSITION_STARTS = frozenset(phrase[0] for phrase in _PREPOSITIONS)


def reduced_prepositions(words: Sequence[str]) -> list[str]:
    """The words with prepositional phrases of one meaning replaced by one word ("from on top of" is "from")."""
    reduced: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word in _PREPOSITION_STARTS:
            for length in (4, 3, 2, 1):
                phrase = tuple(words[index : index + length])
                if len(phrase) == length and phrase in _PREPOSITIONS:
                    word = _PREPOSITIONS[phrase]
                    index += length - 1
                    break
        reduced.append(word)
        index += 1
    return reduced


_REASONS = word_set(
    "since because so as making leaving clearing freeing ensuring allowing giving therefore thus which where while for"
)
_PHRASES = word_set(
    "from on onto in into to at with by of back down up off using again carefully safely there first next now "
    "before after"
)
_VERBS = word_set("is are was becomes must can will has needs stays remains")
_CONDITIONS = word_set(
    "if when whenever unless until only would could should might may can cannot must is are was were be been "
    "will not never or fails failed requires needs"
)


_REFUSALS = word_set(
    "impossible inapplicable invalid illegal wrong disallowed forbidden infeasible pointless useless unnecessary"
)
_REFUSED_WITH_NOT = word_set(
    "possible applicable allowed valid legal permitted feasible executable necessary needed useful correct"
)
# "(this fails)" rules out; "(otherwise the next step fails)", further on in a tail, is a reason.
_JUDGES = word_set(
    "is are was were fail fails failed would could should can cannot can't isn't aren't won't works work"
)
_FAILURES = word_set("fail fails failed failing ❌ ❎ ✖ ✗ ✘")
_DEEDS = word_set("done executed applied performed taken carried used")
_ENDED = word_set("done finished complete completed reached achieved it all")
_ASIDE_CONDITIONS = word_set("if unless until only would could should cannot never")


def refuses(tail: Sequence[Word]) -> bool:
    """Whether the first words behind an action rule it out: ": not possible", "(this would be wrong)"."""
    said = [word.text for word in tail[:8]]
    if not _FAILURES.isdisjoint(said[:3]):
        return True
    return any(
        word in _REFUSALS
        or (word in _REFUSED_WITH_NOT and "not" in said[max(index - 2, 0) : index])
        or (
            word in ("cannot", "can't", "can’t") and said[index + 1 : index + 2] == ["be"] and _is_deed(said, index + 2)
        )
        for index, word in enumerate(said)
    )


def _is_deed(said: Sequence[str], index: int) -> bool:
    return index < len(said) and said[index] in _DEEDS


def is_mere_aside(words: Sequence[Word]) -> bool:
    """Whether words in brackets are said by the way: neither a refusal nor a condition ("(only if c is clear)")."""
    return not refuses(words) and not (words and words[0].text in _ASIDE_CONDITIONS)


def tail_is_harmless(tail: Sequence[Word], is_object: Callable[[Word], bool]) -> bool:
    """Whether words that stand behind a complete action leave it an action.

    A reason or purpose may follow ("since it is clear", "(…)", ", so that b is free", "to free b"), a new
    sentence, a remark behind a dash or an arrow, and a short phrase that names no object ("on the table"). A
    condition, a judgement, a sentence of which the action is only the subject, or more objects may not ("if it is
    clear", ": not possible", "would be wrong", ", b and c"), and a question is no action.
    """
    first = tail[0]
    if all(word.text in ("and", "then") for word in tail):
        return True
    if first.text == "and" and len(tail) <= 8 and any(word.text in _ENDED for word in tail):
        return not any(is_object(word) for word in tail) and not refuses(tail)
    if first.text in _CONDITIONS or first.parted == "?" or refuses(tail):
        return False
    if first.text in ("instead", "rather"):
        return True
    if first.text == "as" and tail[1:2] and tail[1].text in ("soon", "long"):
        return False
    if first.parted in (".", "(", ">", ":") or first.text in _REASONS:
        return True
    if first.parted:
        content = [word for word in tail[:5] if word.text not in ("and", "the")]
        if not content or not any(is_object(word) for word in content[: 1 + (content[0].text in ("from", "to"))]):
            return bool(content)
        return any(word.text in _VERBS for word in content[1:3])
    if first.text not in _PHRASES:
        return False
    phrase = _phrase(tail)
    if first.text == "to" and len(phrase) > 2 and not any(is_object(word) for word in tail[:2]):
        return True
    if first.text == "in" and tail[1:2] and tail[1].text == "order":
        return True
    return len(phrase) <= 5 and not any(is_object(word) or word.text in _CONDITIONS for word in phrase)


def is_reason(word: Word) -> bool:
    """Whether a word begins a reason, or stands behind a mark that parts it from the words before."""
    return bool(word.parted) or word.text in _REASONS


def is_judged(words: Sequence[Word]) -> bool:
    """Whether a sentence goes on behind the actions that it begins with, so that they are only its subject."""
    return any(word.text in _JUDGES for word in words)


def _phrase(tail: Sequence[Word]) -> Sequence[Word]:
    """A tail up to its first break or reason."""
    for index, word in enumerate(tail):
        aim = word.text == "to" and tail[index + 1 : index + 2] and tail[index + 1].text not in (ARTICLE, "a", "an")
        if index and (word.parted or aim or word.text in _REASONS):
            return tail[:index]
    return tail


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
    "move": ("go", "travel", "relocate", "transfer"),
    "go": ("move", "travel"),
    "drive": ("move",),
    "sail": ("move",),
    "fly": ("move",),
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
