"""Words as the reader compares them, folded for case and hyphens, and snippets matched letter by letter."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

LEXICON: dict[str, Any] = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))
"""The reader's words, phrases and marks, each with an example (`lexicon.toml`)."""

_BLANK = re.compile(r"(\(\?<[!=][^)]*\))| ([*?]?)")
_PART = re.compile(r"\{([a-z_]+)\}")


class _Lazy:
    """A pattern that is compiled when it is first used: most commands import the reader and read nothing."""

    def __init__(self, said: Callable[[], str]):
        self._compiled = cache(lambda: re.compile(said(), re.IGNORECASE))

    def __getattr__(self, name: str) -> Any:
        # From now on the method is found without this detour.
        value = getattr(self._compiled(), name)
        setattr(self, name, value)
        return value


@cache
def phrases(name: str, section: str = "phrases", *, whole: bool = False) -> re.Pattern[str]:
    """A pattern of all phrases of that name in the lexicon; ``whole``: with word boundaries around it."""
    return cast(re.Pattern[str], _Lazy(lambda: _phrases(name, section, whole)))


def _phrases(name: str, section: str, whole: bool) -> str:
    said = "|".join(f"(?:{entry['say']})" for entry in LEXICON[section][name])
    parts = LEXICON["parts"]
    while _PART.search(said):
        said = _PART.sub(lambda part: parts[part[1]]["say"] if part[1] in parts else _any_of(part[1]), said)
    said = _BLANK.sub(lambda match: match[1] or (r"\s" if match[2] else r"\s+") + match[2], said).replace("'", "['’]")
    return rf"(?<!\w)(?:{said})(?!\w)" if whole else rf"(?:{said})"


def _any_of(name: str) -> str:
    return f"({'|'.join(LEXICON['words'][name]['say'].split())})"


@cache
def front(name: str) -> re.Pattern[str]:
    """A pattern of the list marks or labels of that name in the lexicon."""
    return cast(re.Pattern[str], _Lazy(lambda: "|".join(entry["find"] for entry in LEXICON["front"][name])))


@cache
def noise() -> re.Pattern[str]:
    """A pattern of all noise, with a group for each kind."""
    kinds = LEXICON["noise"].items()
    return cast(re.Pattern[str], _Lazy(lambda: "|".join(f"(?P<{kind}>{entry['find']})" for kind, entry in kinds)))


def says(name: str, text: str) -> re.Match[str] | None:
    """The first phrase of that name in a text, as whole words."""
    return phrases(name, whole=True).search(text)


class _Sets:
    """The lexicon's sets of words by name: ``WORDS.persons``."""

    def __getattr__(self, name: str) -> frozenset[str]:
        words = frozenset(str(LEXICON["words"][name]["say"]).split())
        setattr(self, name, words)
        return words


WORDS = _Sets()


def word_table(name: str) -> dict[str, list[str]]:
    """A table of the lexicon, as "drive: drove driven; take: took taken"."""
    rows = (row.partition(":") for row in LEXICON["tables"][name]["say"].split(";"))
    return {first.strip(): said.split() for first, _, said in rows}


ARTICLES = WORDS.articles
FILLERS = WORDS.fillers
PARTICLES = WORDS.particles
PRONOUNS = WORDS.pronouns
PREPOSITIONS = WORDS.prepositions
SYNONYMS = word_table("synonyms")
_IRREGULAR = word_table("irregular")


_CHUNK = re.compile(r"[^\s,;→]+|[,;→]")
_EDGE = "\\.,;:!?\"'`*()[]{}<>“”‘’«»…~"
_INVISIBLE = re.compile(r"[\\\xad\u200b-\u200f\u2060\ufeff]")
_DASHES = WORDS.dashes
_ARROWS = WORDS.arrows
_POSSESSIVES = ("'s", "’s")
_OPENING = frozenset("([{")


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
    """A name as it is compared: lower case, hyphens as underscores, one apostrophe."""
    return name.lower().replace("-", "_").replace("’", "'")


_SIGNS = {"@": "at", "←": "from"}


def words_of(text: str) -> list[Word]:
    """The words of a text without the punctuation around them; a possessive ``'s`` is a word of its own."""
    words: list[Word] = []
    parted = ""
    depth = 0
    # "a->b" and "a→b" are two words.
    for match in _CHUNK.finditer(text.replace("->", " →")):
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
        depth = max(0, depth + sum((letter in _OPENING) - (letter in ")]}") for letter in raw))
        # "Move to b. ← a is there now"
        if not core or core in _DASHES or raw in _ARROWS or (raw == "←" and parted):
            parted = ">" if raw in _ARROWS or raw == "←" else _break(raw) or "-"
            continue
        if not _OPENING.isdisjoint(raw[:left]):
            # "Load a. (If b were …)": a bracket behind a full stop begins a sentence of its own.
            parted = "." if parted == "." else "("
        begin += left
        end = begin + len(core)
        if raw in _POSSESSIVES:
            words.append(Word("'s", raw, begin - left, end, "", aside))
        elif core.endswith(_POSSESSIVES) and len(core) > 2:
            words.append(Word(fold(core[:-2]), core[:-2], begin, end - 2, parted, aside))
            words.append(Word("'s", core[-2:], end - 2, end, "", aside))
        else:
            plain = core if core.isascii() and "\\" not in core else _INVISIBLE.sub("", core)
            words.append(Word(_SIGNS.get(core) or fold(plain), core, begin, end, parted, aside))
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


_PLAIN = {
    " ".join(phrase.split()): word for word, entry in LEXICON["reduced"].items() for phrase in entry["say"].split("|")
}
_REDUCED = re.compile(rf"(?<!\S)(?:{'|'.join(sorted(map(re.escape, _PLAIN), key=len, reverse=True))})(?!\S)")


def reduced_prepositions(words: Sequence[str]) -> list[str]:
    """The words with prepositional phrases of one meaning replaced by one word ("from on top of" is "from")."""
    return _REDUCED.sub(lambda phrase: _PLAIN[phrase[0]], " ".join(words)).split()


# ── verbs ────────────────────────────────────────────────────────────────────────────────────────


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
    forms |= {form: "s" if form.endswith("es") else "past" for form in _IRREGULAR.get(verb, ())}
    return forms | {verb: "base"}


# ── snippets letter by letter ────────────────────────────────────────────────────────────────────

T = TypeVar("T")


class ExactForm(Generic[T]):
    """One snippet, cut into literal pieces and slots, that answers with ``meaning`` and what stands in its slots."""

    def __init__(self, meaning: T, parts: Sequence[str | int], arity: int):
        self.meaning = meaning
        self.start = parts[0] if parts and isinstance(parts[0], str) else ""
        self._slots = [f"s{index}" for index in range(arity)]

        def pattern(slot: str) -> re.Pattern[str]:
            said = ""
            for place, part in enumerate(parts):
                held = f"(?P=s{part})" if part in parts[:place] else f"(?P<s{part}>{slot})"
                said += re.escape(part) if isinstance(part, str) else held
            return re.compile(said)

        self._patterns = [pattern(r"\S+")]
        if re.search(r"\S\0|\0\S", "".join(part if isinstance(part, str) else "\0" for part in parts)):
            # Where punctuation touches a slot, a name may end before it or behind it.
            self._patterns.append(pattern(r"\S+?"))

    def read(self, text: str) -> list[tuple[str, ...]]:
        """The ways to see the text as this form filled, as arguments in the parameters' order; names hold no blank."""
        ways: list[tuple[str, ...]] = []
        for pattern in self._patterns:
            if match := pattern.fullmatch(text):
                way = tuple(map(match.group, self._slots))
                ways += [way] if way not in ways else []
        return ways


class FormIndex(Generic[T]):
    """Forms found quickly: those that begin with a literal by its first word."""

    def __init__(self, forms: Iterable[ExactForm[T]]):
        self._by_word: dict[str, list[ExactForm[T]]] = {}
        for form in forms:
            self._by_word.setdefault(form.start.partition(" ")[0] if " " in form.start else "", []).append(form)

    def read(self, text: str) -> list[tuple[ExactForm[T], tuple[str, ...]]]:
        """Every form that the text fills, with its arguments."""
        forms = (*self._by_word.get(text.partition(" ")[0], ()), *self._by_word.get("", ()))
        return [(form, args) for form in forms for args in form.read(text)]
