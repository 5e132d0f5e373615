"""The knowledge graph: an ontology, the objects of a task, and the present state, told in the words of the run.

It starts as a copy of the ontology and gets the new state after every action (HVR paper, section 2.1). Objects are
selected by the names that a model gives (`KnowledgeGraph.select`); `KnowledgeGraph.about` gives their class,
properties, capabilities, state and relations (section 3.3), and lines for prompts tell them.

A text means an object if it is the object's name (told or PDDL's, ignoring letter case, hyphens and blanks), all
objects of a class if it is the name of the class, and the objects whose names a phrase contains. Any other text means
the object or class with the nearest name (`pddl2nl.worlds.similarity`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.errors import InputError
from pddl2nl.nl import Names, Teller
from pddl2nl.nl.names import static_types
from pddl2nl.pddl import GroundAtom
from pddl2nl.pddl.tree import number_text
from pddl2nl.systems.hvr.ontology import (
    ClassKnowledge,
    Ontology,
    OntologyTerms,
    empty_graph,
    graph_text,
    macro_triples,
    read_graph,
)
from pddl2nl.worlds.similarity import Embed, Vectors, nearest, plain
from pddl2nl.worlds.triples import triple_of
from pddlval import GroundAction, State

if TYPE_CHECKING:
    from rdflib import URIRef

_LIST_MARK = re.compile(r"\s*(?:[-*•+–]|\(?\d+[.):])\s+")
_FENCE = re.compile(r"\s*(```|~~~)")
_REMARK = re.compile(r"\s+[-–—]+\s|\s*[:(\[–—]|\s+because\b|\s+since\b")
_INTRODUCTION = re.compile(
    r"\A[^:]*\b(?:objects?|items?|things?|list|relevant|needed|need|selected|answer)\b[^:]*:", re.I
)
ROBOT = "robot"
"""The name under which facts without objects are told."""

_LONGEST_NAME = 4
"""The most words of a name within a phrase."""
_LONGEST_PHRASE = 1_000
"""The most words of a phrase that are searched for names."""
_SENTENCE = 7
"""A text with this many words is a sentence: it may contain names but is not compared with them."""


# ── the objects that a model names ───────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Selection:
    """The selected objects, by their PDDL names.

    ``chosen`` are the objects that were meant, in the order in which they were named; ``around`` the objects that
    these are in, on or at, in the order of declaration.
    """

    chosen: tuple[str, ...] = ()
    around: tuple[str, ...] = ()

    @property
    def objects(self) -> tuple[str, ...]:
        """All of them, the chosen ones first."""
        return (*self.chosen, *self.around)


def said_objects(reply: str) -> tuple[str, ...]:
    """The names in a reply, one in each line or separated by commas, without numbering, bullets and remarks.

    Code fences and lines that end in a colon (they introduce a list) are skipped.
    """
    names: list[str] = []
    for line in reply.splitlines():
        bare = line.strip().strip("`*_ \t")
        if not bare or _FENCE.match(line) or bare.endswith(":"):
            continue
        bare = _INTRODUCTION.sub("", _LIST_MARK.sub("", line, count=1).strip())
        # A remark in parentheses may contain commas; a list in square brackets keeps its names.
        bare = re.sub(r"\([^()]*\)|[\[\]]", " ", bare)
        for part in re.split(r"[,;]", bare):
            # What follows a name is a reason, or its class.
            name = _REMARK.split(part, maxsplit=1)[0].strip(" \t.`*'\"“”‘’[]{}")
            names.append(re.sub(r"\A(?:and|the|an?)\s+", "", name, flags=re.IGNORECASE))
    return tuple(dict.fromkeys(filter(None, names)))


class Choices:
    """The objects and classes that a model can name, by their PDDL names, and what they are called in language."""

    def __init__(self, objects: Sequence[str], classes: Mapping[str, Sequence[str]], names: Names):
        aliases = {name: alias for alias, name in names.aliases.items()}
        spellings = (names.to_nl, {name: name for name in objects}, aliases)
        self._tables = [
            _by_spelling((spelled[name], name) for name in objects if name in spelled) for spelled in spellings
        ]
        kinds: dict[str, tuple[str, ...]] = {}
        for said, members in classes.items():
            for form in (said, f"{said}s", f"all {said}s", f"all {said}"):
                kinds.setdefault(_keys(form)[-1], tuple(members))
        self._tables.append(kinds)
        self._labels: dict[str, tuple[str, ...]] = {}
        for name in objects:
            self._labels.setdefault(names.to_nl.get(name, name), (name,))
        for said, members in classes.items():
            self._labels.setdefault(said, tuple(members))

    def meant(self, said: Sequence[str], vectors: Vectors | None = None) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for text in said for name in self._meant_by(text, vectors)))

    def _meant_by(self, text: str, vectors: Vectors | None) -> tuple[str, ...]:
        if objects := self._named(text) or self._within(text):
            return objects
        if len(plain(text).split()) >= _SENTENCE:
            return ()
        labels = list(self._labels)
        near = (self._labels[labels[place]] for place in nearest(text, labels, vectors))
        return tuple(dict.fromkeys(name for members in near for name in members))

    def _named(self, text: str) -> tuple[str, ...]:
        keys = _keys(text.strip())
        return next((table[key] for table in self._tables for key in keys if key in table), ())

    def _within(self, text: str) -> tuple[str, ...]:
        """The objects whose names a phrase contains; of overlapping names, the longest."""
        words = re.findall(r"[\w-]+", text)[:_LONGEST_PHRASE]
        objects: dict[str, None] = {}
        place = 0
        while place < len(words):
            for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
                meant = self._named(" ".join(words[place : place + length]))
                # A name of one letter may be an article; a class within a sentence is too weak a sign.
                if len(meant) == 1 and len("".join(words[place : place + length])) > 1:
                    objects[meant[0]] = None
                    place += length - 1
                    break
            place += 1
        return tuple(objects)


def _by_spelling(spelled: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The object of each spelling; exact ones before looser ones: ``pos-1-11`` is ``pos-11-1`` without hyphens."""
    keys = [(_keys(said), name) for said, name in spelled]
    table: dict[str, tuple[str, ...]] = {}
    for form in range(3):
        for forms, name in keys:
            table.setdefault(forms[form], (name,))
    return table


def _keys(name: str) -> tuple[str, str, str]:
    """A name for comparison, the strictest form first: unchanged, as words, and without spaces."""
    words = plain(name)
    return name.casefold(), words or name.casefold(), words.replace(" ", "") or name.casefold()


# ── the graph ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ObjectFacts:
    """What is known of an object, by its PDDL name.

    Its class, as prompts call it, what can be done with it, what it is like at all times (from the ontology, and from
    predicates that no action changes), the true atoms with it as first argument, in the domain's order of predicates,
    those that only mention it, and the values of the fluents with it as first argument.
    """

    name: str
    kind: str
    affordances: tuple[str, ...]
    properties: tuple[str, ...]
    facts: tuple[GroundAtom, ...]
    mentions: tuple[GroundAtom, ...]
    values: tuple[tuple[GroundAtom, Fraction], ...]


class _StateIndex:
    """The facts of a state by the objects that they are about; None stands for no object.

    ``facts`` have the object as first argument, ``mentions`` elsewhere. Sets are dicts, which keep the same order in
    every process.
    """

    def __init__(self, atoms: Iterable[GroundAtom], values: Mapping[GroundAtom, Fraction]):
        self.atoms: dict[GroundAtom, None] = {}
        self.facts: defaultdict[str | None, dict[GroundAtom, None]] = defaultdict(dict)
        self.mentions: defaultdict[str, dict[GroundAtom, None]] = defaultdict(dict)
        self._values: defaultdict[str | None, dict[GroundAtom, Fraction]] = defaultdict(dict)
        for atom in atoms:
            for table in self._tables(atom):
                table[atom] = None
        for fluent, value in values.items():
            self._values[_first(fluent)][fluent] = value

    def values(self, name: str | None) -> list[tuple[GroundAtom, Fraction]]:
        return sorted(self._values.get(name, {}).items())

    def change(self, before: State, after: State) -> None:
        """Turns the index of a state into that of another, in time for what differs."""
        change = after.changes_since(before)
        for atom in change.deleted:
            for table in self._tables(atom):
                table.pop(atom, None)
        for atom in change.added:
            for table in self._tables(atom):
                table[atom] = None
        for fluent in change.fluents:
            value = after.value(fluent)
            if value is None:
                self._values[_first(fluent)].pop(fluent, None)
            else:
                self._values[_first(fluent)][fluent] = value

    def _tables(self, atom: GroundAtom) -> Iterator[dict[GroundAtom, None]]:
        """Where an atom stands."""
        yield self.atoms
        yield self.facts[_first(atom)]
        for name in {*atom[2:]} - {*atom[1:2]}:
            yield self.mentions[name]


def _first(atom: GroundAtom) -> str | None:
    return atom[1] if len(atom) > 1 else None


class KnowledgeGraph:
    """The knowledge graph of an agent for one task; it starts with the initial state.

    Each object has a line ``egg_1 (Egg; crackable, pickupable): egg_1 is in fridge_1; egg_1 is raw``: its class, its
    affordances and properties by the ontology, and every true fact whose first argument it is, in a form that our
    reader can read back. Facts without objects are told under ``robot``. An object that does not exist yet has a line
    only if a fact relates it to an object that has one: the slices of a potato have names before they exist.

    A *compact* line names, besides the class, only the properties that are predicates of the domain, and does not
    repeat them as facts.

    Without an ontology there are the classes and properties that the domain makes by itself; without an embedding model
    names are compared by spelling.
    """

    def __init__(
        self, teller: Teller, ontology: Ontology | None = None, embed: Embed | None = None, *, compact: bool = False
    ):
        self.teller = teller
        self.task = task = teller.task
        self._names = teller.names
        self._ontology = ontology
        self._compact = compact
        self._vectors = None if embed is None else Vectors(embed)
        self._terms = OntologyTerms(task.domain, None if ontology is None else read_graph(ontology.text, ontology.name))
        self._types = self._types_of_objects()
        self._predicate_order = {item.name: number for number, item in enumerate(task.domain.predicates)}
        self._object_order = {name: number for number, name in enumerate(task.objects)}
        unary = (item.name for item in task.domain.predicates if len(item.parameters) == 1)
        self._lasting = frozenset(unary) - self._terms.changing
        values = {item.fluent: item.value for item in task.problem.init_values if isinstance(item.value, Fraction)}
        self._index = _StateIndex(task.problem.init, values)
        self._state: State | None = None

    def _types_of_objects(self) -> dict[str, tuple[str, ...]]:
        """The types of each object; the first is the one by which it is known."""
        if self._terms.typed:
            return {name: tuple(item.types) for name, item in self.task.objects.items()}
        own = static_types(self.task)
        others: defaultdict[str, list[str]] = defaultdict(list)
        for atom in self.task.problem.init:
            if len(atom) == 2 and atom[0] in self._terms.kinds:
                others[atom[1]].append(atom[0])
        return {
            name: (*((own[name],) if name in own else item.types), *others[name])
            for name, item in self.task.objects.items()
        }

    def update(self, state: State) -> None:
        if self._state is None:
            self._index = _StateIndex(state.atoms, state.values)
        else:
            self._index.change(self._state, state)
        self._state = state

    def learned(self, macros: Iterable[tuple[str, Sequence[GroundAction]]]) -> Ontology:
        """The ontology with macro-actions of this task added (HVR paper, section 2.5): descriptions and actions."""
        known = self._ontology
        graph = empty_graph()
        graph += self._terms.graph if known is None else read_graph(known.text, known.name)
        classes = {name: self._class(name) for name in self.task.objects}
        for description, actions in macros:
            graph += macro_triples(self._terms, description, actions, classes)
        return Ontology(graph_text(graph), f"<ontology of {self.task.domain.name}>" if known is None else known.name)

    # ── what is known ────────────────────────────────────────────────────────────────────────────

    def available(self, name: str) -> bool:
        """Whether an object exists at present, by the ontology's predicates of existence and absence."""
        for predicates, wanted in ((self._terms.existence, True), (self._terms.absence, False)):
            for predicate in predicates:
                declared = self.task.domain.predicate(predicate)
                if declared is None or len(declared.parameters) != 1:
                    continue
                concerned = self.task.is_a(name, declared.parameters[0].types)
                if concerned and (GroundAtom((predicate, name)) in self._index.atoms) != wanted:
                    return False
        return True

    def objects(self) -> tuple[str, ...]:
        """The available objects, by their PDDL names, in the order of their declaration."""
        return tuple(name for name in self.task.objects if self.available(name))

    def kind(self, name: str) -> str:
        """The class of an object, as prompts call it."""
        return self._terms.label(self._class(name))

    def about(self, objects: Iterable[str]) -> tuple[ObjectFacts, ...]:
        """What is known of some objects at present, in the order given, each once.

        Raises:
            InputError: the task has no such object.
        """
        return tuple(map(self._about, dict.fromkeys(objects)))

    def _about(self, name: str) -> ObjectFacts:
        terms, ontology = self._terms, self._from_ontology(name)
        facts = self._sorted(self._index.facts.get(name, ()))
        alone = {atom[0] for atom in facts if len(atom) == 2}
        affordances = ontology.affordances | (alone & terms.affording.keys())
        # A predicate that is a class says what the object is, not what it is like.
        properties = ontology.properties | (alone - terms.changing - {*terms.kinds})
        return ObjectFacts(
            name,
            self.kind(name),
            tuple(sorted(affordances)),
            tuple(sorted(properties - affordances)),
            facts,
            self._sorted(self._index.mentions.get(name, ())),
            tuple(self._index.values(name)),
        )

    def _from_ontology(self, name: str) -> ClassKnowledge:
        own = self._class(name)
        return self._terms.knowledge(own, frozenset(self._terms.classes[kind] for kind in self._types[name]), name)

    # ── lines for prompts ─────────────────────────────────────────────────────────────────────────

    def available_lines(self) -> tuple[str, ...]:
        return tuple(f"{self._said(name)} ({self.kind(name)})" for name in self.objects())

    def kind_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """The classes of some objects (None: all existing ones) with their properties."""
        members: dict[URIRef, list[str]] = {}
        for name in self.objects() if objects is None else dict.fromkeys(objects):
            members.setdefault(self._class(name), []).append(name)
        lines = []
        for node, names in members.items():
            first, *others = (self._properties(facts) for facts in self.about(names))
            common = [word for word in first if all(word in words for words in others)]
            lines.append(f"{self._terms.label(node)} ({', '.join(common)})" if common else self._terms.label(node))
        return tuple(lines)

    def object_lines(self, objects: Sequence[str] | None = None) -> tuple[str, ...]:
        """Everything known about some objects (None: all)."""
        shown = tuple(self.teller.task.objects) if objects is None else self._with_those_to_come(objects)
        facts, values = self._index.facts.get(None, ()), self._index.values(None)
        world = [*self._facts(self._sorted(facts)), *self._values(values)]
        lines = [self._object_line(facts) for facts in self.about(shown)]
        return tuple([f"{ROBOT}: {'; '.join(world)}", *lines] if world else lines)

    def location_lines(self, objects: Sequence[str] | None = None) -> str:
        """The locations of some objects (None: all existing ones) as triples, one a line: ``(egg_1, in, pan_1)``."""
        wanted = frozenset(self.objects() if objects is None else objects)
        places = dict.fromkeys(self._terms.locations, 1) | dict.fromkeys(self._terms.locating, 2)
        located = [
            (self._object_order[atom[places[atom[0]]]], self._order(atom), atom)
            for atom in self._index.atoms
            if len(atom) == 3 and atom[0] in places and atom[places[atom[0]]] in wanted
        ]
        return "\n".join(str(triple_of(atom, self._names.to_nl)) for _, _, atom in sorted(located))

    def _with_those_to_come(self, objects: Sequence[str]) -> tuple[str, ...]:
        """The objects, and related objects that do not exist yet."""
        available = frozenset(self.objects())
        atoms = (atom for facts in self.about(objects) for atom in (*facts.facts, *facts.mentions))
        related = (name for atom in atoms for name in atom.args if name not in available)
        return tuple(dict.fromkeys((*objects, *related)))

    def _object_line(self, facts: ObjectFacts) -> str:
        properties = "".join(f"; {', '.join(words)}" for words in [self._properties(facts)] if words)
        head = f"{self._said(facts.name)} ({facts.kind}{properties})"
        atoms = [atom for atom in facts.facts if not (self._compact and len(atom) == 2 and atom[0] in self._lasting)]
        told = [*self._facts(atoms), *self._values(facts.values)]
        return f"{head}: {'; '.join(told)}" if told else head

    def _properties(self, facts: ObjectFacts) -> list[str]:
        words = [*facts.affordances, *facts.properties]
        return [word for word in words if word in self._lasting] if self._compact else words

    def _facts(self, atoms: Iterable[GroundAtom]) -> list[str]:
        wording = self.teller.wording.predicates
        told = (atom for atom in atoms if wording[atom[0]].text is not None)
        return list(map(self.teller.fact, told))

    def _values(self, values: Iterable[tuple[GroundAtom, Fraction]]) -> list[str]:
        wording = self.teller.wording.functions
        return [
            f"{self.teller.fact(fluent)} is {number_text(value)}"
            for fluent, value in values
            if fluent[0] not in wording or wording[fluent[0]].text is not None
        ]

    def _said(self, name: str) -> str:
        return self.teller.names.to_nl.get(name, name)

    # ── selection ────────────────────────────────────────────────────────────────────────────────

    def select(self, said: Sequence[str]) -> Selection:
        """The available objects that a model means by the names it gives, and the objects that these are in or on.

        Raises:
            InfrastructureError: the embeddings cannot be computed.
        """
        available = self.objects()
        members: defaultdict[str, list[str]] = defaultdict(list)
        for name in available:
            for node in (self._class(name), *self._from_ontology(name).superclasses):
                members[self._terms.label(node)].append(name)
        chosen = Choices(available, members, self._names).meant(said, self._vectors)
        places = self._places_of(chosen)
        return Selection(chosen, tuple(name for name in available if name in places and name not in chosen))

    def _places_of(self, objects: Iterable[str]) -> set[str]:
        """What some objects are in, on or at, what that is in, and so on."""
        around: set[str] = set()
        queue = list(objects)
        for name in queue:
            facts, mentions = self._index.facts.get(name, ()), self._index.mentions.get(name, ())
            places = {atom[2] for atom in facts if len(atom) == 3 and atom[0] in self._terms.locations}
            places |= {atom[1] for atom in mentions if len(atom) == 3 and atom[0] in self._terms.locating}
            queue.extend(places - around)
            around |= places
        return around

    # ── parts ────────────────────────────────────────────────────────────────────────────────────

    def _class(self, name: str) -> URIRef:
        if name not in self._types:
            raise InputError(f"the task has no object '{name}'")
        return self._terms.classes[self._types[name][0]]

    def _sorted(self, atoms: Iterable[GroundAtom]) -> tuple[GroundAtom, ...]:
        return tuple(sorted(atoms, key=self._order))

    def _order(self, atom: GroundAtom) -> tuple[int, ...]:
        return self._predicate_order[atom[0]], *(self._object_order[name] for name in atom[1:])
