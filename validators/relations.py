"""Atoms as relations with indices: what the successor generator joins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from pddl2nl.pddl import GroundAtom, Task, is_variable
from validators.schemas import LiftedLiteral
from validators.state import State, Statics

__all__ = ["EQUAL_PAIRS", "Index", "Relations", "Row", "Rows", "StateRelations", "by_predicate", "rows_within"]

Row = tuple[str, ...]
"""The arguments of an atom."""

Rows = dict[object, list[Row]]
"""From the values at the key columns to the values at the others."""


class _EqualPairs:
    """The infinite relation of equality."""

    def __contains__(self, pair: object) -> bool:
        return isinstance(pair, tuple) and pair[0] == pair[1]


EQUAL_PAIRS = _EqualPairs()


@dataclass(frozen=True, slots=True)
class Index:
    """Which index: a relation's rows by the columns `keys`, showing the columns `values`.

    Only rows count in which the columns of each pair of `repeats` are equal and the column of every value lies in
    its `domains` entry. A predicate of None stands for the objects themselves.
    """

    predicate: str | None
    static: bool
    keys: tuple[int, ...]
    values: tuple[int, ...]
    repeats: tuple[tuple[int, int], ...]
    domains: tuple[frozenset[str], ...]

    def build(self, rows: Sequence[Row]) -> Rows:
        """The index over these rows, each list in their order."""
        rows = _within(rows, zip(self.values, self.domains, strict=True))
        if self.repeats:
            rows = [row for row in rows if all(row[first] == row[second] for first, second in self.repeats)]
        key: Callable[[Row], object] = itemgetter(*self.keys) if self.keys else lambda _: ()
        found: Rows = {}
        if len(self.values) == 1:
            value = self.values[0]
            for row in rows:
                found.setdefault(key(row), []).append((row[value],))
        else:
            values = itemgetter(*self.values)
            for row in rows:
                found.setdefault(key(row), []).append(values(row))
        return found


def _within(rows: Sequence[Row], limits: Iterable[tuple[int, frozenset[str]]]) -> Sequence[Row]:
    """The rows whose columns lie in these sets; most sets hold the whole column, which is cheap to find out."""
    for place, domain in limits:
        if not domain.issuperset(map(itemgetter(place), rows)):
            rows = [row for row in rows if row[place] in domain]
    return rows


def rows_within(rows: Sequence[Row], terms: tuple[str, ...], domains: dict[str, frozenset[str]]) -> Sequence[Row]:
    """The rows that fit a literal's terms: its constants, its repeated variables, its variables' domains."""
    for place, term in enumerate(terms):
        if not is_variable(term):
            rows = [row for row in rows if row[place] == term]
        elif terms.index(term) != place:
            first = terms.index(term)
            rows = [row for row in rows if row[place] == row[first]]
    return _within(rows, [(place, domains[term]) for place, term in enumerate(terms) if is_variable(term)])


class Relations:
    """A task's static relations, and the way to a state's. Rows of a static relation stand in the file's order."""

    def __init__(self, task: Task, statics: Statics):
        self.statics = statics
        self._ranks = {name: rank for rank, name in enumerate(task.objects)}
        self._objects = [(name,) for name in task.objects]
        self._init = task.problem.init
        self._groups: dict[str, list[Row]] | None = None
        self._indices: dict[Index, Rows] = {}
        self._distinct: dict[tuple[str, int], int] = {}

    def of(self, state: State) -> StateRelations:
        """The relations of a state."""
        return StateRelations(self, state)

    def static_rows(self, predicate: str) -> Sequence[Row]:
        """The rows of a static predicate."""
        if self._groups is None:
            # An atom may stand twice in a file.
            self._groups = by_predicate(dict.fromkeys(self._init))
        return self._groups.get(predicate, ())

    def sorted_rows(self, rows: Iterable[Row]) -> list[Row]:
        """Rows, objects in declaration order: the sets that they come from have no order to rely on."""
        rank = self._ranks.__getitem__
        return sorted(rows, key=lambda row: [*map(rank, row)])

    def static_index(self, index: Index) -> Rows:
        """An index over a static relation, or over the objects; kept for the task."""
        found = self._indices.get(index)
        if found is None:
            rows = self._objects if index.predicate is None else self.static_rows(index.predicate)
            found = self._indices[index] = index.build(rows)
        return found

    def distinct(self, predicate: str, place: int) -> int:
        """How many different objects stand in a column of a static relation."""
        column = (predicate, place)
        if column not in self._distinct:
            self._distinct[column] = len(set(map(itemgetter(place), self.static_rows(predicate))))
        return self._distinct[column]


class StateRelations:
    """The relations of one state; rows and indices are made when first asked for."""

    def __init__(self, relations: Relations, state: State):
        self._relations = relations
        self._groups = by_predicate(state.changing)
        self._rows: dict[str, list[Row]] = {}
        self._indices: dict[Index, Rows] = {}

    def size(self, predicate: str) -> int:
        """How many atoms of a predicate that actions change are true."""
        return len(self._groups.get(predicate, ()))

    def index(self, index: Index) -> Rows:
        """An index over a relation."""
        if index.static:
            return self._relations.static_index(index)
        found = self._indices.get(index)
        if found is None:
            assert index.predicate is not None
            found = self._indices[index] = index.build(self._changing_rows(index.predicate))
        return found

    def expected_rows(self, literal: LiftedLiteral, bound: set[str]) -> float:
        """How many rows fit a literal on average once these variables are bound: its size by its best column."""
        predicate = literal.predicate
        rows = self._relations.static_rows(predicate) if literal.static else self._changing_rows(predicate)
        best = 1
        for place, term in enumerate(literal.terms):
            if not is_variable(term) or term in bound:
                if literal.static:
                    best = max(best, self._relations.distinct(predicate, place))
                else:
                    best = max(best, len({row[place] for row in rows}))
        return len(rows) / best

    def _changing_rows(self, predicate: str) -> list[Row]:
        if predicate not in self._rows:
            self._rows[predicate] = self._relations.sorted_rows(self._groups.get(predicate, ()))
        return self._rows[predicate]


def by_predicate(atoms: Iterable[GroundAtom]) -> dict[str, list[Row]]:
    """The arguments of atoms, grouped by predicate."""
    groups: dict[str, list[Row]] = {}
    for atom in atoms:
        groups.setdefault(atom[0], []).append(atom[1:])
    return groups
