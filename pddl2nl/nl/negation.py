"""The negation of a snippet, by rules: the auxiliary or copula takes the "not", a known verb takes "does not".

Made on snippets, never on filled texts, so that no object's name is taken for a verb. Where the rules are not
sure (two finite verbs, a quantifier, a negation already there) there is no answer, and the caller says "it is
not the case that …".
"""

from __future__ import annotations

import re

__all__ = ["NOT_SO", "negate"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NOT_SO = "it is not the case that "
"""What makes the negation of any sentence."""

_AUXILIARIES = {
    **{word: f"{word} not" for word in ("is", "are", "was", "were", "am", "will", "would", "could", "should", "must")},
    "can": "cannot",
    "may": "may not",
    "might": "might not",
}
_HAVE = {"has": "does not have", "have": "do not have", "had": "did not have"}
_PARTICIPLES = _words(
    "been gone taken seen done made got gotten left met lost found sent built kept held put read run set shut cut "
    "given driven written chosen broken begun drawn eaten fallen flown grown known shown spoken stolen thrown "
    "worn won become come"
)
_VERBS = {
    "holds": "hold",
    "contains": "contain",
    "supports": "support",
    "carries": "carry",
    "connects": "connect",
    "leads": "lead",
    "lies": "lie",
    "stands": "stand",
    "sits": "sit",
    "belongs": "belong",
    "needs": "need",
    "requires": "require",
    "wants": "want",
    "likes": "like",
    "takes": "take",
    "costs": "cost",
    "works": "work",
    "exists": "exist",
    "waits": "wait",
    "owns": "own",
    "fits": "fit",
    "touches": "touch",
    "blocks": "block",
    "covers": "cover",
    "links": "link",
    "follows": "follow",
    "precedes": "precede",
    "faces": "face",
    "knows": "know",
    "lives": "live",
    "remains": "remain",
    "starts": "start",
    "ends": "end",
    "uses": "use",
    "equals": "equal",
    "allows": "allow",
    "matches": "match",
    "reaches": "reach",
    "stays": "stay",
    "serves": "serve",
    "produces": "produce",
    "does": "do",
}
# Verbs whose form in -s is a common noun too count as verbs only directly behind a parameter.
_NOUNS_TOO = _words("blocks covers links ends starts uses works costs stands needs faces fits matches")
_RELATIVE = _words("that which who whom whose where when whenever while if because whether what")
_QUANTIFIERS = _words(
    "not no never none nothing nobody nowhere neither nor all every everything each some something any anything "
    "both either only always already still cannot without but"
)


def negate(text: str) -> str | None:
    """The negation of a snippet's text, or None where the rules do not know it.

    ``{?x} is at {?y}`` → ``{?x} is not at {?y}``; ``{?x} has {?y}`` → ``{?x} does not have {?y}``;
    ``{?x} has been visited`` → ``{?x} has not been visited``; ``there is a path`` → ``there is no path``.
    """
    words = text.split(" ")
    plain = [word.strip(",;").casefold() for word in words]
    if any(word in _QUANTIFIERS or word in _RELATIVE or "n't" in word for word in plain):
        return None
    finite = [index for index in range(len(words)) if _negated_verb(plain, index) is not None]
    auxiliaries = [index for index in finite if plain[index] in _AUXILIARIES or plain[index] in _HAVE]
    candidates = auxiliaries or finite
    if len(candidates) != 1 or (len(finite) > 1 and _joined(plain)):
        return None
    index = candidates[0]
    if plain[0] == "there" and index == 1 and plain[1] in {"is", "are"} and len(words) > 2:
        rest = words[3:] if plain[2] in {"a", "an"} else words[2:]
        return " ".join([words[0], words[1], "no", *rest])
    return " ".join([*words[:index], str(_negated_verb(plain, index)), *words[index + 1 :]])


def _joined(plain: list[str]) -> bool:
    return "and" in plain or "or" in plain


def _negated_verb(plain: list[str], index: int) -> str | None:
    """The negated form of the word at an index, or None where it is no finite verb that is known here."""
    word = plain[index]
    if word in _AUXILIARIES:
        return _AUXILIARIES[word]
    if word in _HAVE:
        following = plain[index + 1] if index + 1 < len(plain) else ""
        participle = following in _PARTICIPLES or re.fullmatch(r"[a-z]{2,}[^e]ed", following) is not None
        return f"{word} not" if participle else _HAVE[word]
    if word in _VERBS and index > 0:
        behind_parameter = plain[index - 1].endswith("}")
        if behind_parameter or word not in _NOUNS_TOO:
            return f"does not {_VERBS[word]}"
    return None
