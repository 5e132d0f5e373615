"""Indices over relations: fixed ones, and those whose rows depend on the state.

An index over a predicate that actions change is kept for the task and not for a state: it holds for every key the
bits of the atoms that have it (`state.Layout` numbers them), and a state's rows come out of these and the state's own
bits. So a state that differs little from the one before costs little, and rows are made only for the keys asked for.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal

from pddl2nl.pddl import GroundAtom
from pddlval.state import BIT, BITS, Row

__all__ = ["MANY_ROWS", "NOTHING", "Bits", "ChangingIndex", "FixedIndex", "GrowingIndex", "Index", "Kind", "Rows"]

Kind = Literal["objects", "static", "changing", "derived"]

Rows = Mapping[Any, Sequence[Any]]
"""From what stands in the key columns to what stands in the others: a name where it is one column, else a tuple."""

NOTHING: tuple[()] = ()
_FEW_CHANGES = 8
MANY_ROWS = 2_000
"""From how many rows on an index is not made for the first few keys."""

_SCANS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Which index: a relation's rows by the columns `keys`, showing the columns `values`.

    Only rows count in which the columns of each pair of `repeats` are equal and the column of every value lies in
    its `domains` entry. A projection shows not all columns that differ; its rows stand in it once all the same.
    Of the kind "objects" the rows are the objects themselves, and there is no predicate.
    """

    kind: Kind
    predicate: str
    keys: tuple[int, ...]
    values: tuple[int, ...]
    repeats: tuple[tuple[int, int], ...]
    domains: tuple[frozenset[str], ...]
    projection: bool

    def picks(self) -> tuple[Callable[[Row], Any], Callable[[Row], Any]]:
        """What picks a row's key, and what picks its value."""
        return _picks(self.keys), _picks(self.values)

    def fitting(self, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows that count."""
        for place, domain in zip(self.values, self.domains, strict=True):
            # Most domains hold the whole column, which is cheap to find out.
            if not domain.issuperset(map(itemgetter(place), rows)):
                rows = [row for row in rows if row[place] in domain]
        for first, second in self.repeats:
            rows = [row for row in rows if row[first] == row[second]]
        return rows

    def build(self, rows: Sequence[Row]) -> FixedIndex:
        """The index over these rows, each list in their order."""
        found = FixedIndex()
        key, value = self.picks()
        for row in self.fitting(rows):
            place = key(row)
            if place in found:
                found[place].append(value(row))
            else:
                found[place] = [value(row)]
        if self.projection:
            for place, values in found.items():
                found[place] = list(dict.fromkeys(values))
        return found


def _picks(columns: tuple[int, ...]) -> Callable[[Row], Any]:
    return itemgetter(*columns) if columns else lambda _: NOTHING


class FixedIndex(dict[Any, list[Any]]):
    """Rows by their keys; other keys have none."""

    def __missing__(self, key: object) -> Sequence[Any]:
        return NOTHING


class GrowingIndex(dict[Any, Sequence[Any]]):
    """An index over many rows: the first keys are looked for in all of them, until that cost as much as the index.

    On a map of 20,000 cells, whoever wants to know where one can go from here needs no index of all roads.
    """

    __slots__ = ("_index", "_left", "_rows", "_whole")

    def __init__(self, index: Index, rows: Sequence[Row]):
        super().__init__()
        self._index = index
        self._rows = rows
        self._left = _SCANS
        self._whole = False

    def __missing__(self, key: object) -> Sequence[Any]:
        if self._whole:
            return self.get(key, NOTHING)
        self._left -= 1
        if self._left <= 0:
            self.complete()
            return self.get(key, NOTHING)
        pick = self._index.picks()[0]
        found = self._index.build([row for row in self._rows if pick(row) == key])
        self[key] = rows = found[key]
        return rows

    def complete(self) -> None:
        """Makes the whole index."""
        self.update(self._index.build(self._rows))
        self._whole = True


class Bits(dict[int, int]):
    """A state's integers by their place; those past the last are 0."""

    def __missing__(self, chunk: int) -> int:
        return 0


class _Bucket:
    """The atoms with one key: their bits, and the rows of the state that was asked about last."""

    __slots__ = ("last", "masks")

    def __init__(self) -> None:
        self.masks: tuple[tuple[int, int], ...] = ()
        self.last: tuple[tuple[int, ...], list[Any]] = ((), [])

    def add(self, masks: Mapping[int, int]) -> None:
        """Takes in more atoms. Places that are there stay where they are: `last` is told by them."""
        held = dict(self.masks)
        for chunk, mask in masks.items():
            held[chunk] = held.get(chunk, 0) | mask
        self.masks = tuple(held.items())

    def size(self, bits: Mapping[int, int]) -> int:
        """How many of its atoms are true."""
        return sum([(bits[chunk] & mask).bit_count() for chunk, mask in self.masks])


class ChangingIndex:
    """An index over a predicate that actions change, for all states of the task."""

    def __init__(self, index: Index, rank: Mapping[str, int]):
        self.index = index
        self.buckets: dict[Any, _Bucket] = {}
        self._values: dict[int, Any] = {}
        self._seen = 0
        if len(index.values) == 1:
            self._order: Callable[[Any], Any] = rank.__getitem__
        else:
            self._order = lambda row: [rank[name] for name in row]

    def extend(self, numbers: Sequence[int], atoms: Sequence[GroundAtom]) -> None:
        """Takes in those of the predicate's atoms that came since the last time.

        Args:
            numbers: the numbers of all that there are.
            atoms: the atoms of all predicates, by their numbers.
        """
        if self._seen == len(numbers):
            return
        index = self.index
        key, value = index.picks()
        domains = list(zip(index.values, index.domains, strict=True))
        masks: dict[Any, dict[int, int]] = {}
        for number in numbers[self._seen :]:
            row = atoms[number][1:]
            if all(row[place] in domain for place, domain in domains) and all(
                row[first] == row[second] for first, second in index.repeats
            ):
                self._values[number] = value(row)
                held = masks.setdefault(key(row), {})
                held[number // BITS] = held.get(number // BITS, 0) | BIT[number % BITS]
        for place, added in masks.items():
            if place not in self.buckets:
                self.buckets[place] = _Bucket()
            self.buckets[place].add(added)
        self._seen = len(numbers)

    def largest(self, bits: Mapping[int, int]) -> int:
        """The number of rows of the key that has most."""
        return max([bucket.size(bits) for bucket in list(self.buckets.values())], default=0)

    def any(self, key: object, bits: Mapping[int, int]) -> bool:
        """Whether there are rows with this key."""
        bucket = self.buckets.get(key)
        return bucket is not None and any(bits[chunk] & mask for chunk, mask in bucket.masks)

    def rows(self, key: object, bits: Mapping[int, int]) -> Sequence[Any]:
        """The rows with this key, by the order in which objects are declared."""
        bucket = self.buckets.get(key)
        if bucket is None:
            return NOTHING
        masks = bucket.masks
        live = tuple([bits[chunk] & mask for chunk, mask in masks])
        before, rows = bucket.last
        if live != before:
            rows = self._changed_rows(masks, live, before, rows)
            bucket.last = live, rows
        return rows

    def _changed_rows(
        self, masks: tuple[tuple[int, int], ...], live: tuple[int, ...], before: tuple[int, ...], rows: list[Any]
    ) -> list[Any]:
        padded = before + (0,) * (len(live) - len(before))
        flips = [now ^ then for now, then in zip(live, padded, strict=False)]
        values, order = self._values, self._order
        # Another thread may have asked with atoms that have got their numbers since.
        newer = len(padded) > len(live)
        if newer or self.index.projection or sum(map(int.bit_count, flips)) > _FEW_CHANGES:
            return sorted(dict.fromkeys([values[number] for number in _numbers(masks, live)]), key=order)
        changed = rows.copy()
        for number in _numbers(masks, [flip & then for flip, then in zip(flips, padded, strict=True)]):
            changed.remove(values[number])
        for number in _numbers(masks, [flip & now for flip, now in zip(flips, live, strict=True)]):
            insort(changed, values[number], key=order)
        return changed


def _numbers(masks: Sequence[tuple[int, int]], live: Sequence[int]) -> Iterator[int]:
    """The numbers of the atoms whose bits are set."""
    for (chunk, _), bits in zip(masks, live, strict=True):
        first = chunk * BITS
        while bits:
            low = bits & -bits
            yield first + low.bit_length() - 1
            bits ^= low
