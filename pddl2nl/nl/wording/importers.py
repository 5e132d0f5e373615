"""Wordings of other projects: AutoPlanBench's ``domain_description_seedN.json`` and PlanBench's ``configs/*.yaml``.

AutoPlanBench (Stein et al., section 3) writes each text in several forms; a file may lack some. Taken are
those with variables, ``drop crate {?c} with hoist {?h}``; ``pddl`` gives the variables' order. Reading back would not
detect a wrong order, so all forms of an action are checked against its ``description``, ``drop a crate B with a hoist
A`` (A is PDDL's first parameter), whose letters also fill the form with bare holes, ``drop crate {} with hoist {}``.
What the file says in these letters of preconditions and effects is compared with the domain's: an exchange in the text
of a predicate shows there, and gives a warning.

The texts of PlanBench (Valmeekam et al.) have holes in PDDL's order (``load {} into {} at {}``), and its
``domain_intro`` replaces the description of the domain. A predicate with an empty or missing text is never told, as in
PlanBench. ``encoded_objects`` are names of objects: one by one (``a``: "red block"), or patterns over the numbers in a
name (``l``: ``location_{}_{}``). Told names have no blanks here, so the words that all names share go into the
snippets: ``pick up the {}`` with red block, blue block … becomes ``pick up the {?ob} block`` with red, blue …, and the
told texts stay the same. Other blanks in a name become underscores, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal

from pddl2nl.errors import did_you_mean
from pddl2nl.nl.wording.snippets import (
    HOLE,
    Snippet,
    Wording,
    WordingError,
    check_wording,
    mapping_of,
    text_of,
    type_names,
)
from pddl2nl.nl.wording.template import declared_variables, with_functions
from pddl2nl.pddl.tree import ActionSchema, Atom, Domain, Not, Predicate, conjuncts

Importer = Callable[[Mapping[str, object], Domain, str], Wording]
"""Makes a wording of a file's content for a domain; the last argument names the file in messages."""
_AUTOPLANBENCH = frozenset(("action_mappings", "predicate_mappings", "action_nl_templates", "predicate_nl_templates"))
_PLANBENCH = frozenset(("domain_intro", "domain_file", "domain_name", "encoded_objects", "instance_dir"))
_FORMS = ("action_nl_templates", "action_mappings", "action_nl_templates_indef", "action_mappings_indef")
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


def _filled(text: str, variables: Sequence[str]) -> str:
    rest = iter(variables)
    return re.sub(r"\{\}", lambda _: f"{{{next(rest)}}}", text)


# ── AutoPlanBench ────────────────────────────────────────────────────────────────────────────────


def _autoplanbench(data: Mapping[str, object], domain: Domain, where: str) -> Wording:
    entries = _section(data, "actions", where)
    _refuse_other_domain(entries, domain, where)
    # Types may be worded beside the predicates; equality has words of our own.
    passed = ("=", "!=", *type_names(domain.types))
    wording = Wording(
        domain=domain.name,
        predicates=_worded(data, "predicate", domain.predicates, passed, where),
        actions=_worded(data, "action", domain.actions, (), where),
        source={"method": "autoplanbench", "file": where},
    )
    check_wording(with_functions(wording, domain), domain, where)
    doubts = [doubt for action in domain.actions for doubt in _doubts(entries[action.name], action, wording)]
    return replace(wording, source={**wording.source, "doubts": doubts}) if doubts else wording


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
        if kind == "action":
            text = _action_text(data, name, entry, variables, where)
        else:
            text = _predicate_text(data, name, variables, where)
        if text is None:
            raise WordingError(f"{where} → {kind}_nl_templates", f"lacks an entry for '{name}'")
        found[name] = Snippet(name, tuple(variables), text)
    return found


def _text(data: Mapping[str, object], key: str, name: str, where: str) -> str | None:
    """A text with single blanks and its variables in lower case; None where the file has none."""
    texts = _section(data, key, where)
    if name not in texts:
        return None
    text = " ".join(text_of(texts[name], f"{where} → {key} → {name}").split())
    return _VARIABLE.sub(lambda match: match[0].lower(), text)


def _predicate_text(data: Mapping[str, object], name: str, variables: Sequence[str], where: str) -> str | None:
    text = _text(data, "predicate_nl_templates", name, where)
    if text is not None or len(variables) > 1:
        return text
    # One variable has no order that could be wrong.
    holes = _text(data, "predicate_mappings", name, where)
    return holes.replace(HOLE, f"{{{variables[0]}}}") if holes and variables else holes


def _action_text(
    data: Mapping[str, object], name: str, entry: Mapping[str, object], variables: Sequence[str], where: str
) -> str | None:
    """The text with variables, after all that the file says of the action was compared with its description."""
    place = f"{where} → actions → {name}"
    description = " ".join(text_of(entry.get("description"), f"{place} → description").split())
    letters = dict(zip(_LETTERS, variables, strict=False))
    found: dict[str, str] = {}
    for key in _FORMS:
        text = _text(data, key, name, where)
        if text is None:
            continue
        holes = _VARIABLE.sub(HOLE, text)
        pattern = _lettered(holes)
        said = pattern.fullmatch(description)
        filled = _filled(holes, [letters.get(letter, letter) for letter in said.groups()]) if said else ""
        if said is None or text not in (holes, filled):
            raise WordingError(f"{place} → description", f"'{description}' is not what its text says, '{text}'")
        found[key] = filled
        for kind in ("preconditions", "effects"):
            for match in map(pattern.search, _sentences(entry, kind)):
                if match and match.groups() != said.groups():
                    reason = f"has other letters in '{match[0]}' than the description"
                    raise WordingError(f"{place} → {kind}", reason)
    return found.get("action_nl_templates", found.get("action_mappings"))


def _lettered(text: str) -> re.Pattern[str]:
    """Matches a text with letters in its holes, also with articles that it does not have itself."""
    words = ["(?:an? )?" + "([A-Z])".join(map(re.escape, word.split(HOLE))) for word in text.split()]
    return re.compile(" ".join(words))


def _sentences(entry: Mapping[str, object], kind: str) -> list[str]:
    told = entry.get(kind)
    return [str(sentence) for sentence in told] if isinstance(told, list) else []


def _doubts(entry: object, action: ActionSchema, wording: Wording) -> Iterator[str]:
    """What the domain says of an action and the file's sentences do not; nothing where it has no sentences."""
    letters = dict(zip([item.name for item in action.parameters], _LETTERS, strict=False))
    for kind, condition in (("preconditions", action.precondition), ("effects", action.effect)):
        sentences = "\n".join(_sentences(mapping_of(entry, action.name), kind))
        for part in conjuncts(condition) if sentences else ():
            atom, sign, before = part, "", r"(?<!not the case that )(?<!anymore that )(?<![\w-])"
            if isinstance(part, Not):
                atom, sign, before = part.body, "not: ", "it is not the case (?:anymore )?that "
            if not isinstance(atom, Atom):
                continue
            fact = wording.predicates[atom.predicate].fill([letters.get(arg, arg) for arg in atom.args])
            if not re.search(rf"{before}{re.escape(fact)}(?![\w-])", sentences):
                yield f"the file's {kind} of '{action.name}' do not say, as the domain does, '{sign}{fact}'"


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
            variables = declared_variables(known[name].parameters)
            if text not in _NO_TEXT and text.count(HOLE) != len(variables):
                declares = f"the domain declares {len(variables)} parameters"
                raise WordingError(place, f"'{text}' has {text.count(HOLE)} {HOLE}, {declares}")
            found[name] = None if text in _NO_TEXT else _filled(text, variables)
    missing = [name for name in known if name not in found]
    for raw in foreign:
        if missing and found:
            lacks = ", ".join(f"'{name}'" for name in missing)
            reason = f"the domain has none of this name, and has {lacks} without text"
            raise WordingError(f"{where} → {section} → {raw}", reason + did_you_mean(raw.lower(), missing))
        doubts.append(f"the text of '{raw}' is unused: the domain has none of this name")
    return found


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
