"""What a person should review in a wording: texts that cannot be told apart, and those that may not mean what they say.

A snippet may hold every parameter and still be wrong: "{?c} is on the couch" for ``(on ?c)`` of Ferry. Two signs are
looked for: no word of the name is left in the text; or only a preposition is, beside a thing that nothing in the domain
names. Neither proves a mistake. A doubted text is asked for again once, kept if the model repeats it, and marked in the
wording's ``source["review"]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pddl2nl.nl import markers
from pddl2nl.nl.wording.english import DETERMINERS, PREPOSITIONS, enumerate_words, one_of_kind, words_of
from pddl2nl.nl.wording.snippets import Snippet, Wording, sections, type_names
from pddl2nl.pddl.task import supertypes
from pddl2nl.pddl.tree import Domain, Function, Predicate, StepSchema, TypedName

_PLACE = words_of("at in inside within located")
_GENERAL = words_of(
    "agent amount arm back bottom case end environment floor front goal ground hand hands item left location middle "
    "moment number object other person place player position right robot same side state system table thing time top "
    "way world"
)
_VERBS = words_of("is are was were has have been be being can will does do not and or that which who it them its")


@dataclass(frozen=True)
class Doubt:
    """A snippet that a person should review."""

    kind: str
    name: str
    text: str
    reasons: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The entry in ``source["review"]``."""
        return {"kind": self.kind, "name": self.name, "text": self.text, "reasons": list(self.reasons)}


def meaning_doubts(kind: str, snippet: Snippet, domain: Domain) -> tuple[str, ...]:
    """Why a snippet may not mean what its name says, as predicates of "it"; empty where nothing is doubted.

    Only predicates and functions are compared: an action's verb is free, since its conditions and effects are known.
    """
    own = _name_words(snippet.name)
    if kind not in ("predicates", "functions") or not own:
        return ()
    said = re.findall(r"[^\W\d_]+", re.sub(r"\{[^{}]*\}", " ", snippet.text or "").casefold())
    shared = {word for part in own for word in said if _related(part, word)}
    if not shared:
        others = [_name_words(item.name) for item in domain.predicates if item.name != snippet.name]
        taken = next((" ".join(words) for words in others if words and set(words) <= set(said)), "")
        return (f"has no word of the name '{snippet.name}' in it{taken and f' and reads like {taken!r}'}",)
    if shared <= PREPOSITIONS | _VERBS:
        # The name says no more than "on" or "has": of what, the rest of the text tells.
        known = _vocabulary(domain) | _GENERAL
        invented = [noun for noun in _things(snippet.text or "") if not any(_related(word, noun) for word in known)]
        if invented:
            things = enumerate_words([f"'{noun}'" for noun in invented])
            return (f"speaks of {things}, which the domain does not name",)
    return ()


def doubts(wording: Wording, domain: Domain) -> tuple[Doubt, ...]:
    """All snippets of a wording that may not mean what their names say."""
    return tuple(
        Doubt(kind, name, snippet.text, reasons)
        for kind, snippets in wording.snippets.items()
        for name, snippet in snippets.items()
        if snippet.text is not None and (reasons := meaning_doubts(kind, snippet, domain))
    )


def marked(wording: Wording) -> tuple[Doubt, ...]:
    """The snippets that a wording's ``source`` marks for review; a mark ends when the text is changed."""
    entries = wording.source.get("review")
    found: list[Doubt] = []
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("reasons"), list):
            kind, name, text = (str(entry.get(key)) for key in ("kind", "name", "text"))
            snippet = wording.snippets.get(kind, {}).get(name)
            if snippet is not None and snippet.text == text:
                found.append(Doubt(kind, name, text, tuple(map(str, entry["reasons"]))))
    return tuple(found)


def _name_words(name: str) -> tuple[str, ...]:
    """The words of a PDDL name that a text can be compared with: no single letters, no numbers."""
    return tuple(word for word in re.split(r"[\W\d_]+", name.casefold()) if len(word) > 1)


def _related(part: str, word: str) -> bool:
    """Whether a word of a name and a word of a text may be the same: inflected, abbreviated or part of a compound."""
    if part == word or {part, word} <= _PLACE:
        return True
    short, long = sorted((part, word), key=len)
    if len(short) >= 3 and (short in long or part.startswith(word[:3])):
        return True
    if len(word) >= 2 and len(part) > 4 and (part.startswith(word) or part.endswith(word)):
        # "on" in "ontable".
        return True
    letters = iter(word)
    return len(part) >= 3 and part[0] == word[0] and all(letter in letters for letter in part)


def _vocabulary(domain: Domain) -> frozenset[str]:
    names = [domain.name, *(item.name for item in (*domain.types, *domain.constants))]
    declared: tuple[Predicate | Function | StepSchema, ...] = (
        *domain.predicates,
        *domain.functions,
        *domain.steps,
    )
    for item in declared:
        names += [item.name, *(parameter.name for parameter in item.parameters)]
    return frozenset(word for name in names for word in _name_words(name))


def _things(text: str) -> Iterator[str]:
    """The nouns behind an article that no parameter follows: "couch" in "is on the couch"."""
    words = text.casefold().split()
    for at, word in enumerate(words):
        if word not in {"the", "a", "an"}:
            continue
        end = at + 1
        while end < len(words) and _is_plain(words[end]) and words[end] not in PREPOSITIONS | DETERMINERS | _VERBS:
            end += 1
        follows = end < len(words) and words[end].startswith("{")
        if end > at + 1 and not follows:
            yield words[end - 1].strip(",;")


def _is_plain(word: str) -> bool:
    return word.strip(",;").isalpha()


# ── texts that are told or read wrong ────────────────────────────────────────────────────────────


def wording_warnings(wording: Wording, domain: Domain) -> tuple[str, ...]:
    """A sentence for each pair of actions, predicates or functions with the same text, and for each other doubt.

    The other doubts: the wording is for another domain; an importer's doubts (``doubts`` in the wording's source);
    parameters in another order than the domain's; actions whose text is a tag of replies.

    Two texts are the same if they differ only in the names of parameters, and the types allow the same objects in
    both.
    """
    found: list[str] = []
    if wording.domain != domain.name:
        found.append(f"the wording was made for the domain '{wording.domain}', not for '{domain.name}'")
    for kind, snippets, parameters in sections(wording, domain):
        for one, other in confused_pairs(snippets, parameters, domain):
            found.append(
                f"the {kind} '{one.name}' and '{other.name}' cannot be told apart: both are said '{one.shape}'"
            )
        found += _exchanged(kind.removesuffix("s"), snippets, parameters)
    found += [
        f"the action '{snippet.name}' is said '{snippet.text}', which means something else in a model's reply"
        for snippet in wording.actions.values()
        if is_tag(snippet.text or "")
    ]
    doubts = wording.source.get("doubts", ())
    if isinstance(doubts, list | tuple):
        found += [str(doubt) for doubt in doubts]
    return tuple(found)


def without_type_clashes(wording: Wording, domain: Domain) -> Wording:
    """The wording with other words for types that a predicate uses too.

    Objects are introduced by their types, "object_0 is an object". Where a predicate says "{?x} is an object" as well,
    the introduction would assert that fact, and "object_0 is not an object" would contradict it: such objects are
    introduced as things.
    """
    said = {
        re.sub(r"\bobj\b", "object", item.shape)
        for item in wording.predicates.values()
        if item.text is not None and len(item.parameters) == 1
    }
    names = type_names(domain.types)
    words = {name: wording.type_word(name) for name in names}
    changed: dict[str, str] = {}
    for name, word in words.items():
        candidates = ("thing", "item", "entity") if name == "object" else ()
        for candidate in (word, *candidates, f"object of type {name}"):
            if f"{{}} is {one_of_kind(candidate)}".casefold() not in said and (
                candidate == word or candidate not in words.values()
            ):
                break
        if candidate != word:
            changed[name] = candidate
    return replace(wording, types={**wording.types, **changed}) if changed else wording


def _exchanged(
    kind: str, snippets: Mapping[str, Snippet], parameters: Mapping[str, Sequence[TypedName]]
) -> Iterator[str]:
    for snippet in snippets.values():
        declared = tuple(item.name for item in parameters[snippet.name])
        if snippet.parameters != declared and sorted(snippet.parameters) == sorted(declared):
            yield (
                f"the {kind} '{snippet.name}' has the parameters {', '.join(snippet.parameters)}, and the domain's are "
                f"{', '.join(declared)}: they are taken by their places, not by their names"
            )


def is_tag(text: str) -> bool:
    """Whether an action's text is a tag of prompts and replies, so that it would be read as that."""
    low = text.casefold()
    tags = (markers.THOUGHT, markers.PLAN_START, markers.PLAN_END)
    return low in (markers.LOOK_AROUND, markers.DONE) or low.startswith(tuple(tag.casefold() for tag in tags))


def confused_pairs(
    snippets: Mapping[str, Snippet], parameters: Mapping[str, Sequence[TypedName]], domain: Domain
) -> Iterator[tuple[Snippet, Snippet]]:
    """The pairs of snippets with one text; ``parameters`` are the declared ones, by the snippets' names."""
    groups: dict[str, list[Snippet]] = {}
    for snippet in snippets.values():
        if snippet.text is not None:
            groups.setdefault(snippet.shape, []).append(snippet)
    above = supertypes(domain)
    for group in groups.values():
        for one, other in combinations(group, 2):
            if _overlap(_order(one, parameters), _order(other, parameters), above):
                yield one, other


def _order(snippet: Snippet, parameters: Mapping[str, Sequence[TypedName]]) -> list[TypedName]:
    declared = parameters[snippet.name]
    return [declared[part] for part in snippet.parts if isinstance(part, int)]


def _overlap(one: Sequence[TypedName], other: Sequence[TypedName], above: Mapping[str, frozenset[str]]) -> bool:
    """Whether the same objects fit both: at each place one type is a supertype of the other."""
    return all(
        any(
            left in above.get(right, frozenset((right, "object"))) or right in above.get(left, frozenset((left,)))
            for left in a.types
            for right in b.types
        )
        for a, b in zip(one, other, strict=True)
    )
