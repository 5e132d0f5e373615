"""A task's and a state's atoms as relations: what the successor generator joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from threading import Lock
from typing import Any

from pddl2nl.pddl import Task
from pddlval.indices import MANY_ROWS, Bits, ChangingIndex, FixedIndex, GrowingIndex, Index, Kind, Rows
from pddlval.state import BIT, BITS, Layout, State

__all__ = ["Relations", "StateRelations"]


class _View(dict[Any, Sequence[Any]]):
    """A changing relation's rows in one state, made for a key when first asked for."""

    __slots__ = ("_bits", "_index")

    def __init__(self, index: ChangingIndex, bits: Mapping[int, int]):
        super().__init__()
        self._index = index
        self._bits = bits

    def __missing__(self, key: object) -> Sequence[Any]:
        found = self[key] = self._index.rows(key, self._bits)
        return found


class _Extension:
    """All atoms of a predicate that have a number: the numbers, and the bits."""

    __slots__ = ("masks", "numbers")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.masks: dict[int, int] = {}

    def add(self, number: int) -> None:
        """Takes in an atom."""
        self.numbers.append(number)
        self.masks[number // BITS] = self.masks.get(number // BITS, 0) | BIT[number % BITS]


class Relations:
    """A task's relations. Rows of a static one stand in the file's order, those of others in that of the objects."""

    def __init__(self, task: Task, layout: Layout):
        self.layout = layout
        self.statics = layout.statics
        self.rank = {name: rank for rank, name in enumerate(task.objects)}
        self._task = task
        self._indices: dict[tuple[object, ...], Index] = {}
        self._columns: dict[tuple[str, int], frozenset[str]] = {}
        self._fixed: dict[Index, GrowingIndex | FixedIndex] = {}
        self._largest: dict[Index, int] = {}
        self._changing: dict[Index, ChangingIndex] = {}
        self._extensions: dict[str, _Extension] = {}
        self._seen = 0
        self._lock = Lock()

    def of(self, state: State) -> StateRelations:
        """The relations of a state."""
        if self._seen < len(self.layout.atoms):
            with self._lock:
                atoms = self.layout.atoms[self._seen :]
                for number, atom in enumerate(atoms, start=self._seen):
                    extension = self._extensions.get(atom[0])
                    if extension is not None:
                        extension.add(number)
                self._seen += len(atoms)
        return StateRelations(self, state)

    def _extension(self, predicate: str) -> _Extension:
        """The atoms of a predicate; of those that nobody asks about none are collected. Call it with the lock held."""
        found = self._extensions.get(predicate)
        if found is None:
            found = _Extension()
            for number, atom in enumerate(self.layout.atoms[: self._seen]):
                if atom[0] == predicate:
                    found.add(number)
            self._extensions[predicate] = found
        return found

    def index(
        self,
        kind: Kind,
        predicate: str,
        keys: tuple[int, ...],
        values: tuple[int, ...],
        domains: tuple[frozenset[str], ...],
        repeats: tuple[tuple[int, int], ...] = (),
        *,
        projection: bool = False,
    ) -> Index:
        """The name of an index; of two that are alike there is one, so that they need not be compared."""
        fields = (kind, predicate, keys, values, repeats, domains, projection)
        return self._indices.setdefault(fields, Index(*fields))

    def column(self, predicate: str, place: int) -> frozenset[str]:
        """The objects that stand in a column of a static relation."""
        found = self._columns.get((predicate, place))
        if found is None:
            found = frozenset(map(itemgetter(place), self.statics.rows(predicate)))
            self._columns[predicate, place] = found
        return found

    def fixed(self, index: Index) -> GrowingIndex | FixedIndex:
        """An index over a static relation, or over the objects; kept for the task."""
        found = self._fixed.get(index)
        if found is None:
            if index.kind == "objects":
                found = index.build([(name,) for name in self._task.objects if name in index.domains[0]])
            else:
                rows = self.statics.rows(index.predicate)
                found = GrowingIndex(index, rows) if index.keys and len(rows) > MANY_ROWS else index.build(rows)
            self._fixed[index] = found
        return found

    def largest_fixed(self, index: Index) -> int:
        """At most how many rows a key has."""
        found = self._largest.get(index)
        if found is None:
            fixed = self.fixed(index)
            if isinstance(fixed, GrowingIndex):
                found = min(self._most_frequent(index.predicate, place) for place in index.keys)
            else:
                found = max(map(len, fixed.values()), default=0)
            self._largest[index] = found
        return found

    def _most_frequent(self, predicate: str, place: int) -> int:
        """How often the most frequent object stands in a column of a static relation."""
        return max(Counter(map(itemgetter(place), self.statics.rows(predicate))).values(), default=0)

    def changing(self, index: Index) -> ChangingIndex:
        """An index over a relation that actions change, with all atoms that have a number so far."""
        with self._lock:
            found = self._changing.get(index)
            if found is None:
                found = self._changing[index] = ChangingIndex(index, self.rank)
            found.extend(self._extension(index.predicate).numbers, self.layout.atoms)
            return found

    def size(self, predicate: str, bits: Mapping[int, int]) -> int:
        """How many atoms of a predicate that actions change are true."""
        with self._lock:
            masks = list(self._extension(predicate).masks.items())
        return sum([(bits[chunk] & mask).bit_count() for chunk, mask in masks])


class StateRelations:
    """The relations of one state; rows and indices are made when first asked for."""

    def __init__(self, relations: Relations, state: State):
        self.relations = relations
        self.state = state
        self.bits = Bits(enumerate(state.chunks))
        self._sizes: dict[str, int] = {}
        self._views: dict[Index, Rows] = {}
        self._largest: dict[Index, int] = {}

    def size(self, predicate: str) -> int:
        """How many atoms of a predicate that actions change are true."""
        found = self._sizes.get(predicate)
        if found is None:
            found = self._sizes[predicate] = self.relations.size(predicate, self.bits)
        return found

    def rows(self, index: Index) -> Rows:
        """The rows of an index, by their keys; keys without rows give an empty sequence."""
        found = self._views.get(index)
        if found is None:
            match index.kind:
                case "objects" | "static":
                    found = self.relations.fixed(index)
                case "changing":
                    found = _View(self.relations.changing(index), self.bits)
                case _:
                    axioms = self.state.layout.axioms
                    assert axioms is not None
                    found = index.build(axioms.rows(index.predicate, self.state))
            self._views[index] = found
        return found

    def largest(self, index: Index) -> int:
        """At most how many rows a key has."""
        if index.kind in ("objects", "static"):
            return self.relations.largest_fixed(index)
        found = self._largest.get(index)
        if found is None:
            if index.kind == "changing":
                found = self.relations.changing(index).largest(self.bits)
            else:
                found = max(map(len, self.rows(index).values()), default=0)
            self._largest[index] = found
        return found
