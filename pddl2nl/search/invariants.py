"""Lifted invariants: sets of predicates of which at most one atom holds for each object of a kind.

``{at(x, ·), in(x, ·)}`` of the packages of logistics says that a package is in one place or in one vehicle. This is the
synthesis of Fast Downward's translator (Helmert, "Concise finite-domain representations for PDDL planning tasks",
2009), for one kind of objects at a time: a candidate is kept if it holds at first and no action schema adds to it
without deleting from it; where one does, a predicate that the action deletes joins the candidate.

A durative action counts as one change from its start to its end, so its invariants may break while it runs.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Equality,
    Forall,
    GroundAtom,
    Not,
    Task,
    Timed,
    When,
    conjuncts,
)
from pddl2nl.pddl.rewriting import substitute
from pddl2nl.pddl.tree import StepSchema, required, untimed

MOST_CANDIDATES = 200
"""Candidates tried for one kind."""
MOST_PARTS = 7


class InvariantPart(NamedTuple):
    """A predicate, and at which of its arguments, from 0, the object of the invariant stands; None at none of them."""

    predicate: str
    key: int | None


@dataclass(frozen=True)
class Invariant:
    """At most one atom of these parts holds for each object; where it is ``exact``, exactly one."""

    parts: tuple[InvariantPart, ...]
    exact: bool


class _LiftedEffect(NamedTuple):
    """An atom that an action adds or deletes, under conditions, for all values of some variables."""

    atom: Atom
    adds: bool
    needs: frozenset[Atom]
    bound: frozenset[str]


class _LiftedAction:
    """What an action needs and changes, and the types of its variables."""

    def __init__(self, step: StepSchema):
        self.types = {item.name: item.types for item in step.parameters}
        condition = getattr(step, "precondition", None) or getattr(step, "condition", None) or And()
        parts = list(conjuncts(required(untimed(condition))))
        parts = [part.body if isinstance(part, Timed) else part for part in parts]
        parts = [each for part in parts for each in conjuncts(part)]
        self.needs = frozenset(part for part in parts if isinstance(part, Atom))
        self.differ = {
            frozenset((part.body.left, part.body.right))
            for part in parts
            if isinstance(part, Not) and isinstance(part.body, Equality)
        }
        self.changes = tuple(self._changes(step.effect, frozenset(), frozenset()))

    def _changes(self, effect: Condition, needs: frozenset[Atom], bound: frozenset[str]) -> Iterator[_LiftedEffect]:
        match effect:
            case Atom():
                yield _LiftedEffect(effect, True, needs, bound)
            case Not(Atom() as atom):
                yield _LiftedEffect(atom, False, needs, bound)
            case And(parts):
                for part in parts:
                    yield from self._changes(part, needs, bound)
            case Timed(body=body):
                yield from self._changes(body, needs, bound)
            case Forall(parameters, body):
                # A name that two effects quantify over different types stands for two variables.
                names = {item.name: f"{item.name} of {' '.join(item.types)}" for item in parameters}
                self.types |= {names[item.name]: item.types for item in parameters}
                yield from self._changes(substitute(body, names), needs, bound | set(names.values()))
            case When(condition, inner):
                found = (part.body if isinstance(part, Timed) else part for part in conjuncts(condition))
                atoms = {part for part in found if isinstance(part, Atom)}
                yield from self._changes(inner, needs | atoms, bound)


class InvariantFinder:
    """Finds the invariants of the kinds of objects of one task."""

    def __init__(self, task: Task):
        self.task = task
        self._schemas = [_LiftedAction(step) for step in task.domain.steps]
        self._changed = {change.atom.predicate for schema in self._schemas for change in schema.changes}
        unary = {item.name for item in task.domain.predicates if len(item.parameters) == 1} - self._changed
        self._timed = {literal.atom.predicate for literal in task.problem.init_timed}
        """Predicates whose atoms turn at a time, whatever actions do."""
        self._classes: dict[str, set[str]] = {name: set() for name in unary}
        self._initial: dict[str, list[GroundAtom]] = {}
        for atom in task.problem.init:
            self._initial.setdefault(atom.predicate, []).append(atom)
            if atom.predicate in unary and len(atom) == 2:
                self._classes[atom.predicate].add(atom[1])

    def classes_of(self, name: str) -> tuple[str, ...]:
        """The static unary predicates that are true of an object."""
        return tuple(sorted(each for each, names in self._classes.items() if name in names))

    def of(self, objects: Sequence[str]) -> tuple[Invariant, ...]:
        """The invariants of these objects, those with few parts first."""
        firsts = []
        for predicate in self.task.domain.predicates:
            if predicate.name in self._changed - self._timed:
                types = [item.types for item in predicate.parameters]
                firsts += [
                    InvariantPart(predicate.name, place) for place, each in enumerate(types) if self._any(objects, each)
                ]
        return self._search(firsts, objects)

    def occurs(self, part: InvariantPart, objects: Sequence[str]) -> bool:
        """Whether an atom of a predicate, with one of these objects at its place, can hold at all."""
        return _KindSearch(self, objects).occurs(part)

    def tokens(self, *, unary: bool = False) -> tuple[Invariant, ...]:
        """The invariants without an object: at most one atom of these predicates holds at all.

        ``unary`` asks for those with a unary predicate; a task without parameters can have hundreds of others.
        """
        firsts = [
            InvariantPart(item.name, None)
            for item in self.task.domain.predicates
            if item.name in self._changed - self._timed and (not unary or len(item.parameters) == 1)
        ]
        return self._search(firsts, ())

    def _any(self, objects: Iterable[str], types: Collection[str]) -> bool:
        return any(self.task.is_a(name, types) for name in objects)

    def _search(self, firsts: Iterable[InvariantPart], objects: Sequence[str]) -> tuple[Invariant, ...]:
        search = _KindSearch(self, objects)
        queue = deque(frozenset([part]) for part in firsts if search.occurs(part))
        seen = set(queue)
        found: list[Invariant] = []
        for _ in range(MOST_CANDIDATES):
            if not queue:
                break
            parts = queue.popleft()
            refinements = search.refinements(parts)
            if refinements is None:
                continue
            if not refinements:
                exact = search.weights(parts)
                if exact is not None:
                    ordered = tuple(sorted(parts, key=lambda part: (part.predicate, part.key or 0)))
                    found.append(Invariant(ordered, exact and search.never_lost(parts)))
                continue
            for part in refinements:
                larger = parts | {part}
                if larger not in seen and len(larger) <= MOST_PARTS:
                    seen.add(larger)
                    queue.append(larger)
        return tuple(found)


def exact_groups(task: Task) -> Iterator[tuple[str, tuple[InvariantPart, ...]]]:
    """Objects, "" for the task as a whole, and parts of which exactly one atom holds for each, always."""
    finder = InvariantFinder(task)
    kinds: dict[tuple[object, ...], list[str]] = {}
    for name, item in task.objects.items():
        kinds.setdefault((item.types, *finder.classes_of(name)), []).append(name)
    for members in kinds.values():
        for invariant in finder.of(members):
            if invariant.exact:
                yield from ((name, invariant.parts) for name in members)
    yield from (("", invariant.parts) for invariant in finder.tokens() if invariant.exact)


class _KindSearch:
    """Checks candidates for the objects of one kind; without objects, for the task as a whole."""

    def __init__(self, finder: InvariantFinder, objects: Sequence[str]):
        self._finder = finder
        self._objects = objects
        self._fits: dict[tuple[int, str], bool] = {}

    def occurs(self, part: InvariantPart) -> bool:
        """Whether an atom of the part can hold at all: it holds at first, or an action adds it."""
        wanted = set(self._objects)
        if any(
            part.key is None or atom[part.key + 1] in wanted for atom in self._finder._initial.get(part.predicate, ())
        ):
            return True
        return any(
            True
            for number in range(len(self._finder._schemas))
            for _ in self._touching(number, frozenset([part]), adds=True)
        )

    def weights(self, parts: frozenset[InvariantPart]) -> bool | None:
        """None if too many atoms hold at first; else whether exactly one holds for each object."""
        wanted = set(self._objects)
        counts: Counter[str] = Counter()
        for part in parts:
            for atom in self._finder._initial.get(part.predicate, ()):
                key = "" if part.key is None else atom[part.key + 1]
                if part.key is None or key in wanted:
                    counts[key] += 1
                    if counts[key] > 1:
                        return None
        return len(counts) == (len(wanted) if self._objects else 1)

    def refinements(self, parts: frozenset[InvariantPart]) -> list[InvariantPart] | None:
        """Empty if no action breaks the candidate; parts one of which may mend it; None if nothing can."""
        for number, schema in enumerate(self._finder._schemas):
            added: list[tuple[_LiftedEffect, str, _LiftedEffect, str]] = []
            for change, key in self._touching(number, parts, adds=True):
                if any(name in change.bound and name != key for name in change.atom.args):
                    return None
                lost = next(
                    (each for each in self._losses(number, parts) if _balances(schema, each, change, key)), None
                )
                if lost is None:
                    return self._mending(number, parts, change, key) or None
                added.append((change, key, *lost))
            for index, one in enumerate(added):
                for other in added[index + 1 :]:
                    if self._heavy(schema, one, other):
                        return None
        return []

    def never_lost(self, parts: frozenset[InvariantPart]) -> bool:
        """Whether every action that deletes an atom of the parts adds one for the same object."""
        for number, _ in enumerate(self._finder._schemas):
            gains = [(change.needs, key) for change, key in self._touching(number, parts, adds=True)]
            for change, key in self._touching(number, parts, adds=False):
                if not any(key == other and needs <= change.needs for needs, other in gains):
                    return False
        return True

    def _touching(
        self, number: int, parts: frozenset[InvariantPart], *, adds: bool
    ) -> Iterator[tuple[_LiftedEffect, str]]:
        """The effects of an action on the candidate, each with the term of the object, empty without objects."""
        for change in self._finder._schemas[number].changes:
            if change.adds is adds:
                for part in parts:
                    if part.predicate == change.atom.predicate:
                        key = "" if part.key is None else change.atom.args[part.key]
                        if part.key is None or self._fit(number, key):
                            yield change, key

    def _losses(self, number: int, parts: frozenset[InvariantPart]) -> Iterator[tuple[_LiftedEffect, str]]:
        return self._touching(number, parts, adds=False)

    def _fit(self, number: int, term: str) -> bool:
        """Whether a term of an action can be one of the objects, by its types and the static facts that it needs."""
        known = self._fits.get((number, term))
        if known is None:
            schema, finder = self._finder._schemas[number], self._finder
            if not term.startswith("?"):
                known = term in self._objects
            else:
                classes = [
                    finder._classes[a.predicate]
                    for a in schema.needs
                    if a.args == (term,) and a.predicate in finder._classes
                ]
                types = schema.types.get(term, ("object",))
                known = any(
                    finder.task.is_a(name, types) and all(name in each for each in classes) for name in self._objects
                )
            self._fits[number, term] = known
        return known

    def _mending(
        self, number: int, parts: frozenset[InvariantPart], gained: _LiftedEffect, key: str
    ) -> list[InvariantPart]:
        schema = self._finder._schemas[number]
        found: dict[InvariantPart, None] = {}
        for change in schema.changes:
            if change.adds:
                continue
            places: list[int | None] = (
                [None] if not self._objects else [place for place, term in enumerate(change.atom.args) if term == key]
            )
            for place in places:
                part = InvariantPart(change.atom.predicate, place)
                if (
                    part not in parts
                    and part.predicate not in self._finder._timed
                    and _balances(schema, (change, key), gained, key)
                ):
                    found[part] = None
        return list(found)

    def _heavy(
        self,
        schema: _LiftedAction,
        one: tuple[_LiftedEffect, str, _LiftedEffect, str],
        other: tuple[_LiftedEffect, str, _LiftedEffect, str],
    ) -> bool:
        """Whether two atoms that an action adds may be of one object, and different."""
        (gained, key, lost, _), (more, other_key, also_lost, _) = one, other
        same: dict[str, str] = {}
        if key != other_key:
            if not (key.startswith("?") or other_key.startswith("?")) or frozenset((key, other_key)) in schema.differ:
                return False
            types = schema.types.get(key, ("object",)), schema.types.get(other_key, ("object",))
            if not any(
                self._finder.task.is_a(o, types[0]) and self._finder.task.is_a(o, types[1]) for o in self._objects
            ):
                return False
            same[other_key] = key
        # Both delete an atom of the object that held before, and only one can have held: it must be the same atom.
        if lost.atom.predicate != also_lost.atom.predicate:
            return False
        for left, right in zip(lost.atom.args, also_lost.atom.args, strict=True):
            left, right = same.get(left, left), same.get(right, right)
            if left != right:
                if frozenset((left, right)) in schema.differ:
                    return False
                same[right] = left

        def under(atom: Atom) -> tuple[str, ...]:
            return (atom.predicate, *(same.get(term, term) for term in atom.args))

        return under(gained.atom) != under(more.atom)


def _balances(schema: _LiftedAction, lost: tuple[_LiftedEffect, str], gained: _LiftedEffect, key: str) -> bool:
    """Whether a deletion makes room for an added atom: it happens whenever the other does, and its atom held before."""
    change, other = lost
    held = change.atom in schema.needs or change.atom in gained.needs or change.atom in change.needs
    return other == key and held and change.needs <= gained.needs | schema.needs and change.atom != gained.atom
