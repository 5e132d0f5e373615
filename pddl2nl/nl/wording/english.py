"""The English grammar that telling needs: articles, enumerations, letters for variables, actions in general terms."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence


def words_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


DETERMINERS = words_of("a an the its their his her this that these those each every some any my your our one two three")
PREPOSITIONS = words_of(
    "about above across against along among around as at away behind below beneath beside between beyond by during for "
    "from in inside into near next of off on onto out outside over past per through throughout to toward towards "
    "under upon using via with within without before after adjacent"
)
# Words that belong to no noun phrase before a parameter.
_FUNCTION_WORDS = PREPOSITIONS | words_of(
    "and or not then than that which who where when while since until till up down back forth is are was were has have "
    "contains holds be being been together it them i"
)

_AN_NUMBER = re.compile(r"(?:8\d*|1[18](?:\d{3})*)(?!\d)")
_AN_LETTER = re.compile(r"[AEFHILMNORSX](?![a-z])")
_SILENT_H = re.compile(r"heir|hon(?:est|or|our)|hour")
_LIKE_YOU_OR_WON = re.compile(r"eu|ewe|one(?![a-z])|once|u(?:ni(?!n|m)|nary|[bcfhjkqrst][aeiou])")

# Nouns that are not counted take no indefinite article.
_UNCOUNTED = words_of(
    "data information equipment software hardware luggage baggage cargo freight furniture evidence knowledge money "
    "cash traffic work machinery water soil gold silver iron steel wood coal oil fuel petrol energy power electricity "
    "cheese bread flour dough sugar salt butter milk wine beer coffee tea rice corn grain wheat food meat paint glue "
    "sand gravel concrete people cattle heat music smoke ice snow blood mail"
)
# Plurals take no article either; some words in -s, and abbreviations such as "gridpos", are no plurals.
_PLURAL = re.compile(r"(?!.*pos$)[a-z]{2,}[^\Wsui]s")
_SINGULAR_IN_S = words_of("gas lens canvas atlas alias bias series species means chaos news")

# Behind "to" or "and" these words are verbs: they are neither nouns nor adjectives.
_VERBS = words_of(
    "achieve activate add admit allow assemble attach become begin board bring build buy calibrate carry catch "
    "change choose collect combine communicate complete connect construct consume contain create cross decrease "
    "deliver destroy detach determine detonate discover do draw drink drive eat enable enter extract fetch fill "
    "find finish fix follow gather generate get give go grab grasp have help hold identify illuminate include "
    "increase insert install join keep kill know lay learn leave let lift load lower maintain make meet melt "
    "merge obtain operate pack pass perform pick prepare process produce provide pull push put raise reach "
    "receive reduce refuel release remove repair replace rescue retrieve return reveal save see sell send serve "
    "set show solve start stay take throw transfer travel turn unload unlock unstack update use visit wait wash"
)
# These are adjectives or verbs, and these nouns or verbs.
_ADJECTIVES_TOO = words_of("clean clear close complete cool dry empty free open own secure separate warm")
_NOUNS_TOO = words_of(
    "bake block charge check cook cover cut display drop guard heat hoist light lock mark mount move order paint park "
    "place plan plant polish press print record rest sample scan seal ship sign slice stack step stop store supply "
    "switch tag target test tie tile touch track transport walk water weld"
)

# Behind these a word in "-ing" is what somebody does: "start moving card A", "by moving card A". Behind "to", "at" or
# "in" it is part of a name: "to parking spot A".
_BEFORE_DEED = words_of(
    "start begin stop finish end continue resume keep by while when after before without for and then when not "
)
# These describe the thing that they stand before, "left hand", and are no things: "move left {?r}".
_DIRECTIONS = words_of("left right north south east west forward forwards backward backwards together again")
# Words in "-ing" that describe or name a thing.
_DESCRIBING = words_of(
    "adjoining building ceiling clothing corresponding ending existing following king matching missing morning "
    "neighboring neighbouring remaining resulting ring spring starting string thing wing"
)


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


def letters(avoid: Container[str] = ()) -> Iterator[str]:
    """A, B, C …, Z, A1, B1 …, without I (which reads as a person) and without names in use in any case."""
    number = 0
    while True:
        for letter in "ABCDEFGHJKLMNOPQRSTUVWXYZ":
            name = f"{letter}{number or ''}"
            if name not in avoid and name.lower() not in avoid:
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
        known: words that are always nouns, such as the domain's types.

    The first mention of a parameter gets an indefinite article, before the noun that the snippet itself puts
    before it, else with the noun of its type; later mentions are bare. Returns the text, and the positions of
    the parameters whose own type's noun is said in it.
    """
    text = ""
    seen: set[int] = set()
    typed: set[int] = set()
    for part in parts:
        if isinstance(part, str):
            text += part
        elif part in seen:
            text += said[part]
        else:
            before, phrase = _noun_phrase(text, nouns[part], known)
            if f" {phrase.casefold()}".endswith(f" {nouns[part].casefold()}"):
                typed.add(part)
            text = f"{before}{phrase} {said[part]}"
            seen.add(part)
    return text, frozenset(typed)


def _noun_phrase(text: str, noun: str, known: Mapping[str, object] | frozenset[str]) -> tuple[str, str]:
    """A text cut before the noun phrase that ends it, and that phrase with its article; else ``a`` and the noun."""
    words = text.split(" ")[:-1] if text.endswith(" ") else []
    own = len(noun.split())
    if len(words) > own and " ".join(words[-own:]).casefold() == noun.casefold():
        start = len(words) - own
        while words[start - own : start] == words[start:]:
            # "card card {?c}" has the noun for the name, "card_0", as well.
            del words[start:]
            start -= own
    elif _is_noun(words, known):
        start = len(words) - 1
    else:
        return text, _indefinite(noun)
    bare = False
    while start > 1 and _belongs(words[start - 1]) and not _is_verb(words, start - 1, known):
        if _may_be_verb(words, start - 1, known):
            # "and clean plate A": an article before "clean" or behind it may be wrong.
            bare = True
            break
        start -= 1
        if words[start].casefold() in DETERMINERS:
            break
    phrase = " ".join(words[start:])
    return "".join(f"{word} " for word in words[:start]), phrase if bare else _indefinite(phrase)


def _indefinite(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    if first.casefold() in {"the", "a", "an"} and rest:
        phrase = rest
    elif first.casefold() in DETERMINERS:
        return phrase
    bare = _is_plural(phrase) or _is_uncounted(phrase) or _is_participle(phrase)
    return phrase if bare and not phrase.startswith("no ") else with_article(phrase)


def _head(noun: str) -> str:
    """The word that decides on a noun's number: of "batch of dough" the batch."""
    return noun.partition(" of ")[0].rpartition(" ")[2].casefold()


def _is_plural(noun: str) -> bool:
    head = _head(noun)
    return _PLURAL.fullmatch(head) is not None and head not in _SINGULAR_IN_S


def _is_uncounted(noun: str) -> bool:
    return _head(noun) in _UNCOUNTED


def _is_participle(phrase: str) -> bool:
    """Whether a phrase is nothing but a participle, which no article can stand before: "get popped {?x}"."""
    return re.fullmatch(r"[a-z]+[^\We]ed", phrase.casefold()) is not None and phrase.casefold() not in {"shed", "sled"}


def _is_noun(words: Sequence[str], known: Mapping[str, object] | frozenset[str]) -> bool:
    if len(words) < 2 or not _belongs(words[-1]) or words[-1].casefold() in DETERMINERS | _DIRECTIONS:
        return False
    if words[-1].casefold() in known:
        return True
    # Behind another parameter, a relative pronoun or a comma stands a verb: "have {?b} take {?t}, which holds {?d}".
    if _is_letter(words[-2]) or words[-2].casefold() in {"which", "who", "that"} or words[-2].endswith(","):
        return False
    at = len(words) - 1
    adjective = words[-1].casefold() in _ADJECTIVES_TOO and words[-2].casefold() in {"to", "and", "then"}
    return not adjective and not _is_verb(words, at, known) and not _may_be_verb(words, at, known)


def _is_verb(words: Sequence[str], index: int, known: Mapping[str, object] | frozenset[str]) -> bool:
    """Whether a word is a verb: behind "to" or "and" ("to produce data {?d}"), behind a parameter, or a participle."""
    word, before = words[index].casefold(), words[index - 1].casefold()
    behind_parameter = _is_letter(words[index - 1])
    participle = re.fullmatch(r"[a-z]{2,}ing", word) is not None and word not in _DESCRIBING
    # "hit location A attacking location {?b}", also where a predicate is called "attacking".
    if participle and behind_parameter and index + 1 < len(words):
        return True
    if word in known or word in DETERMINERS:
        return False
    if participle:
        return behind_parameter or words[index - 1].endswith(",") or before in _BEFORE_DEED
    if behind_parameter:
        return word in _VERBS | _ADJECTIVES_TOO | _NOUNS_TOO
    if before not in {"to", "and", "then"} or (before == "and" and words[index - 2].endswith(",")):
        return False
    opening = words[0].casefold()
    if before == "to" and opening == "use" and "to" not in words[: index - 1]:
        return True
    return word in _VERBS or word == opening or (before != "to" and word in _NOUNS_TOO)


def _may_be_verb(words: Sequence[str], index: int, known: Mapping[str, object] | frozenset[str]) -> bool:
    """Whether it is unclear what a word is: behind "and" ("and clean plate {?p}"), though not in a list (", and")."""
    word, before = words[index].casefold(), words[index - 1].casefold()
    return (
        before in {"and", "then"}
        and not words[index - 2].endswith(",")
        and word in _ADJECTIVES_TOO
        and word not in known
    )


def _belongs(word: str) -> bool:
    """Whether a word can be part of a noun phrase: no function word, no told variable, no end of a clause."""
    plain = word.strip("'\"").casefold()
    return bool(plain) and plain not in _FUNCTION_WORDS and plain[-1] not in ",.;:)" and not _is_letter(word)


def _is_letter(word: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]\d*", word.rstrip(",.;:)")))
