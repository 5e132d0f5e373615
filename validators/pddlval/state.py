"""States of a task: which atoms are true, and what the numeric fluents are worth.

What actions change is numbered as it is met, and a state holds its atoms as a tuple of integers, a bit an atom
(`BITS` atoms each), and its numeric values as a tuple of tuples. A successor state shares with the one before all
but the few integers that differ. States so are cheap to make, to keep, to hash and to compare, however many atoms
are true; nothing is ever undone, and threads may share them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import compress
from operator import itemgetter
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from pddl2nl.pddl import GroundAtom, Task
from pddlval.names import partial_predicates

if TYPE_CHECKING:
    from pddlval.axioms import Axioms
    from pddlval.semantics import Reading

__all__ = ["BIT", "BITS", "Chunks", "Layout", "Levels", "Number", "Row", "State", "Statics", "changed_levels"]

Number = int | Fraction
"""An exact number; whole ones are kept as ``int``, with which sums are ten times as fast."""

Row = tuple[str, ...]
"""The arguments of an atom."""

Chunks = tuple[int, ...]
"""The true atoms among the numbered ones, `BITS` to an integer; the last integer is never 0."""

Levels = tuple[tuple[Number | None, ...], ...]
"""The values of the numbered fluents, `_GROUP` to a tuple; None where a fluent has no value."""

BITS = 1024
_GROUP = 64
BIT = tuple(1 << place for place in range(BITS))


class Statics:
    """What no action changes, shared by all states of a task: atoms, values of functions, objects.

    ``atoms`` and ``values`` hold the static atoms and the values of static functions.
    """

    def __init__(self, task: Task, atoms: frozenset[GroundAtom], values: Mapping[GroundAtom, Number]):
        self.atoms = atoms
        self.values = values
        self.task = task
        self._rows: dict[str, list[Row]] | None = None
        self._indices: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}

    @cached_property
    def partial(self) -> frozenset[str]:
        """The derived predicates that a numeric fluent without a value can leave undefined."""
        return partial_predicates(self.task.domain.derived)

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """The objects of one of the types, in the order of their declaration."""
        return self.task.objects_of(types)

    def rows(self, predicate: str) -> Sequence[Row]:
        """The arguments of a predicate's static atoms, in the order of the file, each once."""
        if self._rows is None:
            groups: dict[str, list[GroundAtom]] = {predicate: [] for predicate in {atom[0] for atom in self.atoms}}
            for atom in self.task.problem.init:
                if atom[0] in groups:
                    groups[atom[0]].append(atom)
            # An atom may stand twice in a file.
            arguments = itemgetter(slice(1, None))
            self._rows = {name: list(dict.fromkeys(map(arguments, group))) for name, group in groups.items()}
        return self._rows.get(predicate, ())

    def index(self, predicate: str, columns: tuple[int, ...]) -> Mapping[Row, Sequence[Row]]:
        """A static predicate's rows, grouped by what stands in these columns (the key is always a tuple)."""
        found = self._indices.get((predicate, columns))
        if found is None:
            found = {}
            for row in self.rows(predicate):
                found.setdefault(tuple([row[column] for column in columns]), []).append(row)
            self._indices[predicate, columns] = found
        return found


class Layout:
    """Where the states of one task hold what changes; atoms and fluents get their places as they are met."""

    def __init__(
        self,
        statics: Statics,
        changing: frozenset[str],
        functions: frozenset[str],
        axioms: Axioms | None = None,
        tolerance: Fraction = Fraction(0),
    ):
        self.statics = statics
        self.changing = changing
        """The predicates that actions change."""
        self.functions = functions
        """The functions that actions change."""
        self.tolerance = tolerance
        self.axioms = axioms
        self.derived: frozenset[str] = axioms.predicates if axioms else frozenset()
        """The predicates that follow from the others."""
        self.dynamic = changing | self.derived
        """The predicates that are not static."""
        self.numbers: dict[GroundAtom, int] = {}
        self.atoms: list[GroundAtom] = []
        self.places: dict[GroundAtom, int] = {}
        self.fluents: list[GroundAtom] = []
        self._lock = Lock()

    @cached_property
    def holds(self) -> Reading:
        """Says whether conditions hold in states of this layout: `semantics.holds`, compiled."""
        # Plans that hold never ask, and every start of the command would pay for the import.
        from pddlval.conditions import Reader

        return Reader(self.statics, self.dynamic, self.changing).holds

    @property
    def empty(self) -> State:
        """The state in which nothing that can change holds: what is static is read in it."""
        return State(self, (), ())

    def number(self, atom: GroundAtom) -> int:
        """The number of an atom of a changing predicate."""
        found = self.numbers.get(atom)
        return self._add(atom, self.numbers, self.atoms) if found is None else found

    def place(self, fluent: GroundAtom) -> int:
        """The number of a fluent of a changing function."""
        found = self.places.get(fluent)
        return self._add(fluent, self.places, self.fluents) if found is None else found

    def _add(self, name: GroundAtom, numbers: dict[GroundAtom, int], names: list[GroundAtom]) -> int:
        with self._lock:
            if name not in numbers:
                # The name is there before anyone can ask for it by its number.
                names.append(name)
                numbers[name] = len(names) - 1
            return numbers[name]

    def chunks(self, atoms: Iterable[GroundAtom]) -> Chunks:
        """The true atoms as integers."""
        masks: dict[int, int] = {}
        for atom in atoms:
            chunk, place = divmod(self.number(atom), BITS)
            masks[chunk] = masks.get(chunk, 0) | BIT[place]
        return tuple([masks.get(chunk, 0) for chunk in range(max(masks, default=-1) + 1)])

    def true_atoms(self, chunks: Chunks) -> Iterator[GroundAtom]:
        """The atoms that are true, by their numbers."""
        for chunk, mask in enumerate(chunks):
            if mask:
                # From the last binary digit to the first, without the "0b".
                yield from compress(self.atoms[chunk * BITS : (chunk + 1) * BITS], map(int, bin(mask)[:1:-1]))


def changed_levels(levels: Levels, changes: Mapping[int, Number]) -> Levels:
    """The values with some of them changed: ``{number of the fluent: value}``."""
    groups = list(levels)
    for place, value in changes.items():
        group, inside = divmod(place, _GROUP)
        groups.extend([()] * (group + 1 - len(groups)))
        values = list(groups[group])
        values.extend([None] * (inside + 1 - len(values)))
        values[inside] = value
        groups[group] = tuple(values)
    return tuple(groups)


class State:
    """A state: immutable, hashable, and equal to every state of the same task with the same atoms and values.

    States are made by a `Simulator` (`Simulator.initial`, `Simulator.step`, `Simulator.state`). Ask them with
    ``atom in state``, iteration (sorted), `atoms`, `values` and `value`. The other attributes are for this room
    alone, and how they hold a state may change.
    """

    __slots__ = ("chunks", "layout", "levels", "memo")

    def __init__(self, layout: Layout, chunks: Chunks, levels: Levels):
        self.layout = layout
        self.chunks = chunks
        self.levels = levels
        self.memo: object = None
        """What was derived in this state; `axioms.Axioms` keeps it here."""

    # ── what conditions read ─────────────────────────────────────────────────────────────────────

    def true(self, atom: GroundAtom) -> bool:
        """Whether an atom is true, derived ones included."""
        layout = self.layout
        number = layout.numbers.get(atom)
        if number is not None:
            chunk = number // BITS
            return chunk < len(self.chunks) and self.chunks[chunk] & BIT[number % BITS] != 0
        if atom[0] in layout.derived:
            assert layout.axioms is not None
            return layout.axioms.true(atom, self)
        return atom in layout.statics.atoms

    def level(self, fluent: GroundAtom) -> Number | None:
        """The value of a numeric fluent, exact and whole where it can be; None where it has none."""
        place = self.layout.places.get(fluent)
        if place is None:
            return self.layout.statics.values.get(fluent)
        group, inside = divmod(place, _GROUP)
        if group < len(self.levels) and inside < len(self.levels[group]):
            return self.levels[group][inside]
        return None

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """The objects of one of the types, in the order of their declaration."""
        return self.layout.statics.objects(types)

    @property
    def tolerance(self) -> Fraction:
        """By how much two numbers may differ and still count as equal: 0, or VAL's 0.0001."""
        return self.layout.tolerance

    def changing(self) -> Iterator[GroundAtom]:
        """The true atoms that actions change, in no particular order."""
        return self.layout.true_atoms(self.chunks)

    def forget(self) -> None:
        """Drops what was derived in this state: it takes far more memory than the state, and can be derived again."""
        self.memo = None

    # ── what users read ──────────────────────────────────────────────────────────────────────────

    @property
    def atoms(self) -> frozenset[GroundAtom]:
        """All atoms that are true; derived ones are not among them (see `derived`)."""
        return self.layout.statics.atoms.union(self.changing())

    @property
    def derived(self) -> frozenset[GroundAtom]:
        """All atoms that follow from the others by the domain's ``:derived`` rules.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        axioms = self.layout.axioms
        if axioms is None:
            return frozenset()
        return frozenset(GroundAtom((name, *row)) for name in axioms.predicates for row in axioms.rows(name, self))

    @property
    def values(self) -> Mapping[GroundAtom, Fraction]:
        """The value of every numeric fluent that has one: ``{GroundAtom(("total-cost",)): Fraction(3)}``."""
        held = {fluent: Fraction(value) for fluent, value in self.layout.statics.values.items()}
        held.update((fluent, Fraction(value)) for fluent, value in self._changing_values())
        return MappingProxyType(held)

    def value(self, fluent: GroundAtom) -> Fraction | None:
        """The value of one numeric fluent, or None where it has none."""
        found = self.level(fluent)
        return None if found is None else Fraction(found)

    def _changing_values(self) -> Iterator[tuple[GroundAtom, Number]]:
        values = (value for group in self.levels for value in (*group, *[None] * (_GROUP - len(group))))
        for fluent, value in zip(self.layout.fluents, values, strict=False):
            if value is not None:
                yield fluent, value

    def __contains__(self, atom: object) -> bool:
        # A plain tuple names an atom too.
        return isinstance(atom, tuple) and len(atom) > 0 and self.true(GroundAtom(atom))

    def __iter__(self) -> Iterator[GroundAtom]:
        return iter(sorted(self.atoms))

    def __len__(self) -> int:
        return len(self.layout.statics.atoms) + sum(map(int.bit_count, self.chunks))

    def __bool__(self) -> bool:
        # A state without atoms is a state: ``successor or state`` must not go back to the one before.
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.layout is other.layout and self.chunks == other.chunks and self.levels == other.levels

    def __hash__(self) -> int:
        return hash((self.chunks, self.levels))

    def __reduce__(self) -> tuple[object, ...]:
        # With its task, from which all that it refers to is made again.
        from pddlval.layouts import restored_state

        layout = self.layout
        return restored_state, (
            layout.statics.task,
            layout.tolerance,
            *map(tuple, (self.changing(), self._changing_values())),
        )

    def __repr__(self) -> str:
        return f"<State of {len(self)} atoms>"
