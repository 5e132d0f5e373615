"""AutoPlanBench's ``domain_description_seedN.json`` as wordings (Stein et al., section 3).

Such a file holds each text in several forms, and the one with bare holes, ``drop crate {} with hoist {} onto
surface {}``, has them in the order of the *text*. Which hole is which parameter is said by the letters in the
action's description, ``drop a crate B with a hoist A onto a surface C`` (A is PDDL's first parameter; a letter
that stands twice is a parameter said twice). They are found by laying the text with the holes along the
description, since a capital alone may be a word. Predicates have no description: there the variables in
``predicate_nl_templates`` count. Where two forms disagree the file is refused: an order is never guessed,
since reading back would not detect a wrong one. ``=`` and ``!=`` are ignored: equality has a
fixed text.

What the file says of preconditions and effects is compared with the domain's (`_meaning_doubts`); what is
missing there becomes a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
from pddl2nl.pddl.task import supertypes
from pddl2nl.pddl.tree import ActionSchema, Atom, Condition, Domain, Not, Predicate, TypedName, conjuncts

_EQUALITY = ("=", "!=")
_HOLE = re.compile(r"\{\}")
_VARIABLE = re.compile(r"\{(\?[^{}]*)\}")
_ARTICLES = r"(?:an? )?"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def autoplanbench_wording(data: object, domain: Domain, where: str = "wording") -> Wording:
    """The wording that an AutoPlanBench domain description says, checked against its domain.

    Raises `WordingError` naming the place of what is missing, unknown or contradicts itself.
    """
    top = mapping_of(data, where)
    file = _File(
        where,
        {key: _lower(mapping_of(top.get(key, {}), f"{where} → {key}"), f"{where} → {key}") for key in _SECTIONS},
    )
    # Types may be worded beside the predicates; equality has words of our own.
    passed = frozenset(_EQUALITY) | frozenset(type_names(domain.types))
    refuse_other_domain(file.sections["actions"], domain, where)
    _check_names(file, "actions", "action_mappings", [item.name for item in domain.actions], frozenset())
    _check_names(file, "predicates", "predicate_mappings", [item.name for item in domain.predicates], passed)
    wording = Wording(
        domain=domain.name,
        predicates={item.name: _predicate(file, item, domain) for item in domain.predicates},
        actions={item.name: _action(file, item, domain) for item in domain.actions},
        source={"method": "autoplanbench", "file": where},
    )
    wording = check_wording(with_functions(wording, domain), domain, where)
    doubts = _meaning_doubts(file.sections["actions"], wording, domain)
    return replace(wording, source={**wording.source, "doubts": list(doubts)}) if doubts else wording


_SECTIONS = (
    *("actions", "action_mappings", "action_mappings_indef", "action_nl_templates", "action_nl_templates_indef"),
    *("predicates", "predicate_mappings", "predicate_nl_templates"),
)


@dataclass(frozen=True)
class _File:
    """The file's sections by name, each with its entries by the name of an action or predicate."""

    where: str
    sections: Mapping[str, Mapping[str, object]]

    def place(self, section: str, name: str) -> str:
        return f"{self.where} → {section} → {name}"

    def text(self, section: str, name: str) -> str | None:
        """A text of a section with its blanks made single; None where the file has none."""
        if name not in self.sections[section]:
            return None
        found = " ".join(text_of(self.sections[section][name], self.place(section, name)).split())
        if not found:
            raise WordingError(self.place(section, name), "is empty")
        return found

    def needed(self, section: str, name: str) -> str:
        found = self.text(section, name)
        if found is None:
            raise WordingError(f"{self.where} → {section}", f"lacks an entry for '{name}'")
        return found

    def entry(self, section: str, name: str) -> Mapping[str, object]:
        return mapping_of(self.sections[section][name], self.place(section, name))


def _lower(entries: Mapping[str, object], where: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for raw, value in entries.items():
        if raw.lower() in found:
            raise WordingError(f"{where} → {raw}", "stands twice")
        found[raw.lower()] = value
    return found


def _check_names(file: _File, entries: str, texts: str, declared: Sequence[str], passed: frozenset[str]) -> None:
    for section in (entries, texts):
        for name in declared:
            if name not in file.sections[section]:
                raise WordingError(f"{file.where} → {section}", f"lacks an entry for '{name}'")
        for name in file.sections[section]:
            if name not in declared and name not in passed:
                raise WordingError(
                    file.place(section, name), f"the domain has none of this name{suggest(name, declared)}"
                )


# ── parameters ───────────────────────────────────────────────────────────────────────────────────


def _parameters(file: _File, section: str, item: ActionSchema | Predicate, domain: Domain) -> tuple[str, ...]:
    """The file's own variables in PDDL's order, compared with the domain's declaration."""
    place = f"{file.place(section, item.name)} → pddl"
    entry = file.entry(section, item.name)
    words = text_of(entry.get("pddl"), place).strip().strip("()").lower().split()
    name, found = (words[0] if words else ""), tuple(words[1:])
    if name != item.name:
        raise WordingError(place, f"must begin with '{item.name}'")
    declared = tuple(parameter.name for parameter in item.parameters)
    if len(found) != len(declared):
        raise WordingError(place, f"has {len(found)} parameters, the domain declares {len(declared)}")
    if len(set(found)) != len(found):
        raise WordingError(place, "names a variable twice")
    if found != declared and set(found) == set(declared):
        raise WordingError(place, f"has the parameters in another order than the domain: {', '.join(declared)}")
    _check_types(entry, found, item.parameters, domain, f"{file.place(section, item.name)} → parameter_types")
    return found


def _check_types(
    entry: Mapping[str, object], variables: Sequence[str], declared: Sequence[TypedName], domain: Domain, where: str
) -> None:
    """Refuses types that exclude the domain's types: the file then means other parameters."""
    above = supertypes(domain)
    types = _lower(mapping_of(entry.get("parameter_types", {}), where), where)
    for variable, parameter in zip(variables, declared, strict=True):
        kind = types.get(variable)
        if not isinstance(kind, str) or kind.lower() not in above:
            continue
        kind = kind.lower()
        if not any(kind in above.get(own, ()) or own in above[kind] for own in parameter.types):
            raise WordingError(
                f"{where} → {variable}", f"is {kind}, the domain declares {' or '.join(parameter.types)}"
            )


# ── actions ──────────────────────────────────────────────────────────────────────────────────────


def _action(file: _File, schema: ActionSchema, domain: Domain) -> Snippet:
    name = schema.name
    variables = _parameters(file, "actions", schema, domain)
    template = file.needed("action_mappings", name)
    place = f"{file.place('actions', name)} → description"
    description = " ".join(text_of(file.entry("actions", name).get("description"), place).split())
    order = _aligned(template, description, variables, place, _ARTICLES)
    indefinite = file.text("action_mappings_indef", name)
    if indefinite is not None and _aligned(indefinite, description, variables, place, "") != order:
        raise WordingError(file.place("action_mappings_indef", name), "gives the letters another order")
    for section, holes in (("action_nl_templates", template), ("action_nl_templates_indef", indefinite)):
        _compare(file, section, name, holes, [variables[position] for position in order])
    _compare_sentences(file, name, template, order)
    return Snippet(name, variables, _filled(template, [variables[position] for position in order]))


def _aligned(template: str, description: str, variables: Sequence[str], place: str, article: str) -> list[int]:
    """The positions of the parameters in the order of the holes, by the letters that stand there in a description.

    ``article`` is a pattern for what the description may add before each word.
    """
    match = _lettered(template, article).fullmatch(description)
    if match is None:
        raise WordingError(place, f"'{description}' does not fit the text '{template}', letters in its holes")
    order = [LETTERS.index(letter) for letter in match.groups()]
    for position in order:
        if position >= len(variables):
            raise WordingError(place, f"names {LETTERS[position]}, and the action has {len(variables)} parameters")
    for position in range(len(variables)):
        if position not in order:
            raise WordingError(place, f"lacks the letter {LETTERS[position : position + 1]} of {variables[position]}")
    return order


def _lettered(template: str, article: str) -> re.Pattern[str]:
    words = [article + "([A-Z])".join(re.escape(part) for part in _HOLE.split(word)) for word in template.split()]
    return re.compile(" ".join(words))


def _compare_sentences(file: _File, name: str, template: str, order: Sequence[int]) -> None:
    """Refuses a file whose preconditions or effects begin with the action said of other letters."""
    pattern = _lettered(template, _ARTICLES)
    for kind in ("preconditions", "effects"):
        sentences = file.entry("actions", name).get(kind)
        for sentence in sentences if isinstance(sentences, list) else ():
            match = pattern.search(str(sentence))
            if match is not None and [LETTERS.index(letter) for letter in match.groups()] != list(order):
                raise WordingError(
                    f"{file.place('actions', name)} → {kind}", f"has other letters in '{match[0]}' than the description"
                )


def _filled(template: str, variables: Sequence[str]) -> str:
    """A text with the variables, in braces, in its holes."""
    rest = iter(variables)
    return _HOLE.sub(lambda _: f"{{{next(rest)}}}", template)


def _compare(file: _File, section: str, name: str, holes: str | None, variables: Sequence[str]) -> None:
    """Refuses a file whose text with variables, where it has one, is not the text with holes and letters."""
    text = file.text(section, name)
    if text is None or holes is None:
        return
    if _VARIABLE.sub("{}", text) != holes:
        raise WordingError(file.place(section, name), f"'{text}' is another text than '{holes}'")
    found = [variable.lower() for variable in _VARIABLE.findall(text)]
    if found != list(variables):
        raise WordingError(
            file.place(section, name), f"has {', '.join(found)}, the letters of the description {', '.join(variables)}"
        )


# ── predicates ───────────────────────────────────────────────────────────────────────────────────


def _predicate(file: _File, predicate: Predicate, domain: Domain) -> Snippet:
    name = predicate.name
    variables = _parameters(file, "predicates", predicate, domain)
    holes = file.needed("predicate_mappings", name)
    text = file.text("predicate_nl_templates", name)
    if text is None:
        if len(variables) > 1:
            raise WordingError(
                f"{file.where} → predicate_nl_templates",
                f"lacks an entry for '{name}', and nothing else says which of its {len(variables)} parameters is which",
            )
        text = _filled(holes, variables * len(_HOLE.findall(holes)))
    if _VARIABLE.sub("{}", text) != holes:
        raise WordingError(file.place("predicate_nl_templates", name), f"'{text}' is another text than '{holes}'")
    return Snippet(name, variables, _VARIABLE.sub(lambda match: match[0].lower(), text))


# ── does the file mean what the domain says? ─────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Literal:
    """A fact with letters for its arguments, and whether it is negated."""

    text: str
    negated: bool

    def stands_in(self, sentences: str) -> bool:
        """Whether the sentences contain it with its own sign."""
        fact = rf"(?<![\w-]){re.escape(self.text)}(?![\w-])"
        gone = r"(?:it is not the case (?:anymore )?that )"
        plain = rf"(?<!not the case that )(?<!anymore that ){fact}"
        return re.search(gone + fact if self.negated else plain, sentences) is not None


def _meaning_doubts(entries: Mapping[str, object], wording: Wording, domain: Domain) -> tuple[str, ...]:
    """A sentence for each condition or effect of the domain that is missing in the file's own sentences.

    ``entries`` are the file's actions by name. An entry without such sentences raises no doubt.
    """
    return tuple(doubt for schema in domain.actions for doubt in _doubts(entries.get(schema.name), schema, wording))


def _doubts(entry: object, schema: ActionSchema, wording: Wording) -> Iterator[str]:
    if not isinstance(entry, dict) or len(schema.parameters) > len(LETTERS):
        return
    letters = {item.name: LETTERS[index] for index, item in enumerate(schema.parameters)}
    for kind, condition in (("preconditions", schema.precondition), ("effects", schema.effect)):
        told = entry.get(kind)
        if not isinstance(told, list) or not told:
            continue
        sentences = "\n".join(str(sentence) for sentence in told)
        for literal in _literals(condition, letters, wording):
            if not literal.stands_in(sentences):
                sign = "not: " if literal.negated else ""
                yield f"the file's {kind} of '{schema.name}' do not say, as the domain does, '{sign}{literal.text}'"


def _literals(condition: Condition, letters: Mapping[str, str], wording: Wording) -> Iterator[_Literal]:
    for part in conjuncts(condition):
        atom = part.body if isinstance(part, Not) else part
        if isinstance(atom, Atom):
            snippet = wording.predicates[atom.predicate]
            if snippet.text is not None:
                yield _Literal(snippet.fill([letters.get(arg, arg) for arg in atom.args]), isinstance(part, Not))
