"""Wordings: the English texts of a domain's predicates, actions, functions and types.

A *snippet* is a text with its parameters in braces, ``load {?obj} into {?truck}``. Telling fills snippets and
reading matches them, so a snippet must be invertible: every parameter stands in it at least once, nothing
else stands in braces, and no parameter touches a letter, a digit, a hyphen, an underscore or another
parameter (its end could not be found). Texts have no line breaks, since each fact is told on its own line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pddl2nl.errors import InputError, did_you_mean
from pddl2nl.nl.wording.english import enumerate_words
from pddl2nl.pddl.tree import Domain, TypedName

FORMAT = 1
"""The version of the wording file's format that is read and written here."""

HOLE = "{}"
"""The place of a number in a name of objects."""

_NUMBERED = re.compile(r"(\D+?)[-_]?(\d+(?:[-_]\d+)*)")
_TOLD = re.compile(r"[\w-]+")
_BRACED = re.compile(r"\{([^{}]*)\}")
_GLUE = re.compile(r"[\w{}-]")
_BARE_VARIABLE = re.compile(r"(?<![\w'])\?[A-Za-z][\w-]*")
_PDDL = re.compile(r"\((?:not \()?[^\s(){}]+(?: \{[^{}]*\})*\)+")
_KINDS = {type(None): "nothing", dict: "an object", list: "a list", str: "a text", bool: "a truth value"}


class WordingError(InputError):
    """An invalid wording; ``where`` is the place in it, such as ``predicates → on → text``."""

    def __init__(self, where: str, reason: str):
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


@dataclass(frozen=True)
class Snippet:
    """The English text of one predicate, action or function.

    ``parameters`` are the snippet's own variable names in PDDL's order; ``text`` holds them in any order,
    in braces. A text of None is never told. ``negated`` is the text's negation, where the wording has one.
    """

    name: str
    parameters: tuple[str, ...]
    text: str | None
    negated: str | None = None

    @cached_property
    def parts(self) -> tuple[str | int, ...]:
        """The text cut at its braces: literal pieces, and the parameters' positions in PDDL's order."""
        return split_text(self.text or "", self.parameters)

    @cached_property
    def negated_parts(self) -> tuple[str | int, ...]:
        """The same for the negated text; empty without one."""
        return split_text(self.negated or "", self.parameters)

    @cached_property
    def shape(self) -> str:
        """The `shape_of` the text."""
        return shape_of(self.text or "")

    def fill(self, args: Sequence[str]) -> str:
        """The text with these arguments, given in PDDL's order."""
        return fill_parts(self.parts, args)


@dataclass(frozen=True)
class Wording:
    """The English texts of a whole domain; ``source`` tells where they come from.

    ``types`` maps a type to its noun (by default the type's name). A ``domain_text`` replaces the composed
    description of the domain. ``objects`` are the wording's own names of objects: it maps an object's PDDL name to what
    it is called (``"a": "red"``), or, where the value holds ``{}``, the letters before an object's numbers to a pattern
    (``"l": "location_{}_{}"`` calls ``l0-1`` ``location_0_1``; ``"l_"`` is for ``l_0`` alone). Told names have no
    blanks, so that their ends can be found.
    """

    domain: str
    predicates: Mapping[str, Snippet]
    actions: Mapping[str, Snippet]
    types: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, Snippet] = field(default_factory=dict)
    source: Mapping[str, object] = field(default_factory=dict)
    domain_text: str | None = None
    objects: Mapping[str, str] = field(default_factory=dict)

    @property
    def snippets(self) -> Mapping[str, Mapping[str, Snippet]]:
        """All snippets by their kind, as a wording file names it."""
        return {"predicates": self.predicates, "actions": self.actions, "functions": self.functions}

    def type_word(self, name: str) -> str:
        """The noun for a type."""
        return self.types.get(name, name)

    def to_json(self) -> dict[str, object]:
        """The wording as a wording file holds it; `wording_from_json` is the inverse."""
        data: dict[str, object] = {
            "format": FORMAT,
            "domain": self.domain,
            "predicates": {name: _snippet_to_json(item) for name, item in self.predicates.items()},
            "actions": {name: _snippet_to_json(item) for name, item in self.actions.items()},
            "types": dict(self.types),
            "functions": {name: _snippet_to_json(item) for name, item in self.functions.items()},
            "source": dict(self.source),
        }
        if self.domain_text is not None:
            data["domain_text"] = self.domain_text
        if self.objects:
            data["objects"] = dict(self.objects)
        return data


def shape_of(text: str) -> str:
    """A text with all parameters alike: two snippets of one shape cannot be told apart by their words."""
    return _BRACED.sub("{}", text).casefold()


def split_text(text: str, parameters: Sequence[str]) -> tuple[str | int, ...]:
    """A snippet's text cut at its braces into literal pieces and positions of parameters."""
    parts: list[str | int] = []
    for index, piece in enumerate(_BRACED.split(text)):
        if index % 2:
            parts.append(parameters.index(piece))
        elif piece:
            parts.append(piece)
    return tuple(parts)


def fill_parts(parts: Sequence[str | int], args: Sequence[str]) -> str:
    """The inverse of `split_text`: the pieces joined, with arguments in place of parameters."""
    return "".join([part if isinstance(part, str) else args[part] for part in parts])


def _snippet_to_json(snippet: Snippet) -> dict[str, object]:
    data: dict[str, object] = {"parameters": list(snippet.parameters), "text": snippet.text}
    if snippet.negated is not None:
        data["negated"] = snippet.negated
    return data


# ── checking against the domain ──────────────────────────────────────────────────────────────────


def check_wording(wording: Wording, domain: Domain, where: str = "wording") -> Wording:
    """The same wording, if it has an entry for everything that the domain declares and for nothing else.

    Raises `WordingError` naming the place of the first thing that does not fit.
    """
    for kind, snippets, declared in sections(wording, domain):
        for name in declared:
            if name not in snippets:
                raise WordingError(f"{where} → {kind}", f"lacks an entry for '{name}'")
        for name, snippet in snippets.items():
            place = f"{where} → {kind} → {name}"
            if name not in declared:
                raise WordingError(place, f"the domain has none of this name{did_you_mean(name, declared)}")
            _check_snippet(snippet, len(declared[name]), place)
    for name, action in wording.actions.items():
        if action.text is None:
            raise WordingError(f"{where} → actions → {name} → text", "an action must have a text")
    _check_types(wording, domain, f"{where} → types")
    for key, reason in _own_names_faults(wording.objects):
        raise WordingError(f"{where} → objects → {key}", reason)
    return wording


def sections(
    wording: Wording, domain: Domain
) -> tuple[tuple[str, Mapping[str, Snippet], Mapping[str, Sequence[TypedName]]], ...]:
    """The kinds of snippets with their snippets, and the parameters of what the domain declares."""
    return (
        ("predicates", wording.predicates, {item.name: item.parameters for item in domain.predicates}),
        ("actions", wording.actions, {item.name: item.parameters for item in domain.steps}),
        ("functions", wording.functions, {item.name: item.parameters for item in domain.functions}),
    )


def _check_snippet(snippet: Snippet, arity: int, where: str) -> None:
    parameters = snippet.parameters
    if len(parameters) != arity:
        raise WordingError(f"{where} → parameters", f"has {len(parameters)}, the domain declares {arity}")
    for parameter in parameters:
        if not re.fullmatch(r"\?[^\s{}?]+", parameter):
            raise WordingError(f"{where} → parameters", f"'{parameter}' is no variable such as '?x'")
    if len(set(parameters)) != len(parameters):
        raise WordingError(f"{where} → parameters", "names a variable twice")
    if snippet.text is not None:
        check_text(snippet.text, parameters, f"{where} → text")
    if snippet.negated is not None:
        check_text(snippet.negated, parameters, f"{where} → negated")
        if snippet.negated == snippet.text:
            raise WordingError(f"{where} → negated", "says the same as the text")


def check_text(text: str, parameters: Sequence[str], where: str) -> None:
    """Raises `WordingError` unless a snippet's text can be filled and read back."""
    for reason in snippet_faults(text, parameters):
        raise WordingError(where, reason)


def snippet_faults(text: str, parameters: Sequence[str]) -> Iterator[str]:
    """Why a snippet's text cannot be filled or read back, as sentences without their subject, the text."""
    if not text.strip():
        yield "is empty"
    if "\n" in text or text != text.strip():
        yield "must be one line without blanks at its ends"
    present = list(dict.fromkeys(_BRACED.findall(text)))
    for name in present:
        if name not in parameters:
            yield f"has {{{name}}}, which is no parameter of it{did_you_mean(name, parameters)}"
    rest = _BRACED.sub("", text)
    for bare in dict.fromkeys(_BARE_VARIABLE.findall(rest)):
        yield f"has {bare} outside braces"
    if _PDDL.fullmatch(text):
        yield "is PDDL; words are wanted"
    unseen = sorted({f"U+{ord(char):04X}" for char in text if unicodedata.category(char).startswith("C")})
    if unseen:
        yield f"holds characters that cannot be seen ({', '.join(unseen)})"
    if "{" in rest or "}" in rest:
        yield "has a brace without its partner"
    missing = [f"{{{name}}}" for name in parameters if name not in present]
    if missing:
        yield f"lacks {enumerate_words(missing)}"
    for match in _BRACED.finditer(text):
        around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
        if _GLUE.search(around):
            yield f"has {match[0]} touching another word or parameter, so its end cannot be seen"
    if not rest.strip():
        yield "has no words of its own"


def _check_types(wording: Wording, domain: Domain, where: str) -> None:
    declared = type_names(domain.types)
    for name, word in wording.types.items():
        if name not in declared:
            raise WordingError(f"{where} → {name}", f"the domain has no such type{did_you_mean(name, declared)}")
        if not word or set(word) & set("{},.()"):
            raise WordingError(f"{where} → {name}", "must be a noun without braces, brackets, commas or full stops")
    said: dict[str, str] = {}
    for name in declared:
        word = wording.type_word(name).casefold()
        if word in said:
            raise WordingError(f"{where} → {name}", f"is said '{word}', as is '{said[word]}'")
        said[word] = name


# ── names of objects ─────────────────────────────────────────────────────────────────────────────


def own_name(objects: Mapping[str, str], name: str) -> str | None:
    """The wording's name of an object, by its PDDL name; None if it has none."""
    told = objects.get(name)
    if told is not None and HOLE not in told:
        return told
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    # A key may hold the mark before the numbers, so that crate_1 and crate1 may have patterns of their own.
    pattern = objects.get(name[: match.start(2)], objects.get(match[1]))
    if pattern is None:
        return None
    numbers = re.findall(r"\d+", match[2])
    return pattern.format(*numbers) if 0 < pattern.count(HOLE) == len(numbers) else None


def own_names(objects: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The wording's names for those of the objects that it names."""
    if not objects:
        return {}
    found = ((name, own_name(objects, name)) for name in names)
    return {name: told for name, told in found if told is not None}


def _own_names_faults(objects: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """All faults of a wording's names of objects, with their keys."""
    said: dict[str, str] = {}
    for key, told in objects.items():
        rest = told.replace(HOLE, "0")
        if not key or re.search(r"[\s(){}]", key):
            yield key, "is no PDDL name"
        if "{" in rest or "}" in rest:
            yield key, "holds a brace that is not {}, the place of a number"
        elif not _TOLD.fullmatch(rest):
            yield key, f"'{told}' must be a name of letters, digits, hyphens and underscores, without blanks"
        elif re.search(r"\d\{\}|\{\}\d|\{\}\{\}", told):
            yield key, f"'{told}' has a number that touches another, so their ends cannot be seen"
        folded = told.casefold().replace("-", "_")
        if folded in said:
            yield key, f"is called '{told}', as is '{said[folded]}'"
        said[folded] = key


# ── parts of files ───────────────────────────────────────────────────────────────────────────────


def type_names(types: Sequence[TypedName]) -> tuple[str, ...]:
    """All type names of a declaration, ``object`` first, undeclared supertypes included."""
    names = {"object": None}
    for item in types:
        names[item.name] = None
        names.update(dict.fromkeys(item.types))
    return tuple(names)


def mapping_of(data: object, where: str) -> dict[str, object]:
    """The data, if it is a mapping; else raises `WordingError`."""
    if not isinstance(data, dict):
        raise WordingError(where, f"must be an object in braces, found {_kind_of(data)}")
    return data


def text_of(data: object, where: str) -> str:
    """The data, if it is a text; else raises `WordingError`."""
    if not isinstance(data, str):
        raise WordingError(where, f"must be a text, found {_kind_of(data)}")
    return data


def _kind_of(data: object) -> str:
    return _KINDS.get(type(data), "a number")
