"""The negation of a snippet's text by one rule: "be", "have" and "can" take the "not".

Texts are negated before they are filled, so that no object's name is taken for a word. The rule answers only where
the text has one finite verb and that verb is a form of "be", "have" or "can", and where the "not" denies the whole
text. In all other cases the wording's own ``negated`` text is needed (`parsed_negation` adds some by a dependency
parse), or the fact is denied by "it is not the case that …".
"""

from __future__ import annotations

import re
from functools import lru_cache

from pddl2nl.nl.wording.english import DETERMINERS, PREPOSITIONS, words_of

NOT_SO = "it is not the case that "
"""The negation of any sentence begins with this."""

BE = frozenset(("is", "are", "was", "were", "am"))
HAVE = frozenset(("has", "have"))
# Verbs that the rule does not negate, and words beside which it is unclear how much a "not" denies.
_OTHER_VERBS = words_of("does do did will would could should may might must cannot had holds contains")
_UNSURE = words_of(
    "not no never none nothing nobody nowhere neither nor all every everything each everyone everybody some something "
    "somebody someone any anything both either only always often sometimes usually already still yet without but "
    "exactly just even also too most many much few several unless until except that which who whom whose where when "
    "while if because whether what how why so anymore longer enough"
)
_PARTICIPLE = re.compile(r"[a-z]+[^e]ed|been|gone|left|taken|made|done|given|seen|found|chosen|fallen|become|begun")


@lru_cache(maxsize=4096)
def negate(text: str) -> str | None:
    """The negation of a snippet's text, or None where the rule does not apply.

    ``{?x} is at {?y}`` → ``{?x} is not at {?y}``; ``{?x} has {?y}`` → ``{?x} does not have {?y}``; ``{?x} can reach
    {?y}`` → ``{?x} cannot reach {?y}``; ``there is a path`` → ``there is no path``; ``a part is due`` → ``no part is
    due``; ``'p' holds`` → ``'p' does not hold``; ``holding {?x}`` → ``I am not holding {?x}``; ``{?x} is not full`` →
    ``{?x} is full``.
    """
    if re.fullmatch(r"'[^']*' holds", text):
        return f"{text.removesuffix('holds')}does not hold"
    words = whole_sentence(text).split(" ")
    plain = _plain(words)
    at = _main_verb(plain)
    if at is None or not _denies_all(words, plain, at):
        return None
    verb, following = plain[at], plain[at + 1] if at + 1 < len(plain) else ""
    if verb in BE and following == "not":
        affirmed = " ".join((*words[: at + 1], *words[at + 2 :]))
        return affirmed if negate(affirmed) == text else None
    if is_unsure(text) or (verb in BE and following == "to"):
        # "Is not to be moved" would forbid it.
        return None
    if verb in BE and {"there", "here"} & set(plain[:at]):
        return no_such(text) if plain[at - 1] == "there" else None
    if plain[0] in {"a", "an"} and not any(word.startswith("{") for word in plain[:at]):
        # "A part is not due" leaves other parts.
        return " ".join(("no", *words[1:]))
    if verb == "can":
        said = "cannot"
    elif verb in BE:
        said = f"{words[at]} not"
    elif not _PARTICIPLE.fullmatch(following):
        said = "does not have" if verb == "has" else "do not have"
    elif following != "been" and _is_bare_noun(plain[at + 2 : at + 3]):
        # "Has limited fuel", or "has communicated data"?
        return None
    else:
        said = f"{words[at]} not"
    return " ".join((*words[:at], said, *words[at + 1 :]))


def _main_verb(plain: list[str]) -> int | None:
    """Where the only finite verb stands, if it is a form of "be", "have" or "can"."""
    # "The can {?x}" is a thing.
    finite = [
        at
        for at, word in enumerate(plain)
        if word in BE | HAVE | _OTHER_VERBS or (word == "can" and at > 0 and plain[at - 1] not in DETERMINERS - {"one"})
    ]
    if len(finite) == 2 and plain[finite[0]] == "can" and plain[finite[1]] == "have":
        finite.pop()
    if len(finite) != 1 or plain[finite[0]] in _OTHER_VERBS:
        return None
    # Behind a parameter another verb may stand: "{?x} thinks {?y} is open". "The {?x} block is clear" has none.
    for at in range(finite[0]):
        following = plain[at + 1]
        ends_subject = at + 1 == finite[0] or following in PREPOSITIONS | {"and", "there"} or following.startswith("{")
        named = plain[at].startswith("{") and plain[at].endswith("}")
        if named and not ends_subject and (at == 0 or plain[at - 1] not in DETERMINERS):
            return None
    return finite[0]


def whole_sentence(text: str) -> str:
    """A text with the "I" or "I am" that it leaves out: ``holding {?x}`` → ``I am holding {?x}``.

    ``have cheese`` → ``I have cheese``. Any other text is returned as it is.
    """
    words = text.split(" ")
    plain = _plain(words)
    if len(words) > 1 and plain[0] in {"am", "have"}:
        return f"I {text}"
    if len(words) > 1 and plain[0].endswith("ing") and not (BE | HAVE | _OTHER_VERBS) & set(plain):
        return f"I am {text}"
    return text


def is_unsure(text: str) -> bool:
    """Whether a text holds a word that makes it unclear how much a "not" denies: all, only, which …"""
    plain = _plain(re.sub(r"\ban? no ", "a ", text).split(" "))
    return any(word in _UNSURE or "n't" in word for word in plain) or (
        "or" in plain and "than or equal to" not in " ".join(plain)
    )


def no_such(text: str) -> str | None:
    """``there is a path`` → ``there is no path``; None for what is counted, named or pointed at."""
    words = text.split(" ")
    plain = _plain(words)
    if plain.count("there") != 1:
        return None
    at = plain.index("there") + 2
    following = plain[at] if at < len(words) else ""
    if following.startswith("{") and plain[at - 1] == "are":
        # "There are {?n} seats" counts them; "there is {?x}" names one.
        return " ".join((*words[:at], "not", *words[at:]))
    if following in {"a", "an"}:
        return " ".join((*words[:at], "no", *words[at + 1 :]))
    if following in DETERMINERS | PREPOSITIONS or not following.isalpha():
        return None
    return " ".join((*words[:at], "no", *words[at:]))


def _plain(words: list[str]) -> list[str]:
    """The words in small letters without commas; a word in quotation marks is a name and becomes a quotation mark."""
    found = []
    quoted = False
    for word in words:
        bare = word.strip(",;").casefold()
        opens = not quoted and bare[:1] in {"'", '"'}
        found.append("'" if quoted or opens else bare)
        quoted = (quoted or opens) and not (len(bare) > opens and bare[-1] in "'\"")
    return found


def _denies_all(words: list[str], plain: list[str], at: int) -> bool:
    """Whether a "not" at a place denies all that follows: no second predicate is joined to the first."""
    for place in range(at, len(plain)):
        if plain[place] == "and" and not (place + 1 < len(plain) and plain[place + 1].startswith("{")):
            return False
        if words[place].endswith((",", ";")):
            following = plain[place + 1] if place + 1 < len(plain) else ""
            if not (plain[place].startswith("{") and (following.startswith("{") or following == "and")):
                return False
    return True


def _is_bare_noun(words: list[str]) -> bool:
    return bool(words) and words[0].isalpha() and words[0] not in PREPOSITIONS | DETERMINERS
