"""PlanBench's ``configs/*.yaml`` as wordings (Valmeekam et al., the baseline "Valm23" of Stein et al.).

Its texts have holes in PDDL's order (``load {} into {} at {}``), and its ``domain_intro`` replaces the description of
the domain. A predicate with an empty or missing text is never told, as in PlanBench. ``encoded_objects`` are names of
objects: one by one (``a``: "red block"), or patterns over the numbers in a name (``l``: ``location_{}_{}``).

Told names have no blanks here, so the words that all names share go into the snippets: ``pick up the {}`` with red
block, blue block … becomes ``pick up the {?ob} block`` with red, blue …, and the told texts stay the same. Other blanks
in a name become underscores, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from pddl2nl.nl.wording.own_names import HOLE
from pddl2nl.nl.wording.snippets import (
    Snippet,
    Wording,
    WordingError,
    check_wording,
    mapping_of,
    refuse_other_domain,
    suggest,
    text_of,
    type_names,
)
from pddl2nl.nl.wording.template import with_functions
from pddl2nl.pddl.tree import ActionSchema, Domain, Predicate

_HOLES = re.compile(r"\{(\d*)\}")
_NO_TEXT = frozenset(("", "~", "null", "Null", "NULL"))
"""How YAML writes nothing."""


def planbench_wording(data: object, domain: Domain, where: str = "wording") -> Wording:
    """The wording that a PlanBench configuration says, checked against its domain.

    An action without a text is an error, a predicate without one is never told. Texts of what the domain lacks
    are passed over where everything that it has is covered, else they are errors, since a name may be misspelt.

    Raises `WordingError` naming the place of the first thing that does not fit.
    """
    top = mapping_of(data, where)
    doubts: list[str] = []
    shared, objects = _objects(top, domain, where, doubts)
    actions = _texts(top, "actions", domain, where, doubts)
    for action in domain.actions:
        if actions[action.name] is None:
            raise WordingError(f"{where} → actions", f"lacks a text for '{action.name}'")
    predicates = _texts(top, "predicates", domain, where, doubts)
    intro = _line(top, "domain_intro", where).rstrip()
    name = _line(top, "domain_name", where)
    noun = shared.noun
    wording = Wording(
        domain=domain.name,
        predicates={item.name: _snippet(item, predicates[item.name], shared) for item in domain.predicates},
        actions={item.name: _snippet(item, actions[item.name], shared) for item in domain.actions},
        types={"object": noun} if noun and not domain.types else {},
        source={"method": "planbench", "file": where, **({"domain_name": name} if name else {})}
        | ({"doubts": doubts} if doubts else {}),
        domain_text=intro or None,
        objects=objects,
    )
    return check_wording(with_functions(wording, domain), domain, where)


def _line(top: Mapping[str, object], key: str, where: str) -> str:
    """A text at the top level of the file; empty if it is missing or null."""
    text = text_of(top.get(key, ""), f"{where} → {key}")
    return "" if text in _NO_TEXT else text


def _entries(top: Mapping[str, object], key: str, where: str) -> Mapping[str, object]:
    """A map at the top level of the file; empty if it is missing or null."""
    found = top.get(key, {})
    return {} if isinstance(found, str) and found in _NO_TEXT else mapping_of(found, f"{where} → {key}")


# ── texts ────────────────────────────────────────────────────────────────────────────────────────


def _texts(
    top: Mapping[str, object], section: Literal["actions", "predicates"], domain: Domain, where: str, doubts: list[str]
) -> dict[str, str | None]:
    """The text of everything that the domain declares, with ``{?variable}`` in the holes; None if it is never told."""
    place = f"{where} → {section}"
    if section not in top:
        raise WordingError(where, f"is no PlanBench configuration with texts: it lacks '{section}'")
    declared: Sequence[ActionSchema | Predicate] = domain.actions if section == "actions" else domain.predicates
    known = {item.name: item for item in declared}
    renamed = _obfuscation(top, section, where)
    found: dict[str, str | None] = {}
    foreign: list[str] = []
    for raw, value in mapping_of(top[section], place).items():
        name = _known_name(raw.lower(), renamed, known)
        text = " ".join(text_of(value, f"{place} → {raw}").split())
        if name is None:
            foreign += [raw] if text not in _NO_TEXT else []
        elif name in found:
            raise WordingError(f"{place} → {raw}", f"stands twice, for '{name}'")
        else:
            found[name] = None if text in _NO_TEXT else _with_variables(text, known[name], f"{place} → {raw}")
    if section == "actions":
        refuse_other_domain(found, domain, where)
    missing = [name for name in known if name not in found]
    for raw in foreign:
        if missing:
            lacks = ", ".join(f"'{name}'" for name in missing)
            near = suggest(raw.lower(), missing)
            raise WordingError(
                f"{place} → {raw}", f"the domain has none of this name, and has {lacks} without text{near}"
            )
        doubts.append(f"the text of '{raw}' is unused: the domain has none of this name")
    if section == "predicates":
        doubts += [f"the predicate '{name}' has no text: it is never told" for name in missing]
    return {name: found.get(name) for name in known}


def _obfuscation(top: Mapping[str, object], section: str, where: str) -> dict[str, str]:
    """Obfuscated names by plain names and the reverse, as the file lists them."""
    key = f"{section.removesuffix('s')}_obfuscation"
    pairs = {
        plain.lower(): text_of(twin, f"{where} → {key} → {plain}").lower()
        for plain, twin in _entries(top, key, where).items()
    }
    return {**{twin: plain for plain, twin in pairs.items()}, **pairs}


def _known_name(name: str, renamed: Mapping[str, str], known: Mapping[str, object]) -> str | None:
    if name in known:
        return name
    other = renamed.get(name)
    return other if other in known else None


def _with_variables(text: str, item: ActionSchema | Predicate, where: str) -> str:
    """A text with the item's variables in its holes; numbered holes count from 0, as in Python's format."""
    variables = _variables(item)
    holes = _HOLES.findall(text)
    if any(holes) and not all(holes):
        raise WordingError(where, "has holes with and without numbers")
    order = [int(hole) for hole in holes] if any(holes) else list(range(len(holes)))
    if not any(holes) and len(holes) != len(variables):
        raise WordingError(where, f"'{text}' has {len(holes)} {{}}, the domain declares {len(variables)} parameters")
    for position in order:
        if position >= len(variables):
            raise WordingError(where, f"has {{{position}}}, the domain declares {len(variables)} parameters")
    found = iter(order)
    return _HOLES.sub(lambda _: f"{{{variables[next(found)]}}}", text)


def _variables(item: ActionSchema | Predicate) -> tuple[str, ...]:
    """The declared variables; numbered ones where a declaration names one twice."""
    names = tuple(parameter.name for parameter in item.parameters)
    return names if len(set(names)) == len(names) else tuple(f"?x{index}" for index in range(1, len(names) + 1))


def _snippet(item: ActionSchema | Predicate, text: str | None, shared: _Shared) -> Snippet:
    return Snippet(item.name, _variables(item), None if text is None else shared.put_into(text))


# ── objects ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Shared:
    """The words that all names of objects begin and end with."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def noun(self) -> str | None:
        """The noun for the objects, if a shared word gives one."""
        words = self.after or self.before
        return words[-1].lower() if words and words[-1].isalpha() and words[-1].lower() != "object" else None

    def put_into(self, text: str) -> str:
        """A text with these words around each of its parameters."""
        return re.sub(r"\{\?[^{}]*\}", lambda match: " ".join((*self.before, match[0], *self.after)), text)


def _objects(
    top: Mapping[str, object], domain: Domain, where: str, doubts: list[str]
) -> tuple[_Shared, dict[str, str]]:
    """The words that go into the snippets, and the names of objects without them."""
    name = _line(top, "domain_name", where).lower()
    # PlanBench's own code looks at the name: obfuscated domains have objects o1, o2 …, and those of Depots are
    # told by their PDDL names, which are the types' names and numbers.
    place = f"{where} → encoded_objects"
    told = {
        key.lower(): " ".join(text_of(value, f"{place} → {key}").split())
        for key, value in _entries(top, "encoded_objects", where).items()
    }
    if "obfuscated" in name and HOLE not in told.get("o", ""):
        return _Shared(), {"o": "object_{}"}
    if "depots" in name:
        kinds = [kind for kind in type_names(domain.types) if kind != "object"]
        return _Shared(), {f"{kind}{mark}": f"{kind}{mark}{HOLE}" for kind in kinds for mark in ("", "_")}
    words = {key: tuple(value.split()) for key, value in told.items()}
    shared = _shared_words(list(words.values()))
    last = -len(shared.after) or None
    own = {key: item[len(shared.before) : last] for key, item in words.items()}
    spaced = [" ".join(item) for item in own.values() if len(item) > 1]
    if spaced:
        doubts.append(f"names of objects are told with underscores for their blanks: {', '.join(spaced)}")
    return shared, {key: "_".join(item) for key, item in own.items()}


def _shared_words(names: Sequence[tuple[str, ...]]) -> _Shared:
    """The words that all names begin and end with; none if a name is a pattern or would become empty."""
    if len(names) < 2 or any(HOLE in word for name in names for word in name):
        return _Shared()
    before = _same(names)
    after = _same([name[::-1] for name in names])[::-1]
    spare = min(len(name) for name in names) - len(before) - len(after)
    return _Shared(before, after) if spare > 0 else _Shared()


def _same(names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    same = takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False))
    return tuple(column[0] for column in same)
