"""Indefinite articles, enumerations, letters for variables, and how an action is said of things in general."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pddl2nl.nl.wording.negation_words import verb_forms

__all__ = [
    "UNCOUNTED",
    "article",
    "closed_clause",
    "enumerate_words",
    "generic_action",
    "letters",
    "one_of_kind",
    "with_article",
    "within_sentence",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AN_NUMBER = re.compile(r"(?:8\d*|1[18](?:\d{3})*)(?!\d)")
_AN_LETTER = re.compile(r"[AEFHILMNORSX](?![a-z])")
_SILENT_H = re.compile(r"heir|hon(?:est|or|our)|hour")
_LIKE_YOU_OR_WON = re.compile(r"eu|ewe|one(?![a-z])|once|u(?:ni(?!n|m)|nary|[bcfhjkqrst][aeiou])")

UNCOUNTED = _words(
    "data information equipment software hardware luggage baggage cargo freight furniture evidence knowledge money "
    "cash traffic work machinery water soil gold silver iron steel wood coal oil fuel petrol energy power electricity "
    "cheese bread flour dough sugar salt butter milk wine beer coffee tea rice corn grain wheat food meat paint glue "
    "sand gravel concrete people cattle time heat music smoke ice snow blood mail"
)
"""Nouns that are not counted; what stands here takes no indefinite article."""
# Plurals take none either; words in -s that are none.
_PLURAL = re.compile(r"[a-z]{2,}[^\Wsui]s")
_SINGULAR_IN_S = _words("gas lens canvas atlas alias bias series species means chaos news")

# Words after which a parameter's noun phrase begins; whatever else stands before a parameter belongs to it.
_FUNCTION_WORDS = _words(
    "about above across after against along among and around as at away back before behind below beneath beside "
    "between beyond by down during for forth from in inside into is are was were near next of off on onto or out "
    "outside over past per since than that through throughout till to toward towards under until up upon using "
    "via when where which while with within without not then has have contains holds be being been "
    "together it them"
)
_DETERMINERS = _words("a an the its their his her this that these those each every some any my your our no")


def article(word: str) -> str:
    """``an`` before a vowel's sound, ``a`` before others: an hour, a unit, an airplane, an X-ray, a UFO."""
    word = word.lstrip("'\"([")
    if not word:
        return "a"
    if word[0].isdigit():
        return "an" if _AN_NUMBER.match(word) else "a"
    # Capitals in a row and single ones are spelt out: an LED, a UAV.
    if re.match(r"[A-Z](?![a-z])", word):
        return "an" if _AN_LETTER.match(word) else "a"
    low = word.lower()
    if low[0] in "aeiou":
        return "a" if _LIKE_YOU_OR_WON.match(low) else "an"
    return "an" if _SILENT_H.match(low) else "a"


def with_article(noun: str) -> str:
    """A noun with its indefinite article."""
    return f"{article(noun)} {noun}"


def one_of_kind(noun: str) -> str:
    """What something of a kind is: ``a truck``, ``an hour``; ``data``, which is not counted; ``one of the numbers``."""
    if _is_uncounted(noun):
        return noun
    return f"one of the {noun}" if _is_plural(noun) else with_article(noun)


def enumerate_words(items: Sequence[str], joiner: str = "and") -> str:
    """``a``, ``a and b``, ``a, b, and c``."""
    if len(items) <= 2:
        return f" {joiner} ".join(items)
    return f"{', '.join(items[:-1])}, {joiner} {items[-1]}"


def letters(avoid: Iterable[str] = ()) -> Iterator[str]:
    """A, B, C …, Z, A1, B1 …, without I (which reads as a person) and without names in use, whatever their case."""
    taken = {name.casefold() for name in avoid}
    number = 0
    while True:
        for letter in "ABCDEFGHJKLMNOPQRSTUVWXYZ":
            name = f"{letter}{number or ''}"
            if name.casefold() not in taken:
                yield name
        number += 1


def closed_clause(text: str) -> str:
    """A text with a comma behind it where a comma within it opens a clause: what follows does not belong to that.

    ``unload A from B, which is at C`` → ``unload A from B, which is at C,``; not behind a list, ``A, B, and C``.
    """
    last = text.rpartition(",")[2]
    return text if last == text or last.startswith((" and ", " or ", " then ")) else f"{text},"


def within_sentence(text: str) -> str:
    """A text as it stands within a sentence: without its capital and full stop, ``Drive to {?p}.`` as "drive to A".

    A capital that the word needs (an "I", an abbreviation) stays.
    """
    if text[:1].isupper() and text[1:2].islower():
        text = text[:1].lower() + text[1:]
    return text.rstrip(".") if len(text) > 1 else text


def generic_action(
    parts: Sequence[str | int], said: Sequence[str], nouns: Sequence[str], known: Mapping[str, object] | frozenset[str]
) -> tuple[str, frozenset[int]]:
    """An action snippet said of things in general: ``drive a truck A from a place B to a place C``.

    Args:
        parts: the snippet, cut at its parameters (`Snippet.parts`).
        said: the letter of each parameter, in PDDL's order.
        nouns: the noun of each parameter's type.
        known: words that are nouns wherever they stand, such as the domain's types.

    The first mention of a parameter gets an indefinite article, before the noun that the snippet itself puts
    before it, else with the noun of its type; later mentions are bare. Returns the text, and the positions of
    the parameters whose own type's noun is said in it.
    """
    out: list[str] = []
    seen: set[int] = set()
    typed: set[int] = set()
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif part in seen:
            out.append(said[part])
        else:
            before = "".join(out)
            noun = nouns[part]
            head, phrase = _noun_phrase(before, noun, known)
            if phrase is None:
                phrase = noun
                head = before
            if _ends_with(phrase, noun):
                typed.add(part)
            out = [head, _indefinite(phrase), " ", said[part]]
            seen.add(part)
    return "".join(out), frozenset(typed)


def _indefinite(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    if first.casefold() in {"the", "a", "an"} and rest:
        phrase = rest
    elif first.casefold() in _DETERMINERS:
        return phrase
    bare = _is_plural(phrase) or _is_uncounted(phrase) or _is_participle(phrase)
    return phrase if bare else with_article(phrase)


def _head(noun: str) -> str:
    """The word that decides on a noun's number: of "batch of dough" the batch."""
    return noun.partition(" of ")[0].rpartition(" ")[2].casefold()


def _is_plural(noun: str) -> bool:
    head = _head(noun)
    return _PLURAL.fullmatch(head) is not None and head not in _SINGULAR_IN_S


def _is_uncounted(noun: str) -> bool:
    return _head(noun) in UNCOUNTED


def _is_participle(phrase: str) -> bool:
    """Whether a phrase is nothing but a participle, which no article can stand before: "get popped {?x}"."""
    word = phrase.casefold()
    known = word.endswith("ed") and any(form.tense == "participle" for form in verb_forms().get(word, ()))
    return known or re.fullmatch(r"[a-z]*([^\Waeiou])\1ed", word) is not None


def _ends_with(phrase: str, noun: str) -> bool:
    return f" {phrase.casefold()}".endswith(f" {noun.casefold()}")


def _noun_phrase(before: str, noun: str, known: Mapping[str, object] | frozenset[str]) -> tuple[str, str | None]:
    """The text cut before the noun phrase that ends it; None where it ends in none."""
    if not before.endswith(" "):
        return before, None
    words = before.split(" ")[:-1]
    own = len(noun.split())
    if len(words) > own and " ".join(words[-own:]).casefold() == noun.casefold():
        start = len(words) - own
    elif _is_noun(words, known):
        start = len(words) - 1
    else:
        return before, None
    while start > 1 and _belongs(words[start - 1]) and not _opens_clause(words, start - 1):
        start -= 1
        if words[start].casefold() in _DETERMINERS:
            break
    return "".join(f"{word} " for word in words[:start]), " ".join(words[start:])


def _is_noun(words: Sequence[str], known: Mapping[str, object] | frozenset[str]) -> bool:
    last = words[-1].casefold()
    if len(words) < 2 or not _belongs(words[-1]) or last in _DETERMINERS:
        return False
    if last in known:
        return True
    # Behind another parameter or a relative pronoun stands a verb: "have {?b} take {?t}, which holds {?d}".
    if _is_letter(words[-2]) or words[-2].casefold() in {"which", "who", "that"}:
        return False
    # Behind a comma a clause begins, with its verb: "at {?p}, take {?x}".
    if words[-2].endswith(","):
        return False
    # After "to", a word that also opens the text is that verb again: "lift hoist {?x} to lift {?y}".
    return last != words[0].casefold()


def _opens_clause(words: Sequence[str], index: int) -> bool:
    """Whether a word is a verb: behind "to" or "and" ("to produce data {?d}"), though not in a list (", and")."""
    before = words[index - 1].casefold()
    return before == "to" or (before in {"and", "then"} and not words[index - 2].endswith(","))


def _belongs(word: str) -> bool:
    """Whether a word can be part of a noun phrase: no function word, no told variable, no end of a clause."""
    plain = word.strip("'\"").casefold()
    return bool(plain) and plain not in _FUNCTION_WORDS and plain[-1] not in ",.;:)" and not _is_letter(word)


def _is_letter(word: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]\d*", word.rstrip(",.;:)")))
