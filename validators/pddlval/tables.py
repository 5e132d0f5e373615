"""The atoms of a state as indexed tables of numbered objects.

Objects are numbered in the order of their declaration. A row holds the arguments of a true atom: one number for a
predicate with one argument, otherwise a tuple of numbers. The tables of static predicates are made once. Those of
predicates that actions change belong to one state at a time: `Database.acquire` moves them on to the next state by
the atoms that differ. Derived facts are kept with the state (`State.memo`).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import compress
from operator import itemgetter
from threading import Lock, RLock
from typing import Any, Literal, Protocol

from pddl2nl.pddl import GroundAtom
from pddlval.numeric import UndefinedError
from pddlval.state import BIT, BITS, Number, State, StateLayout

Row = Any
"""The arguments of an atom as numbers: an int for one argument, otherwise a tuple."""

Kind = Literal["static", "changing", "derived"]


_WORTH_KEEPING = 2
"""Where a row of so many has changed, tables are made anew, and kept for when the relation has the same rows again."""

_MOST_KEPT = 1_000
"""So many times, at most, for each relation."""

_WORTH_BUILDING = 4
"""An index is made anew where more rows than these, and half of all, have changed."""


class TableKey(Protocol):
    """The name of a table: what `Tables` maps to its rows."""

    kind: Kind

    def make(self, tables: Tables) -> Any:
        """The table in the state of these tables."""


class Relation:
    """The true atoms of a predicate, as a set of rows."""

    def __init__(self, predicate: str, arity: int, kind: Kind, bit: int):
        self.predicate = predicate
        self.arity = arity
        self.kind: Kind = kind
        self.bit = bit
        """An integer with one bit set, another one for each relation."""
        self.size = 0
        """The number of rows of a static relation."""
        self.columns: list[list[int]] = []
        """The columns of a static relation; the rows stand in the order of the file."""
        self._column_sets: dict[int, frozenset[int]] = {}
        self.mask = 0
        """The bits of its atoms in the first integer of a state."""
        self.indices: dict[Index, None] = {}
        """The indices over a relation that actions change."""
        self.kept: dict[int, dict[Any, Any]] = {}
        """Its rows and indices by its bits in a state; none of them is changed any more."""
        self.derive: Callable[[Tables], set[Row]] = _not_derived
        """Computes the rows of a derived relation."""

    def add(self, index: Index) -> None:
        """Takes note of an index; what is kept lacks a new one."""
        if index not in self.indices:
            self.indices[index] = None
            # Not cleared: another thread may be about to add tables without the index.
            self.kept = {}

    def keep(self, bits: int, rows: Iterable[Row]) -> dict[Any, Any]:
        """The tables for these rows, kept until there are too many."""
        store = self.kept
        if len(store) >= _MOST_KEPT:
            store.clear()
        kept: dict[Any, Any] = {self: set(rows)}
        kept.update((index, index.build(kept[self])) for index in tuple(self.indices))
        store[bits] = kept
        return kept

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of a static relation, in the order of the file."""
        return list(_joined(self.columns)) if self.columns else [()] * self.size

    @cached_property
    def row_set(self) -> frozenset[Row]:
        """The rows of a static relation."""
        return frozenset(self.rows)

    def column_set(self, column: int) -> frozenset[int]:
        """The objects in a column of a static relation."""
        members = self._column_sets.get(column)
        if members is None:
            members = self._column_sets[column] = frozenset(self.columns[column])
        return members

    def make(self, tables: Tables) -> set[Row]:
        """The rows."""
        if self.kind == "derived":
            return self.derive(tables)
        tables.fill()
        rows: set[Row] = tables.setdefault(self, set())
        return rows


def _joined(columns: Sequence[list[int]]) -> Iterable[Row]:
    return columns[0] if len(columns) == 1 else zip(*columns, strict=True)


def _not_derived(tables: Tables) -> set[Row]:
    raise AssertionError("the predicate has no rules")


class Values(dict[Row, Number]):
    """The values of a function by its arguments; a missing one raises `UndefinedError`."""

    def __init__(self, function: str, names: Sequence[str]):
        super().__init__()
        self._function = function
        self._names = names

    def __missing__(self, row: Row) -> Number:
        numbers = row if isinstance(row, tuple) else (row,)
        raise UndefinedError.of(GroundAtom((self._function, *[self._names[number] for number in numbers])))


class FunctionTable:
    """The values of a function that actions change."""

    def __init__(self, name: str):
        self.name = name
        self.kind: Kind = "changing"

    def make(self, tables: Tables) -> Values:
        """The values in the state."""
        return tables.values_of(self.name)


class Memo:
    """The answers to one question about a state, by the arguments asked about."""

    def __init__(self) -> None:
        self.kind: Kind = "derived"

    def make(self, tables: Tables) -> dict[Any, Any]:
        """No answers yet."""
        return {}


def _identity(row: Row) -> Row:
    return row


def _picker(columns: tuple[int, ...], arity: int) -> Callable[[Row], Any]:
    return _identity if arity == 1 else itemgetter(*columns)


class Index:
    """A relation by some of its columns: a dict from key to list of values, or one list where there are no keys.

    Keys and values are single numbers for one column, tuples for more. Rows are left out in which a value is not in
    its domain, or the columns of a pair of `repeats` differ. A projection leaves out columns that differ: each value
    stands in it once. Lists are sorted, those of static relations as in the file.
    """

    __slots__ = ("fits", "key", "keys", "kind", "projection", "relation", "unique", "value", "values")

    def __init__(
        self,
        relation: Relation,
        keys: tuple[int, ...],
        values: tuple[int, ...],
        domains: tuple[frozenset[int] | None, ...],
        repeats: tuple[tuple[int, int], ...],
        projection: bool,
    ):
        self.relation = relation
        self.kind: Kind = relation.kind
        self.keys = keys
        self.values = values
        self.projection = projection
        self.unique = False
        """Whether a static table has one value for each key, not a list of them."""
        self.key = _picker(keys, relation.arity) if keys else None
        self.value = _picker(values, relation.arity)
        if relation.kind == "static":
            # Most domains are those of the predicate's own types, and leave nothing out.
            pairs = zip(domains, values, strict=True)
            domains = tuple([None if one is None or relation.column_set(place) <= one else one for one, place in pairs])
        self.fits = _filter(relation.arity, values, domains, repeats)
        """Whether a row counts; None where all do."""

    def make(self, tables: Tables) -> Any:
        """The index in the state."""
        return self.build(tables[self.relation])

    def build(self, rows: Collection[Row]) -> Any:
        """The index over these rows."""
        if self.fits is not None:
            rows = list(filter(self.fits, rows))
        if len(rows) < 2:
            # Often so in small tasks, and what follows takes two to three times as long.
            values = list(map(self.value, rows))
            return values if self.key is None else {self.key(row): values for row in rows}
        if self.kind != "static":
            rows = sorted(rows)
        keys = None if self.key is None else map(self.key, rows)
        return self._grouped(keys, map(self.value, rows))

    def build_static(self) -> Any:
        """The index over the rows of a static relation; it is found out whether its keys are ``unique``."""
        columns = self.relation.columns
        if self.fits is not None:
            kept = list(map(self.fits, self.relation.rows))
            columns = [list(compress(column, kept)) for column in columns]
        values = _joined([columns[place] for place in self.values])
        if not self.keys:
            return self._grouped(None, values)
        keys = [columns[place] for place in self.keys]
        if len(keys) > 1 or len(set(keys[0])) == len(keys[0]):
            table = dict(zip(_joined(keys), values, strict=True))
            self.unique = len(table) == len(keys[0])
            if self.unique:
                return table
            values = _joined([columns[place] for place in self.values])
        return self._grouped(_joined(keys), values)

    def _grouped(self, keys: Iterable[Any] | None, values: Iterable[Any]) -> Any:
        if keys is None:
            return list(dict.fromkeys(values) if self.projection else values)
        groups: defaultdict[Any, list[Any]] = defaultdict(list)
        for place, value in zip(keys, values, strict=True):
            groups[place].append(value)
        if self.projection:
            return {place: list(dict.fromkeys(members)) for place, members in groups.items()}
        return dict(groups)

    def extend(self, table: Any, rows: Iterable[Row]) -> None:
        """Puts new rows into the index, out of order."""
        if self.fits is not None:
            rows = filter(self.fits, rows)
        if self.key is None:
            table.extend(map(self.value, rows))
            return
        for row in rows:
            table.setdefault(self.key(row), []).append(self.value(row))

    def update(self, table: Any, changed: Iterable[Row], true: Collection[Row]) -> None:
        """Puts the changed rows that are true now into the index, in order, and takes out the others."""
        if self.fits is not None:
            changed = filter(self.fits, changed)
        key, value = self.key, self.value
        for row in changed:
            members = table
            if key is not None:
                place = key(row)
                members = table.get(place)
                if members is None:
                    table[place] = [value(row)]
                    continue
                if len(members) == 1 and row not in true:
                    del table[place]
                    continue
            if row in true:
                insort(members, value(row))
            else:
                del members[bisect_left(members, value(row))]


def _filter(
    arity: int,
    values: tuple[int, ...],
    domains: tuple[frozenset[int] | None, ...],
    repeats: tuple[tuple[int, int], ...],
) -> Callable[[Row], bool] | None:
    checks = [(place, domain) for place, domain in zip(values, domains, strict=True) if domain is not None]
    if arity == 1:
        return checks[0][1].__contains__ if checks else None
    if not repeats and len(checks) == 1:
        ((place, domain),) = checks
        return lambda row: row[place] in domain
    if not repeats and len(checks) == 2:
        (first, firsts), (second, seconds) = checks
        return lambda row: row[first] in firsts and row[second] in seconds
    if not repeats and not checks:
        return None
    return lambda row: (
        all(row[place] in domain for place, domain in checks) and all(row[one] == row[other] for one, other in repeats)
    )


class Tables(dict[Any, Any]):
    """The tables of one state, each made when first asked for; the keys are a `TableKey` each."""

    def __init__(self, database: Database, state: State):
        super().__init__()
        self.database = database
        self.state = state
        self.live: dict[Relation, dict[Index, Any]] = {}
        """The indices of relations that actions change, with their tables."""
        self.projections: dict[Relation, list[Index]] = {}
        """Those of them that are projections."""
        self.readers = 0
        """How many are reading the tables; they stay with their state while any is."""
        self.dirty = -1
        """The bits of the relations that have changed since the actions were last listed."""
        self.listed: dict[int, Any] = {}
        """What the successor generator found when it last listed the actions, by the place of their schema."""
        self.all_listed = False
        """Whether it listed all of them, and they were not too many."""
        self._filled = False
        self._among_kept: set[Relation] = set()
        """The relations whose tables are among those that are kept (`Relation.kept`)."""
        self._loose: list[Any] = []

    def __missing__(self, table: TableKey) -> Any:
        if table.kind != "derived":
            # Another thread may have made it too: all use the one that came first.
            made = self.setdefault(table, table.make(self))
            if isinstance(table, Index):
                table.relation.add(table)
                if table.relation not in self._among_kept:
                    if table.projection:
                        self.projections.setdefault(table.relation, []).append(table)
                    else:
                        self.live.setdefault(table.relation, {})[table] = made
            return made
        memo = self.state.memo
        content = None if memo is None else memo.get(table)
        if content is None:
            content = table.make(self)
        self.keep(table, content)
        return content

    def keep(self, table: TableKey, content: Any) -> None:
        """Puts a derived table in its place."""
        if self.state.memo is None:
            self.state.memo = {}
        self.state.memo[table] = content
        if table not in self:
            self._loose.append(table)
        self[table] = content

    def fill(self) -> None:
        """Makes the sets of all relations that actions change."""
        if self._filled:
            return
        coded = self.database.coded()
        groups: dict[Relation, set[Row]] = {}
        for number in _bits(self.state.chunks):
            relation, row = coded[number]
            if relation in groups:
                groups[relation].add(row)
            else:
                groups[relation] = {row}
        self.update(groups)
        self._filled = True

    def values_of(self, function: str) -> Values:
        """The values of a function that actions change."""
        database = self.database
        values = Values(function, database.names)
        for fluent, value in self.state.changing_values():
            if fluent[0] == function:
                values[database.row(fluent[1:])] = value
        return values

    def move(self, state: State) -> None:
        """Makes the tables those of another state."""
        for table in self._loose:
            self.pop(table, None)
        self._loose.clear()
        before, after = self.state.chunks, state.chunks
        if not self._filled:
            self.dirty = -1
        elif before is not after:
            if len(before) == len(after) == 1:
                self._exchange(before[0], after[0])
            else:
                self._update_atoms(before, after)
        if self.state.levels is not state.levels:
            # Effects may read functions that have no table.
            self.dirty |= 1
            for function in self.database.live_functions:
                self.pop(function, None)
        self.state = state

    def _exchange(self, before: int, after: int) -> None:
        """Moves on between states of small tasks, where a relation often has rows that it had before.

        To look up all tables of a relation takes less than to move a single row.
        """
        coded, among, dirty = self.database.coded(), self._among_kept, self.dirty
        differing = before ^ after
        while differing:
            relation = coded[differing.bit_length() - 1][0]
            mask = relation.mask
            changed, bits = differing & mask, after & mask
            differing ^= changed
            dirty |= relation.bit
            kept = relation.kept.get(bits)
            if kept is None:
                if _WORTH_KEEPING * changed.bit_count() < bits.bit_count():
                    self._update_rows(relation, _rows(changed, coded))
                    continue
                kept = relation.keep(bits, _rows(bits, coded))
            if relation not in among:
                among.add(relation)
                self.live.pop(relation, None)
                self.projections.pop(relation, None)
            self.update(kept)
        self.dirty = dirty

    def _update_atoms(self, before: tuple[int, ...], after: tuple[int, ...]) -> None:
        coded = self.database.coded()
        changed: dict[Relation, list[Row]] = {}
        for chunk in range(max(len(before), len(after))):
            old = before[chunk] if chunk < len(before) else 0
            new = after[chunk] if chunk < len(after) else 0
            if old is new:
                continue
            first = chunk * BITS
            differing = old ^ new
            while differing:
                place = differing.bit_length() - 1
                differing ^= BIT[place]
                relation, row = coded[first + place]
                if relation in changed:
                    changed[relation].append(row)
                else:
                    changed[relation] = [row]
        for relation, changed_rows in changed.items():
            self.dirty |= relation.bit
            self._update_rows(relation, changed_rows)

    def _update_rows(self, relation: Relation, changed_rows: list[Row]) -> None:
        rows = self.get(relation)
        if rows is None:
            rows = self[relation] = set()
        elif relation in self._among_kept:
            self._among_kept.remove(relation)
            rows = self[relation] = set(rows)
            self._forget(relation.indices)
        rows.symmetric_difference_update(changed_rows)
        indices = self.live.get(relation)
        if indices is not None:
            if len(changed_rows) > _WORTH_BUILDING and 2 * len(changed_rows) > len(rows):
                self._forget(self.live.pop(relation))
            else:
                for index, table in indices.items():
                    index.update(table, changed_rows, rows)
        if relation in self.projections:
            # How often a value stands in it is not counted.
            self._forget(self.projections.pop(relation))

    def _forget(self, indices: Iterable[Index]) -> None:
        """Lets indices be made anew when they are asked for."""
        for index in indices:
            self.pop(index, None)


def _rows(bits: int, coded: Sequence[tuple[Relation, Row]]) -> list[Row]:
    """The rows of the atoms of some bits."""
    rows: list[Row] = []
    while bits:
        place = bits.bit_length() - 1
        bits ^= BIT[place]
        rows.append(coded[place][1])
    return rows


def _bits(chunks: Sequence[int]) -> Iterable[int]:
    for chunk, bits in enumerate(chunks):
        if bits:
            first = chunk * BITS
            for place, digit in enumerate(bin(bits)[:1:-1], start=first):
                if digit == "1":
                    yield place


class Database:
    """The relations of a task, and the tables of the state that was asked about last."""

    def __init__(self, layout: StateLayout):
        self.layout = layout
        self.task = layout.task
        self.names = tuple(self.task.objects)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.everything = frozenset(range(len(self.names)))
        self.live_functions: list[FunctionTable] = []
        self._relations: dict[str, Relation] = {}
        self._arities = {item.name: len(item.parameters) for item in self.task.domain.predicates}
        self._functions: dict[str, FunctionTable | Values] = {}
        self._indices: dict[Any, Index] = {}
        self._static: dict[Index, Any] = {}
        self._domains: dict[tuple[str, ...], tuple[int, ...]] = {}
        self._coded: list[tuple[Relation, Row]] = []
        self._current: Tables | None = None
        self._lock = Lock()
        self._coding = RLock()

    def row(self, args: Sequence[str]) -> Row:
        """The row of these arguments."""
        if len(args) == 1:
            return self.numbers[args[0]]
        numbers = self.numbers
        return tuple([numbers[name] for name in args])

    def objects(self, types: tuple[str, ...]) -> tuple[int, ...]:
        """The objects of one of the types, in the order of their declaration."""
        objects = self._domains.get(types)
        if objects is None:
            numbers = self.numbers
            objects = self._domains[types] = tuple([numbers[name] for name in self.layout.task.objects_of(types)])
        return objects

    def relation(self, predicate: str, arity: int) -> Relation:
        """The relation of a predicate."""
        relation = self._relations.get(predicate)
        if relation is None:
            with self._coding:
                relation = self._relations.get(predicate) or self._new_relation(predicate, arity)
        return relation

    def _new_relation(self, predicate: str, arity: int) -> Relation:
        layout = self.layout
        kind: Kind = "static"
        if predicate in layout.derived:
            kind = "derived"
        elif predicate in layout.changing:
            kind = "changing"
        # The first bit stands for all numeric values.
        relation = Relation(predicate, arity, kind, 2 << len(self._relations))
        if kind == "static":
            atoms = self.layout.static_by_predicate.get(predicate, [])
            relation.size = len(atoms)
            number = self.numbers.__getitem__
            relation.columns = [list(map(number, map(itemgetter(place + 1), atoms))) for place in range(arity)]
        self._relations[predicate] = relation
        return relation

    def function(self, name: str) -> FunctionTable | Values:
        """The table of a function: its values where no action changes them."""
        function = self._functions.get(name)
        if function is not None:
            return function
        if name in self.layout.functions:
            function = FunctionTable(name)
            self.live_functions.append(function)
        else:
            function = Values(name, self.names)
            for fluent, value in self.layout.static_values.items():
                if fluent[0] == name:
                    function[self.row(fluent[1:])] = value
        return self._functions.setdefault(name, function)

    def index(
        self,
        relation: Relation,
        keys: tuple[int, ...],
        values: tuple[int, ...],
        domains: tuple[frozenset[int] | None, ...],
        repeats: tuple[tuple[int, int], ...] = (),
        projection: bool = False,
    ) -> Index:
        """The index with these columns; there is one of each."""
        fields = (relation, keys, values, domains, repeats, projection)
        index = self._indices.get(fields)
        if index is None:
            index = self._indices.setdefault(fields, Index(*fields))
        return index

    def static(self, index: Index) -> Any:
        """The table of an index over a static relation."""
        table = self._static.get(index)
        if table is None:
            table = self._static[index] = index.build_static()
        return table

    def coded(self) -> list[tuple[Relation, Row]]:
        """The relation and row of every atom that has a number in the layout, by these numbers."""
        coded, atoms = self._coded, self.layout.atoms
        if len(coded) < len(atoms):
            with self._coding:
                for atom in atoms[len(coded) :]:
                    relation = self.relation(atom[0], len(atom) - 1)
                    if len(coded) < BITS:
                        relation.mask |= BIT[len(coded)]
                    coded.append((relation, self.row(atom[1:])))
        return coded

    def acquire(self, state: State) -> Tables:
        """The tables of a state, to be released after use.

        They are moved on from the state that was asked about last, unless another reader still uses them.
        """
        with self._lock:
            tables = self._current
            if tables is None or (tables.state is not state and tables.readers):
                tables = self._current = Tables(self, state)
            elif tables.state is not state:
                tables.move(state)
            tables.readers += 1
        return tables

    def release(self, tables: Tables) -> None:
        """Says that one reader is done."""
        with self._lock:
            tables.readers -= 1
