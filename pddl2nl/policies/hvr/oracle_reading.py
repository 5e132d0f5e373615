"""What the oracle reads out of a prompt of hierarchical planning: objects, facts and goal, all from the text itself.

The layout is that of `pddl2nl.macros.prompting`. A line of ``Objects`` names an object with its class and the facts
that begin with it, which are read by the house's reader of states. A fact that names what no line does (an object that
was not retrieved) tells of it as well: its type is in its name, else it is what the predicate takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pddl2nl.baselines.told_task import ToldTaskError
from pddl2nl.macros.prompting import read_sections
from pddl2nl.nl import Wording
from pddl2nl.nl.reading.read_facts import FactReader
from pddl2nl.pddl import Atom, Domain, GroundAtom, TypedName, changed_predicates, supertypes

__all__ = ["PromptReader", "Seen", "item_lines"]

_OBJECT = re.compile(r"(\S+)(?: \(([^()]*)\))?(?:: (.*))?")
_WORD = re.compile(r"[\w-]+")
_NUMBER_BEHIND = re.compile(r"[-_]?\d+$")
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+(.*\S)\s*")


@dataclass(frozen=True)
class Seen:
    """What a prompt tells of the world.

    Attributes:
        objects: by told name, each with its type, in the order of the prompt; those that only a fact names come last.
        listed: the names of those that have a line of their own.
        atoms: the facts.
        values: the values of numeric fluents.
        sections: the texts of the prompt's sections.
    """

    objects: Mapping[str, TypedName]
    listed: tuple[str, ...]
    atoms: tuple[GroundAtom, ...] = ()
    values: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    def section(self, name: str) -> str:
        """The text of a section; empty where the prompt has none."""
        return self.sections.get(name, "")


@dataclass(frozen=True)
class _Line:
    """A line of a list of objects; ``kind`` is empty for whoever is no object."""

    name: str
    kind: str
    properties: Sequence[str]
    facts: Sequence[str]


def item_lines(text: str) -> list[str]:
    """The items of a list, without the dashes or numbers before them."""
    return [match[1] for line in text.split("\n") if (match := _ITEM.fullmatch(line)) is not None]


class PromptReader:
    """Reads prompts about tasks of one domain in one wording."""

    def __init__(self, domain: Domain, wording: Wording):
        self._domain = domain
        self._facts = FactReader(domain, wording)
        above = supertypes(domain)
        self._types = {_folded(name): name for name in (*above, "object")}
        self._general = sorted(above, key=lambda name: (len(above.get(name, ())), name))
        self._constants = {item.name: item for item in domain.constants}
        changed = changed_predicates(domain)
        self._lasting = {
            _folded(item.name): item.name
            for item in domain.predicates
            if len(item.parameters) == 1 and item.name not in changed
        }

    def read(self, question: str) -> Seen:
        """What the last message of a prompt tells.

        Raises:
            ToldTaskError: it tells of no objects, or a fact of a known object that cannot be read.
        """
        sections = read_sections(question)
        lines = [*self._lines(sections.get("Available objects", "")), *self._lines(sections.get("Objects", ""))]
        objects = {line.name: TypedName(line.name, (line.kind,)) for line in lines if line.kind}
        told = [sentence for line in lines for sentence in line.facts]
        scope = {**self._constants, **objects}
        for name in self._named_besides(told, scope):
            scope[name] = TypedName(name, (self._type_in(name),))
        atoms = {
            GroundAtom((self._lasting[_folded(word)], line.name)): None
            for line in lines
            for word in line.properties
            if _folded(word) in self._lasting
        }
        values: dict[GroundAtom, Fraction] = {}
        for sentence in told:
            self._take(sentence, scope, atoms, values)
        used = {name for atom in (*atoms, *values) for name in atom[1:]}
        known = {name: item for name, item in scope.items() if name in objects or name in used}
        return Seen(
            {name: item for name, item in known.items() if name not in self._constants},
            tuple(objects),
            tuple(atoms),
            values,
            sections,
        )

    def _lines(self, text: str) -> Iterator[_Line]:
        for item in item_lines(text):
            match = _OBJECT.fullmatch(item)
            if match is None:
                continue
            kind, _, properties = (match[2] or "").partition(";")
            yield _Line(
                match[1],
                self._types.get(_folded(kind), "object") if kind else "",
                properties.split(","),
                (match[3] or "").split("; "),
            )

    def _named_besides(self, sentences: Iterable[str], scope: Mapping[str, TypedName]) -> list[str]:
        """Words of facts that are names of no listed object, and hold a type."""
        words = dict.fromkeys(word for sentence in sentences for word in _WORD.findall(sentence))
        return [word for word in words if word not in scope and self._type_in(word)]

    def _type_in(self, name: str) -> str:
        stem = _NUMBER_BEHIND.sub("", name)
        return self._types.get(_folded(stem), "") if stem != name else ""

    def _take(
        self,
        sentence: str,
        scope: dict[str, TypedName],
        atoms: dict[GroundAtom, None],
        values: dict[GroundAtom, Fraction],
    ) -> None:
        """Adds what a sentence says; what it names besides comes into the scope."""
        sentence = sentence.strip()
        if not sentence:
            return
        literals = self._facts.facts(sentence, scope)
        if len(literals) == 1:
            if isinstance(literals[0], Atom):
                atoms[GroundAtom((literals[0].predicate, *literals[0].args))] = None
            return
        numeric = self._facts.value(sentence, scope) if sentence[-1].isdigit() else []
        if len(numeric) == 1:
            fluent, value = numeric[0]
            values[GroundAtom((fluent.name, *fluent.args))] = value
            return
        if literals or numeric:
            raise ToldTaskError(f"'{sentence}' can be read in two ways")
        for word in dict.fromkeys(_WORD.findall(sentence)):
            for kind in () if word in scope else self._general:
                item = TypedName(word, (kind,))
                found = self._facts.facts(sentence, {**scope, word: item})
                if len(found) == 1 and isinstance(found[0], Atom):
                    scope[word] = item
                    atoms[GroundAtom((found[0].predicate, *found[0].args))] = None
                    return
        raise ToldTaskError(f"'{sentence}' is no sentence of the wording")


def _folded(name: str) -> str:
    """A type's name as classes are called: ``stove-burner`` and ``StoveBurner`` alike."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())
