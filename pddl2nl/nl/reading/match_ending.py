"""A last object left unsaid, where what never changes leaves just one: "drive t from a to b", in their city."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from pddl2nl.nl.reading.match import Pattern, alignments
from pddl2nl.nl.reading.match_objects import KnownObject, Lexicon
from pddl2nl.nl.reading.match_words import Word, reduce_prepositions
from pddl2nl.pddl.task import Task, changed_predicates
from pddl2nl.pddl.tree import ActionSchema, Atom, conjuncts
from pddlval import GroundAction

__all__ = ["Endings"]


class Endings:
    """Completes actions whose last parameter was left out with the words before it.

    It is completed if the action's static preconditions (of predicates that no action changes) hold in the initial
    state with exactly one object in that place.
    """

    def __init__(self, task: Task, patterns: Sequence[Pattern], lexicon: Lexicon):
        self._task = task
        self._lexicon = lexicon
        changed = changed_predicates(task.domain)
        self._static: dict[str, tuple[Atom, ...]] = {}
        self._shorter: dict[str, Pattern] = {}
        schemas = {action.name: action for action in task.domain.actions}
        for pattern in patterns:
            shorter = pattern.without_last()
            if shorter is None:
                continue
            schema = schemas[pattern.name]
            atoms = (part for part in conjuncts(schema.precondition) if isinstance(part, Atom))
            static = tuple(atom for atom in atoms if atom.predicate not in changed)
            if any(schema.parameters[shorter.omitted].name in atom.args for atom in static):
                self._static[pattern.name] = static
                self._shorter[pattern.name] = shorter
        self._schemas = schemas
        self._facts = self._facts_of({atom.predicate for atoms in self._static.values() for atom in atoms})

    @property
    def any(self) -> bool:
        """Whether any action can be completed."""
        return bool(self._shorter)

    def complete(self, words: Sequence[Word], patterns: Sequence[Pattern]) -> tuple[GroundAction, ...]:
        """The actions that the words say but for a last object that can be only one."""
        found: dict[GroundAction, None] = {}
        for shorter, objects in self._aligned(words, patterns):
            for names in product(*([item.pddl for item in choice] or [""] for choice in objects)):
                found.update(dict.fromkeys(self._with_last(shorter.name, shorter.omitted, names)))
        return tuple(found)

    def may_complete(self, words: Sequence[Word], patterns: Sequence[Pattern]) -> bool:
        """Whether the words are an action but for its last object, whatever that may be."""
        return any(True for _ in self._aligned(words, patterns))

    def _aligned(
        self, words: Sequence[Word], patterns: Sequence[Pattern]
    ) -> Iterator[tuple[Pattern, tuple[tuple[KnownObject, ...], ...]]]:
        for pattern in patterns:
            shorter = self._shorter.get(pattern.name)
            if shorter is None:
                continue
            for row, reduced in ((words, False), (reduce_prepositions(words), True)):
                for objects in alignments(self._lexicon, shorter, row, reduced=reduced):
                    yield shorter, objects

    def _with_last(self, name: str, place: int, args: tuple[str, ...]) -> Iterator[GroundAction]:
        schema = self._schemas[name]
        fitting = [
            complete
            for item in self._task.objects_of(schema.parameters[place].types)
            if self._holds(schema, complete := (*args[:place], item, *args[place + 1 :]))
        ]
        if len(fitting) == 1:
            yield GroundAction(name, fitting[0])

    def _holds(self, schema: ActionSchema, args: tuple[str, ...]) -> bool:
        values = {parameter.name: value for parameter, value in zip(schema.parameters, args, strict=True)}
        return all(
            tuple(values.get(term, term) for term in atom.args) in self._facts[atom.predicate]
            for atom in self._static[schema.name]
        )

    def _facts_of(self, predicates: set[str]) -> dict[str, set[tuple[str, ...]]]:
        facts: dict[str, set[tuple[str, ...]]] = {name: set() for name in predicates}
        for atom in self._task.problem.init:
            if atom[0] in facts:
                facts[atom[0]].add(atom[1:])
        return facts
