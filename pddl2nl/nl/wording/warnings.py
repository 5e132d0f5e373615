"""Warnings about a wording, and pairs of texts that cannot be distinguished when they are read back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from pddl2nl.nl import markers
from pddl2nl.nl.wording.english import one_of_kind
from pddl2nl.nl.wording.snippets import Snippet, Wording, type_names
from pddl2nl.pddl.task import supertypes
from pddl2nl.pddl.tree import Domain, TypedName


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
    for kind, snippets, parameters in (
        ("actions", wording.actions, {item.name: item.parameters for item in domain.steps}),
        ("predicates", wording.predicates, {item.name: item.parameters for item in domain.predicates}),
        ("functions", wording.functions, {item.name: item.parameters for item in domain.functions}),
    ):
        for one, other in confused_pairs(snippets, parameters, domain):
            found.append(
                f"the {kind} '{one.name}' and '{other.name}' cannot be told apart: both are said '{one.shape}'"
            )
        found += _exchanged(kind.removesuffix("s"), snippets, parameters)
    found += [
        f"the action '{snippet.name}' is said '{snippet.text}', which means something else in a model's reply"
        for snippet in wording.actions.values()
        if _is_tag(snippet.text or "")
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


def _is_tag(text: str) -> bool:
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
    """The parameters in the order in which the text mentions them."""
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
