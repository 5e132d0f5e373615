"""The negation of a snippet, by rules: the auxiliary or copula takes the "not", a known verb takes "does not".

Made on snippets, never on filled texts, so that no object's name is taken for a verb. Where the rules are not
sure (two clauses, a quantifier, a verb that may be a noun) there is no answer, and the caller asks a parser
(`pddl2nl.nl.wording.parsed_negation`) or says "it is not the case that …".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pddl2nl.nl.wording.articles import UNCOUNTED
from pddl2nl.nl.wording.negation_words import (
    AUXILIARIES,
    DETERMINERS,
    HAVE,
    MODALS,
    NOUNS_TOO,
    OBJECTLESS,
    OF_A_STATE,
    PLURAL_PRONOUNS,
    PREPOSITIONS,
    UNSURE,
    lemma_of_third_person,
    verb_forms,
    words_of,
)

__all__ = ["NOT_SO", "is_unsure", "negate", "negated_existence", "whole_sentence"]

NOT_SO = "it is not the case that "
"""What makes the negation of any sentence."""

# Participles that stand before a noun as adjectives: "has limited fuel" is no perfect tense.
_ADJECTIVAL = words_of(
    "limited advanced colored coloured reserved used mixed fixed required combined reduced increased red shared "
    "closed locked loaded painted frozen broken hidden known written spoken given added assigned"
)
_COPULAS = frozenset(("is", "are", "was", "were", "am"))
_ALL = words_of("all every everything everybody everyone each")
_AFFIRMED = _COPULAS | {"has", "have", "will", "can", "may"}
_STATES = words_of("clear empty free open closed full available ready busy idle present absent on off up down")


@lru_cache(maxsize=4096)
def negate(text: str) -> str | None:
    """The negation of a snippet's text, or None where the rules do not know it.

    ``{?x} is at {?y}`` → ``{?x} is not at {?y}``; ``{?x} has {?y}`` → ``{?x} does not have {?y}``;
    ``{?x} walked to {?y}`` → ``{?x} did not walk to {?y}``; ``there is a path`` → ``there is no path``;
    ``a part is due`` → ``no part is due``; ``{?x} is not full`` → ``{?x} is full``; ``holding {?x}`` → ``I am
    not holding {?x}``; ``{?x} must stop`` → ``{?x} does not have to stop``.
    """
    return _Sentence(tuple(text.split(" "))).negated()


def whole_sentence(text: str) -> str:
    """A snippet's text with the subject or copula that it leaves out: ``holding {?x}`` → ``I am holding {?x}``.

    ``have cheese`` → ``I have cheese``; ``{?x} on {?y}`` → ``{?x} is on {?y}``. Any other text comes back as it is.
    """
    denied = negate(text)
    if denied is None:
        return text
    said = denied.replace("I do not ", "I ", 1).replace(" not ", " ", 1)
    return said if _without_copula(said) == _without_copula(text) else text


def _without_copula(text: str) -> list[str]:
    return [word for word in text.split(" ") if word not in {"I", "am", "is", "are"}]


def is_unsure(text: str) -> bool:
    """Whether a text holds a word before which nobody can say how far a "not" would reach: all, only, which …"""
    return any(word in UNSURE or "n't" in word for word in _Sentence(tuple(text.split(" "))).plain)


def negated_existence(text: str) -> str | None:
    """``there is a path`` → ``there is no path``; None for what is counted, named or pointed at."""
    words = text.split(" ")
    plain = [word.casefold() for word in words]
    if plain.count("there") != 1:
        return None
    at = plain.index("there") + 2
    if at >= len(words):
        return None
    following = plain[at]
    if following == "enough" or (following.startswith("{") and plain[at - 1] == "are"):
        # "There are {?n} seats" counts them; "there is {?x}" names one.
        return " ".join((*words[:at], "not", *words[at:]))
    if following in {"a", "an"}:
        return " ".join((*words[:at], "no", *words[at + 1 :]))
    if following in DETERMINERS | PREPOSITIONS or not following.isalpha():
        return None
    return " ".join((*words[:at], "no", *words[at:]))


@dataclass(frozen=True)
class _Sentence:
    """A snippet's text, word by word; ``{?x}`` is a word."""

    words: tuple[str, ...]

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """The words without case and commas; what stands in quotes is nothing but a name."""
        found: list[str] = []
        quoted = False
        for word in self.words:
            bare = word.strip(",;").casefold()
            opens = bare[:1] in "'\"" and bool(bare)
            found.append("'" if quoted or opens else bare)
            quoted = (quoted or opens) and not (len(bare) > (opens and not quoted) and bare[-1:] in "'\"")
        return tuple(found)

    def at(self, index: int) -> str:
        """A plain word, empty outside the text."""
        return self.plain[index] if 0 <= index < len(self.plain) else ""

    def is_parameter(self, index: int) -> bool:
        return self.at(index).startswith("{")

    def negated(self) -> str | None:
        if self.plain[0] in {"nothing", "nobody"} or {"not", "cannot"} & set(self.plain):
            return self._affirmed()
        if self.plain[0] in _ALL:
            rest = _Sentence(self.words[1:]) if len(self.words) > 1 else self
            return " ".join(("not", *self.words)) if rest._is_clause() else None
        for word, opposite in (("no", "some"), ("some", "no")):
            if word in self.plain:
                return self._other_amount(word, opposite)
        if "already" in self.plain:
            return self._not_yet(self.plain.index("already"))
        if any(word in UNSURE or "n't" in word for word in self.plain):
            return None
        finite = [index for index in range(len(self.plain)) if self._is_auxiliary(index)]
        verbs = [index for index in range(1, len(self.plain)) if self._third_person(index) is not None]
        if finite:
            if len(finite) > 1 or any(index < finite[0] for index in verbs) or not self._reaches_all(finite[0]):
                return None
            return self._with_auxiliary(finite[0])
        if len(verbs) > 1 or (verbs and not self._reaches_all(verbs[0])):
            return None
        if not verbs:
            return self._bare()
        return self._no_such(verbs[0]) or self._with(verbs[0], f"does not {self._third_person(verbs[0])}")

    def _is_clause(self) -> bool:
        """Whether there is one finite verb, and no word that makes the rules unsure."""
        verbs = [
            index
            for index in range(len(self.plain))
            if self._is_auxiliary(index) or self._third_person(index) is not None
        ]
        return len(verbs) == 1 and not any(word in UNSURE or "n't" in word for word in self.plain)

    def _not_yet(self, at: int) -> str | None:
        """``{?x} has already been made`` → ``{?x} has not yet been made``; at the index stands "already"."""
        denied = _Sentence((*self.words[:at], *self.words[at + 1 :])).negated()
        words = denied.split(" ") if denied is not None else []
        return " ".join((*words[: at + 1], "yet", *words[at + 1 :])) if words[at : at + 1] == ["not"] else None

    def _other_amount(self, amount: str, opposite: str) -> str | None:
        """``there is no path`` → ``there is some path`` and back: right of what is counted and of what is not."""
        at = self.plain.index(amount)
        words = (*self.words[:at], opposite, *self.words[at + 1 :])
        affirmed = _Sentence((*self.words[:at], *self.words[at + 1 :]))
        noun = self.at(at + 1).isalpha() and self.at(at + 1) not in {"longer", "more", "one", "other", "less"}
        joined = any(
            word == "or" or (word == "and" and not (self.is_parameter(place - 1) and self.is_parameter(place + 1)))
            for place, word in enumerate(self.plain)
            if place > at
        )
        return " ".join(words) if noun and not joined and affirmed._is_clause() else None

    def _no_such(self, index: int) -> str | None:
        """``a part is due`` → ``no part is due``, since "a part is not due" leaves other parts; else None."""
        named = any(
            self.is_parameter(place) and self.at(place - 1) not in PREPOSITIONS | {"and"} for place in range(index)
        )
        return " ".join(("no", *self.words[1:])) if self.plain[0] in {"a", "an"} and not named else None

    # ── auxiliaries ──────────────────────────────────────────────────────────────────────────────

    def _is_auxiliary(self, index: int) -> bool:
        word = self.plain[index]
        if word in _COPULAS:
            return True
        if word in HAVE:
            governing = self.at(index - 2 if self.at(index - 1) == "not" else index - 1)
            return governing not in MODALS | {"does", "do", "did"}
        if word not in AUXILIARIES and word != "must":
            return False
        # "The can {?x}" and "a will" are things; a modal has a verb behind it.
        return index > 0 and self.at(index - 1) not in DETERMINERS - {"one"} and self.at(index + 1).isalpha()

    def _with_auxiliary(self, index: int) -> str | None:
        word = self.plain[index]
        if index == 0 and word in {"am", "have"}:
            return _Sentence(("I", *self.words)).negated()
        if "there" in self.plain and word in _COPULAS:
            return negated_existence(" ".join(self.words)) if self.at(index - 1) == "there" else None
        if self.plain[0] == "here":
            return None
        if word in _COPULAS and self.at(index + 1) == "to":
            # "Is not to be moved" would forbid it.
            return None
        if (nothing := self._no_such(index)) is not None:
            return nothing
        if word == "must":
            return self._with(index, f"{'do' if self._plural(index) else 'does'} not have to")
        if word == "can":
            return self._with(index, "cannot")
        if word in HAVE and not self._is_perfect(index):
            return self._with(index, {"has": "does not have", "have": "do not have", "had": "did not have"}[word])
        return self._with(index, f"{self.words[index]} not")

    def _is_perfect(self, index: int) -> bool:
        """Whether a participle follows: "has visited", though not "has limited fuel" or "has speed 3"."""
        word = self.at(index + 1)
        known = any(form.tense == "participle" for form in verb_forms().get(word, ())) or word == "been"
        if not known and not re.fullmatch(r"[a-z]{2,}[^e]ed", word):
            return False
        behind = self.at(index + 2)
        before_noun = behind.isalpha() and behind not in PREPOSITIONS | DETERMINERS
        return not before_noun or (known and word not in _ADJECTIVAL)

    def _affirmed(self) -> str | None:
        """What a negation denies, where that is plain: ``is not full`` → ``is full``."""
        if self.plain[-1] == "yet":
            return _Sentence(self.words[:-1]).negated()
        if "yet" in self.plain:
            at = self.plain.index("yet")
            behind_not = self.at(at - 1) == "not"
            return _Sentence((*self.words[:at], *self.words[at + 1 :])).negated() if behind_not else None
        rest = [word for word in self.plain if word in UNSURE or "n't" in word]
        at = self.plain.index(rest[0]) if rest else 0
        if len(rest) != 1 or self._no_such(at) is not None:
            return None
        finite = [index for index in range(len(self.plain)) if self._is_auxiliary(index)]
        if rest[0] == "cannot":
            return self._with(at, "can") if finite == [at] else None
        if rest[0] in {"nothing", "nobody"}:
            some = {"nothing": "something", "nobody": "somebody"}[rest[0]]
            return self._with(at, some) if self.at(at + 1) in _COPULAS and len(finite) == 1 else None
        if finite == [at - 1] and self.at(at - 1) in _AFFIRMED and self.at(at + 1):
            if not self._reaches_all(at) or self.at(0) == "there":
                return None
            return " ".join((*self.words[:at], *self.words[at + 1 :]))
        if not finite and self.at(at - 1) == "does" and self._base(at + 1):
            verb = self._third_of(self.at(at + 1))
            return " ".join((*self.words[: at - 1], verb, *self.words[at + 2 :])) if self._reaches_all(at) else None
        return None

    def _third_of(self, lemma: str) -> str:
        if lemma == "have":
            return "has"
        return next(
            word
            for word, forms in verb_forms().items()
            if any(form.lemma == lemma and form.tense == "third" for form in forms)
        )

    # ── verbs ────────────────────────────────────────────────────────────────────────────────────

    def _third_person(self, index: int) -> str | None:
        """The base form, where a word is a verb in the third person; None where it is not or may be a noun."""
        word = self.plain[index]
        if not word.endswith("s") or not word.isalpha():
            return None
        known = any(form.tense == "third" for form in verb_forms().get(word, ()))
        behind_subject = self.is_parameter(index - 1) or self.at(index - 1) == "'"
        if not known:
            # Between two parameters a word in -s that is no preposition can only be a verb.
            starts = index == 1 or (index == 2 and self._is_noun(0))
            between = behind_subject and starts and self.is_parameter(index + 1)
            return lemma_of_third_person(word) if between and word not in _NO_VERBS else None
        if word in NOUNS_TOO and not behind_subject and not self._is_predicate(index):
            return None
        if self.at(index - 1) in DETERMINERS | PREPOSITIONS or (behind_subject and self._plural(index)):
            return None
        return lemma_of_third_person(word)

    def _is_predicate(self, index: int) -> bool:
        """Whether a word stands behind "the NOUN" that begins the text, and an object or an adverbial behind it."""
        following = self.at(index + 1)
        subject = self.plain[1:index]
        starts = self.plain[0] in {"the", "a", "an", "my", "its"} and 1 <= len(subject) <= 3
        starts = starts and all(word.isalpha() and word not in PREPOSITIONS - {"next", "near"} for word in subject)
        starts = starts or (index == 1 and self.plain[0] in UNCOUNTED | {"it"})
        if following in DETERMINERS | PREPOSITIONS | UNCOUNTED or self.is_parameter(index + 1):
            return starts
        return starts and (not following or self._is_noun(index + 1))

    def _bare(self) -> str | None:
        """Texts without an auxiliary or a third person: plurals, pasts, and those that leave the copula out."""
        if self._base(0) in OF_A_STATE:
            return " ".join(("I do not", *self.words))
        if any(form.tense == "gerund" for form in verb_forms().get(self.plain[0], ())) and self._reaches_all(0):
            return " ".join(("I am not", *self.words))
        index = self._predicate()
        if index is None or not self._reaches_all(index):
            return None
        if self._plural(index) and self._base(index):
            return self._with(index, f"do not {self.plain[index]}")
        word, behind = self.plain[index], self.at(index + 1)
        forms = verb_forms().get(word, ())
        if word == "used" and behind == "to":
            return None
        has_object = self.is_parameter(index + 1) or (behind.isalpha() and behind not in PREPOSITIONS)
        tenses = {form.tense for form in forms}
        for form in forms:
            if form.tense == "past" and (has_object or form.lemma in OBJECTLESS or "participle" not in tenses):
                return self._with(index, f"did not {form.lemma}")
        elliptic = word in PREPOSITIONS | _STATES or "gerund" in tenses or ("participle" in tenses and not has_object)
        copula = "am" if self.plain[0] == "i" else "are" if self._plural(index) else "is"
        return self._with(index, f"{copula} not {self.words[index]}") if elliptic else None

    def _predicate(self) -> int | None:
        """Where the predicate begins: behind the parameters, "hero {?x}", "I" or "the plants" that begin the text."""
        if self.plain[0] in PLURAL_PRONOUNS:
            return 1 if len(self.plain) > 1 else None
        if self._is_plural_noun(1) and self._base(2):
            return 2
        start = 1 if self.plain[0] == "the" else 0
        if start and self.at(start).isalpha() and self.is_parameter(start + 1):
            start += 1
        elif not start and self._is_noun(0) and self.plain[0] not in _STATES and self.plain[0] not in verb_forms():
            start = 1
        if not self.is_parameter(start):
            return None
        index = start + 1
        while self.at(index) == "and" or self.is_parameter(index):
            index += 1
        return index if index < len(self.plain) else None

    def _base(self, index: int) -> str:
        """A word that is a verb's base form (as "have" is); empty where it is none."""
        word = self.at(index)
        known = word == "have" or any(form.tense == "base" for form in verb_forms().get(word, ()))
        return word if known else ""

    def _plural(self, index: int) -> bool:
        """Whether the subject before an index is several things, or "I", "we", "you", "they"."""
        several = "and" in self.plain[:index] or self.plain[0] in PLURAL_PRONOUNS
        return several or (index == 2 and self._is_plural_noun(1))

    def _is_plural_noun(self, index: int) -> bool:
        """Whether a word behind "the" that begins the text is a noun in the plural: the plants, not the bus."""
        noun = self.at(index)
        return self.plain[0] in {"the", "my"} and re.fullmatch(r"[a-z]{2,}[^siu\W]s", noun) is not None

    # ── the whole ────────────────────────────────────────────────────────────────────────────────

    def _reaches_all(self, index: int) -> bool:
        """Whether a "not" at an index denies all that follows it: no second predicate is joined to the first."""
        words, plain = self.words, self.plain
        for place in range(index + 1, len(plain)):
            if plain[place] in {"and", "or"}:
                follows = self.is_parameter(place + 1) or self.at(place + 1) in DETERMINERS | {"equal"}
                if not (follows or self._is_noun(place + 1)):
                    return False
                if plain[place] == "or" and self.at(place + 1) != "equal":
                    return False
            elif words[place].endswith((",", ";")) and not (self.is_parameter(place) and self._listed(place)):
                return False
        return not words[index].endswith((",", ";"))

    def _is_noun(self, index: int) -> bool:
        """Whether a word before a parameter is its noun, and neither a preposition nor a verb's form."""
        word = self.at(index)
        verb = any(form.tense != "base" for form in verb_forms().get(word, ()))
        return word.isalpha() and self.is_parameter(index + 1) and word not in PREPOSITIONS and not verb

    def _listed(self, place: int) -> bool:
        """Whether the comma behind a parameter stands in a list, ``{?x}, {?y}, and {?z}``."""
        following = place + 1 + (self.at(place + 1) == "and")
        return self.is_parameter(following) or self._is_noun(following)

    def _with(self, index: int, said: str) -> str:
        comma = self.words[index][len(self.words[index].rstrip(",;")) :]
        return " ".join((*self.words[:index], said + comma, *self.words[index + 1 :]))


_NO_VERBS = words_of("versus plus minus times besides towards across afterwards always perhaps sans units")
