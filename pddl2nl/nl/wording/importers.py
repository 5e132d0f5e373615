"""Wordings of other projects: AutoPlanBench's ``domain_description_seedN.json`` and PlanBench's ``configs/*.yaml``.

AutoPlanBench (Stein et al., section 3) writes each text in several forms. Taken are those with variables,
``drop crate {?c} with hoist {?h}``; ``pddl`` gives the variables' order. The texts of actions are checked against their
``description``, which has letters for them (A is PDDL's first parameter): reading back would not detect a wrong order.

The texts of PlanBench (Valmeekam et al.) have holes in PDDL's order (``load {} into {} at {}``), and its
``domain_intro`` replaces the description of the domain. A predicate with an empty or missing text is never told, as in
PlanBench. ``encoded_objects`` are names of objects: one by one (``a``: "red block"), or patterns over the numbers in a
name (``l``: ``location_{}_{}``). Told names have no blanks here, so the words that all names share go into the
snippets: ``pick up the {}`` with red block, blue block … becomes ``pick up the {?ob} block`` with red, blue …, and the
told texts stay the same. Other blanks in a name become underscores, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Literal

from pddl2nl.errors import did_you_mean
from pddl2nl.nl.wording.snippets import HOLE, Snippet, Wording, WordingError, mapping_of, text_of, type_names
from pddl2nl.nl.wording.template import declared_variables
from pddl2nl.pddl.tree import ActionSchema, Domain, Predicate

Importer = Callable[[Mapping[str, object], Domain, str], Wording]
"""Makes a wording of a file's content for a domain; the last argument names the file in messages."""
_AUTOPLANBENCH = frozenset(("action_mappings", "predicate_mappings", "action_nl_templates", "predicate_nl_templates"))
_PLANBENCH = frozenset(("domain_intro", "domain_file", "domain_name", "encoded_objects", "instance_dir"))
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_VARIABLE = re.compile(r"\{(\?[^{}]*)\}")
_NO_TEXT = frozenset(("", "~", "null", "Null", "NULL"))
"""How YAML writes nothing."""


def importer_of(data: Mapping[str, object]) -> Importer | None:
    """What makes a wording of a file's content; None where it is no file of these projects."""
    if "format" in data:
        return None
    if not _AUTOPLANBENCH.isdisjoint(data):
        return _autoplanbench
    texts = data.get("actions")
    if not _PLANBENCH.isdisjoint(data) or (isinstance(texts, dict) and any(isinstance(t, str) for t in texts.values())):
        return _planbench
    return None


def _refuse_other_domain(actions: Mapping[str, object], domain: Domain, where: str) -> None:
    declared = [item.name for item in domain.steps]
    if declared and set(declared).isdisjoint(actions):
        raise WordingError(
            where, f"is of another domain: it has none of {domain.name}'s actions, {', '.join(declared)}"
        )


# ── AutoPlanBench ────────────────────────────────────────────────────────────────────────────────


def _autoplanbench(data: Mapping[str, object], domain: Domain, where: str) -> Wording:
    _refuse_other_domain(_section(data, "actions", where), domain, where)
    # Types may be worded beside the predicates; equality has words of our own.
    passed = ("=", "!=", *type_names(domain.types))
    return Wording(
        domain=domain.name,
        predicates=_worded(data, "predicate", domain.predicates, passed, where),
        actions=_worded(data, "action", domain.actions, (), where),
        source={"method": "autoplanbench", "file": where},
    )


def _section(data: Mapping[str, object], key: str, where: str) -> dict[str, object]:
    return {name.lower(): value for name, value in mapping_of(data.get(key, {}), f"{where} → {key}").items()}


def _worded(
    data: Mapping[str, object],
    kind: Literal["action", "predicate"],
    declared: Sequence[ActionSchema | Predicate],
    passed: Sequence[str],
    where: str,
) -> dict[str, Snippet]:
    known = {item.name: [parameter.name for parameter in item.parameters] for item in declared}
    found: dict[str, Snippet] = {}
    for name, value in _section(data, f"{kind}s", where).items():
        place = f"{where} → {kind}s → {name}"
        if name not in known:
            if name in passed:
                continue
            raise WordingError(place, f"the domain has none of this name{did_you_mean(name, known)}")
        entry = mapping_of(value, place)
        head, *variables = text_of(entry.get("pddl"), f"{place} → pddl").strip().strip("()").lower().split() or [""]
        if head != name:
            raise WordingError(f"{place} → pddl", f"must begin with '{name}'")
        if variables != known[name] and sorted(variables) == sorted(known[name]):
            reason = f"has the parameters in another order than the domain: {', '.join(known[name])}"
            raise WordingError(f"{place} → pddl", reason)
        text = _with_variables(data, f"{kind}_nl_templates", name, where)
        if kind == "action":
            indefinite = _with_variables(data, "action_nl_templates_indef", name, where)
            _check_letters(entry, variables, text, indefinite, place)
        found[name] = Snippet(name, tuple(variables), text)
    return found


def _check_letters(
    entry: Mapping[str, object], variables: Sequence[str], text: str, indefinite: str, place: str
) -> None:
    """Refuses an action whose description, with letters, is another text or has the variables in another order."""
    if _VARIABLE.findall(text) != _VARIABLE.findall(indefinite):
        raise WordingError(place, f"'{text}' has the variables in another order than '{indefinite}'")
    letters = dict(zip(variables, _LETTERS, strict=False))
    said = _VARIABLE.sub(lambda match: letters.get(match[1], match[1]), indefinite)
    description = " ".join(text_of(entry.get("description"), f"{place} → description").split())
    if said != description:
        raise WordingError(f"{place} → description", f"'{description}' is not what its text says, '{said}'")


def _with_variables(data: Mapping[str, object], key: str, name: str, where: str) -> str:
    texts = _section(data, key, where)
    if name not in texts:
        raise WordingError(f"{where} → {key}", f"lacks an entry for '{name}'")
    text = " ".join(text_of(texts[name], f"{where} → {key} → {name}").split())
    return _VARIABLE.sub(lambda match: match[0].lower(), text)


# ── PlanBench ────────────────────────────────────────────────────────────────────────────────────


def _planbench(data: Mapping[str, object], domain: Domain, where: str) -> Wording:
    doubts: list[str] = []
    before, after, objects = _objects(data, domain, where, doubts)
    actions = _texts(data, "actions", domain.actions, where, doubts)
    _refuse_other_domain(actions, domain, where)
    for action in domain.actions:
        if actions.get(action.name) is None:
            raise WordingError(f"{where} → actions", f"lacks a text for '{action.name}'")
    predicates = _texts(data, "predicates", domain.predicates, where, doubts)
    doubts += [
        f"the predicate '{item.name}' has no text: it is never told"
        for item in domain.predicates
        if item.name not in predicates
    ]

    def snippet(item: ActionSchema | Predicate, text: str | None) -> Snippet:
        if text is not None:
            text = _VARIABLE.sub(lambda match: " ".join((*before, match[0], *after)), text)
        return Snippet(item.name, declared_variables(item.parameters), text)

    name, noun = _line(data, "domain_name", where), (after or before or ("",))[-1].lower()
    source = {"method": "planbench", "file": where} | ({"domain_name": name} if name else {})
    return Wording(
        domain=domain.name,
        predicates={item.name: snippet(item, predicates.get(item.name)) for item in domain.predicates},
        actions={item.name: snippet(item, actions[item.name]) for item in domain.actions},
        types={"object": noun} if noun.isalpha() and noun != "object" and not domain.types else {},
        source=source | ({"doubts": doubts} if doubts else {}),
        domain_text=_line(data, "domain_intro", where).rstrip() or None,
        objects=objects,
    )


def _line(data: Mapping[str, object], key: str, where: str) -> str:
    """A text at the top level of the file; empty if it is missing or null."""
    text = text_of(data.get(key, ""), f"{where} → {key}")
    return "" if text in _NO_TEXT else text


def _entries(data: Mapping[str, object], key: str, where: str) -> dict[str, str]:
    """A map at the top level of the file to texts with single blanks; empty if it is missing or null."""
    found = data.get(key, {})
    entries = {} if isinstance(found, str) and found in _NO_TEXT else mapping_of(found, f"{where} → {key}")
    return {name: " ".join(text_of(text, f"{where} → {key} → {name}").split()) for name, text in entries.items()}


def _texts(
    data: Mapping[str, object],
    section: Literal["actions", "predicates"],
    declared: Sequence[ActionSchema | Predicate],
    where: str,
    doubts: list[str],
) -> dict[str, str | None]:
    """The texts by name, with ``{?variable}`` in the holes; None for what is never told.

    Texts of what the domain lacks are passed over where everything that it has is covered, else they are errors, since
    a name may be misspelt.
    """
    if section not in data:
        raise WordingError(where, f"is no PlanBench configuration with texts: it lacks '{section}'")
    known = {item.name: item for item in declared}
    obfuscated = _entries(data, f"{section.removesuffix('s')}_obfuscation", where)
    twins = {plain.lower(): twin.lower() for plain, twin in obfuscated.items()}
    twins = {twin: plain for plain, twin in twins.items()} | twins
    found: dict[str, str | None] = {}
    foreign: list[str] = []
    for raw, text in _entries(data, section, where).items():
        name = raw.lower() if raw.lower() in known else twins.get(raw.lower(), "")
        if name not in known:
            foreign += [raw] if text not in _NO_TEXT else []
        elif name in found:
            raise WordingError(f"{where} → {section} → {raw}", f"stands twice, for '{name}'")
        else:
            place = f"{where} → {section} → {raw}"
            found[name] = None if text in _NO_TEXT else _filled(text, known[name], place)
    missing = [name for name in known if name not in found]
    for raw in foreign:
        if missing and found:
            lacks = ", ".join(f"'{name}'" for name in missing)
            reason = f"the domain has none of this name, and has {lacks} without text"
            raise WordingError(f"{where} → {section} → {raw}", reason + did_you_mean(raw.lower(), missing))
        doubts.append(f"the text of '{raw}' is unused: the domain has none of this name")
    return found


def _filled(text: str, item: ActionSchema | Predicate, where: str) -> str:
    variables = iter(declared_variables(item.parameters))
    if text.count(HOLE) != len(item.parameters):
        declares = f"the domain declares {len(item.parameters)} parameters"
        raise WordingError(where, f"'{text}' has {text.count(HOLE)} {HOLE}, {declares}")
    return re.sub(r"\{\}", lambda _: f"{{{next(variables)}}}", text)


_Words = tuple[str, ...]


def _objects(
    data: Mapping[str, object], domain: Domain, where: str, doubts: list[str]
) -> tuple[_Words, _Words, dict[str, str]]:
    """The words that go into the snippets before and behind each parameter, and the names of objects without them."""
    name = _line(data, "domain_name", where).lower()
    told = {key.lower(): value for key, value in _entries(data, "encoded_objects", where).items()}
    # PlanBench's own code looks at the name: obfuscated domains have objects o1, o2 …, and those of Depots are
    # told by their PDDL names, which are the types' names and numbers.
    if "obfuscated" in name and HOLE not in told.get("o", ""):
        return (), (), {"o": "object_{}"}
    if "depots" in name:
        kinds = [kind for kind in type_names(domain.types) if kind != "object"]
        return (), (), {f"{kind}{mark}": f"{kind}{mark}{HOLE}" for kind in kinds for mark in ("", "_")}
    words = {key: tuple(value.split()) for key, value in told.items()}
    before, after = _shared_words(list(words.values()))
    own = {key: item[len(before) : len(item) - len(after)] for key, item in words.items()}
    spaced = [" ".join(item) for item in own.values() if len(item) > 1]
    if spaced:
        doubts.append(f"names of objects are told with underscores for their blanks: {', '.join(spaced)}")
    return before, after, {key: "_".join(item) for key, item in own.items()}


def _shared_words(names: Sequence[_Words]) -> tuple[_Words, _Words]:
    """The words that all names begin and end with; none if a name is a pattern or would become empty."""
    if len(names) < 2 or any(HOLE in word for name in names for word in name):
        return (), ()
    before, after = _same(names), _same([name[::-1] for name in names])[::-1]
    spare = min(len(name) for name in names) - len(before) - len(after)
    return (before, after) if spare > 0 else ((), ())


def _same(names: Sequence[_Words]) -> _Words:
    same = takewhile(lambda column: len(set(column)) == 1, zip(*names, strict=False))
    return tuple(column[0] for column in same)
