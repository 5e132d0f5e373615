"""Wordings under a renaming: the same sentences for other names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pddl2nl.nl.wording.own_names import own_name
from pddl2nl.nl.wording.snippets import Snippet, Wording

if TYPE_CHECKING:
    from pddl2nl.tasks.renaming import Kind, Renaming, Table

__all__ = ["rename_wording"]

_BRACED = re.compile(r"\{([^{}]*)\}")


def rename_wording(renaming: Renaming, wording: Wording) -> Wording:
    """`Renaming.wording`."""
    return replace(
        wording,
        domain=renaming.domains.get(wording.domain, wording.domain),
        predicates=_snippets(renaming, "predicates", wording.predicates),
        actions=_snippets(renaming, "actions", wording.actions),
        functions=_snippets(renaming, "functions", wording.functions),
        types=_types(renaming, wording),
        objects=_objects(renaming, wording.objects),
    )


def _snippets(renaming: Renaming, kind: Kind, snippets: Mapping[str, Snippet]) -> dict[str, Snippet]:
    places = renaming.variables.get(kind, {})
    return {
        renaming.name(kind, name): _snippet(snippet, renaming.name(kind, name), places.get(name, {}))
        for name, snippet in snippets.items()
    }


def _snippet(snippet: Snippet, name: str, table: Table) -> Snippet:
    """The snippet with its parameters renamed; one that the table lacks keeps its name where that is free."""
    new = {parameter: table.get(parameter, parameter) for parameter in snippet.parameters}
    if len(set(new.values())) < len(new):
        new = {parameter: f"?x{number}" for number, parameter in enumerate(snippet.parameters, start=1)}

    def text(old: str | None) -> str | None:
        return None if old is None else _BRACED.sub(lambda match: f"{{{new.get(match[1], match[1])}}}", old)

    parameters = tuple(new[parameter] for parameter in snippet.parameters)
    return Snippet(name, parameters, text(snippet.text), text(snippet.negated))


def _types(renaming: Renaming, wording: Wording) -> dict[str, str]:
    names = dict.fromkeys((*wording.types, *renaming.types))
    words = {renaming.name("types", name): wording.type_word(name) for name in names}
    # What is said for a type without an entry is its name: such an entry says nothing, and the way back drops it.
    return {name: word for name, word in words.items() if word != name}


def _objects(renaming: Renaming, objects: Mapping[str, str]) -> Mapping[str, str]:
    if not renaming.objects or not objects:
        return objects
    told = {new: own_name(objects, old) for old, new in renaming.objects.items()}
    return {name: word for name, word in told.items() if word is not None}
