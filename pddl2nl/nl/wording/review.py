"""What a person should review in a wording: texts that cannot be told apart, or may not mean what they say.

A snippet may hold every parameter and be wrong: "{?c} is on the couch" for ``(on ?c)`` of Ferry. Signs of this: no
word of the name is left in the text, nor one of the same meaning; or only a preposition is, beside a thing that nothing
in the domain names; a predicate's text has no verb; an action's does not begin with one; a negation that the name does
not have; a variable that is said again without need; a word that marks something else in prompts. None proves a
mistake, and exchanged roles show in none of them. A doubted text is asked for again once, kept if
the model repeats it, and marked in the wording's ``source["review"]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pddl2nl.nl import markers
from pddl2nl.nl.wording.english import DETERMINERS, PREPOSITIONS, enumerate_words, one_of_kind, words_of
from pddl2nl.nl.wording.negation import FINITE, whole_sentence
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
# Verbs of one meaning, beginning with it.
_SYNONYMS = tuple(
    map(
        words_of,
        (
            "pick take grasp grab get lift collect fetch acquire obtain receive catch",
            "put place drop set leave release deposit lay lower store insert",
            "move go drive walk travel navigate fly sail drag transport carry bring roll shift transfer lead pull push",
            "leave depart exit disembark debark alight unload",
            "enter board embark load",
            "make create build produce prepare construct form assemble",
            "start begin switch turn activate power run",
            "stop end finish switch turn deactivate halt",
            "remove take delete destroy undo erase clean clear wipe",
            "send communicate transmit deliver give serve",
            "look see find locate inspect examine observe watch scan image photograph",
            "break crack smash cut slice chop",
            "reset restart",
            "apply perform do execute use",
            "connect attach link join fasten",
            "disconnect detach loosen",
        ),
    )
)
_NEGATIONS = words_of("not no never none neither nor cannot without")
# Names that may be said by a negation: "there is no block on {?x}".
_DENYING = re.compile(
    r"\b(?:not|no|non|never|un|in|im|dis|de)|free|empty|clear|avail|idle|missing|absent|without|out|off"
)
_MARKERS = re.compile(r"\b(?:action|observation|thought|plan|goal|state)\s*:|\[|\blook around\b", re.IGNORECASE)
_ENDING = re.compile(r"\b(?:i am|i'm|we are) (?:finished|done)\b|\bthere is no (?:plan|solution)\b|^i look around\b")
_FINITE = re.compile(r"(?:[a-z]{2,}[^suiaeo\W]|[a-z]{2,}e|goe|doe|[a-z]+(?:sse|xe|che|she))s|[a-z]{2,}ed|[a-z]+n't")
_NO_COMMAND = re.compile(r"(?!bring|ring|sing|swing|string|spring)[a-z]+ing|(?!.*(?:eed|shed|embed|shred))[a-z]{2,}ed")
_NO_VERBS = DETERMINERS | PREPOSITIONS - words_of("over near") | _VERBS | words_of("i you we they he she there here if")


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
    """Why a snippet may not mean what its name says, as predicates of "it"; empty where nothing is doubted."""
    return (*_form_doubts(kind, snippet), *_name_doubts(kind, snippet, domain))


def _form_doubts(kind: str, snippet: Snippet) -> Iterator[str]:
    text = snippet.text or ""
    words = [word.strip(",.;").casefold() for word in text.split()]
    if _MARKERS.search(text):
        yield "has a word that marks something else in prompts and replies"
    if kind == "predicates" and not _is_statement(text):
        yield "has no verb that makes it a statement"
    if kind == "actions" and (
        not words[0].replace("-", "").isalpha() or words[0] in _NO_VERBS or _NO_COMMAND.fullmatch(words[0])
    ):
        yield f"begins with '{words[0]}' and not with a verb in the imperative"
    denied = [word for word in words if word in _NEGATIONS or word.endswith("n't")]
    if denied and kind != "functions" and not _DENYING.search(snippet.name.replace("_", " ")):
        yield f"says '{denied[0]}', and the name '{snippet.name}' denies nothing"
    for name in snippet.parameters:
        mentions = text.split(f"{{{name}}}")
        if any(not _means_something(between) for between in mentions[1:-1]):
            yield f"says {{{name}}} again without need"


def _is_statement(text: str) -> bool:
    """Whether a text has a finite verb; "holding {?x}" leaves out an "I am"."""
    text = whole_sentence(re.sub(r"'[^']*'", "it", text))
    words = [word.strip(",.;").casefold() for word in text.split()]
    for before, word in zip(["", *words], words, strict=False):
        if word in FINITE or (before and _FINITE.fullmatch(word) and before not in DETERMINERS | PREPOSITIONS):
            return True
        # "I hold {?x}", "{?x} and {?y} match"
        plural = before in {"i", "we", "they"} or (
            before.startswith("{") and f" and {before} " in f" {' '.join(words)} "
        )
        if plural and word.isalpha() and word not in _NO_VERBS:
            return True
    return False


def _means_something(between: str) -> bool:
    """Whether the words between two mentions of a variable say something, so that the second one has a reason."""
    return bool({word.strip(",.;").casefold() for word in re.sub(r"\{[^{}]*\}", " ", between).split()} - _VERBS)


def _name_doubts(kind: str, snippet: Snippet, domain: Domain) -> tuple[str, ...]:
    own = _name_words(snippet.name)
    if not own:
        return ()
    said = re.findall(r"[^\W\d_]+", re.sub(r"\{[^{}]*\}", " ", snippet.text or "").casefold())
    shared = {word for part in own for word in said if _related(part, word)}
    opposite = next((part for part in own if said and part in (f"un{said[0]}", f"dis{said[0]}")), "")
    if kind == "actions" and opposite and opposite not in said:
        return (f"says '{said[0]}', and the name says '{opposite}'",)
    if not shared and not any({part, word} <= group for group in _SYNONYMS for part in own for word in said):
        others = [_name_words(item.name) for item in domain.predicates if item.name != snippet.name]
        taken = next((" ".join(words) for words in others if words and set(words) <= set(said)), "")
        return (f"has no word of the name '{snippet.name}' in it{taken and f' and reads like {taken!r}'}",)
    if kind != "actions" and shared <= PREPOSITIONS | _VERBS:
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
    if len(word) >= 2 and len(part) >= 4 and (part.startswith(word) or part.endswith(word)):
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
    parameters in another order than the domain's; actions and predicates whose text is a tag of replies.

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
        f"the {kind} '{snippet.name}' is said '{text}', which means something else in a model's reply"
        for kind, snippets in (("action", wording.actions), ("predicate", wording.predicates))
        for snippet in snippets.values()
        for text in (snippet.text, snippet.negated)
        if text is not None and is_tag(text)
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
    """Whether a text is a tag of prompts and replies, or says what ends a run, so that it would be read as that."""
    low = text.casefold().strip(" .!")
    tags = (markers.THOUGHT, markers.PLAN_START, markers.PLAN_END, markers.NO_PLAN)
    said = low in (markers.LOOK_AROUND, markers.DONE) or _ENDING.search(low) is not None
    return said or low.startswith(tuple(tag.casefold() for tag in tags))


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
