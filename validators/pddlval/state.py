"""States of a task: which atoms are true, and what the numeric fluents are worth.

What actions change is numbered as it is met, and a state holds its atoms as a tuple of integers, a bit an atom
(`BITS` atoms each), and its numeric values as a tuple of tuples. A successor state shares with the one before all
but the few integers that differ. States so are cheap to make, to keep, to hash and to compare, however many atoms
are true; nothing is ever undone, and threads may share them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import compress, groupby, zip_longest
from operator import itemgetter
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from pddl2nl.pddl import Condition, GroundAtom, Task, TypedName
from pddlval.formulas import partial_predicates

Number = int | Fraction
"""An exact number; whole ones are kept as ``int``, with which sums are ten times as fast."""

Chunks = tuple[int, ...]
"""The true atoms among the numbered ones, `BITS` to an integer; the last integer is never 0."""

Levels = tuple[tuple[Number | None, ...], ...]
"""The values of the numbered fluents, `GROUP` to a tuple; None where a fluent has no value."""

_NOTHING: Mapping[str, str] = MappingProxyType({})

BITS = 1024
GROUP = 64
BIT = tuple(1 << place for place in range(BITS))


class StateEngine(Protocol):
    """Answers questions about states that take more than looking up an atom or a value."""

    def holds(self, condition: Condition, state: State, binding: Mapping[str, str] = ..., /) -> bool:
        """Whether a condition holds; raises `UndefinedError`."""

    def test(self, condition: Condition, parameters: tuple[str, ...], /) -> Callable[..., bool]:
        """A condition compiled, for `ask`."""

    def ask(self, state: State, test: Callable[..., bool], /, *arguments: int) -> bool:
        """What a compiled condition says about a state and objects; raises `UndefinedError`."""

    def numbered(self, objects: tuple[str, ...], /) -> tuple[int, ...]:
        """The numbers of objects."""

    def solutions(
        self, condition: Condition, parameters: tuple[TypedName, ...], binding: Mapping[str, str], /
    ) -> Iterator[tuple[str, ...]]:
        """The objects with which a condition about static atoms holds, each choice once."""

    def true(self, atom: GroundAtom, state: State, /) -> bool:
        """Whether a derived atom is true; raises `UndefinedError`."""

    def derived(self, state: State, /) -> frozenset[GroundAtom]:
        """All derived atoms that are true; raises `UndefinedError`."""


class StateLayout:
    """What no action changes, shared by all states of a task, and where these hold what does.

    Atoms and fluents that change get their places as they are met.

    Args:
        task: the task.
        static_atoms: the atoms that no action changes.
        static_values: the values of functions that no action changes.
        changing: the predicates that actions change.
        functions: the functions that actions change.
        derived: the predicates that follow from the others by rules.
        tolerance: by how much numbers may differ in comparisons and still be equal.
        engine: makes what answers questions about states, when the first is asked.
        restore: gives the layout of a task and a tolerance, for states that are unpickled.
    """

    def __init__(
        self,
        task: Task,
        static_atoms: frozenset[GroundAtom],
        static_values: Mapping[GroundAtom, Number],
        changing: frozenset[str],
        functions: frozenset[str],
        derived: frozenset[str],
        tolerance: Fraction,
        engine: Callable[[StateLayout], StateEngine],
        restore: Callable[[Task, Fraction], StateLayout],
    ):
        self.task = task
        self.static_atoms = static_atoms
        self.static_values = static_values
        self.changing = changing
        self.functions = functions
        self.derived = derived
        self.tolerance = tolerance
        self.dynamic = changing | derived
        """The predicates that are not static."""
        self.numbers: dict[GroundAtom, int] = {}
        self.atoms: list[GroundAtom] = []
        self.places: dict[GroundAtom, int] = {}
        self.fluents: list[GroundAtom] = []
        self._make_engine = engine
        self._restore = restore
        self._lock = Lock()

    @cached_property
    def static_by_predicate(self) -> Mapping[str, list[GroundAtom]]:
        """The static atoms of each predicate, in the order of the file."""
        groups: defaultdict[str, list[GroundAtom]] = defaultdict(list)
        for name, atoms in groupby(self.task.problem.init, itemgetter(0)):
            groups[name].extend(atoms)
        by_name = {name: those for name, those in groups.items() if those[0] in self.static_atoms}
        if sum(map(len, by_name.values())) > len(self.static_atoms):
            # The file has an atom twice.
            by_name = {name: list(dict.fromkeys(those)) for name, those in by_name.items()}
        return by_name

    @cached_property
    def partial(self) -> frozenset[str]:
        """The derived predicates that a numeric fluent without a value can leave undefined."""
        return partial_predicates(self.task.domain.derived)

    @cached_property
    def declared(self) -> list[GroundAtom]:
        """The atoms of the initial state that actions change, in the order of the file."""
        return [atom for atom in self.task.problem.init if atom[0] in self.changing]

    @cached_property
    def engine(self) -> StateEngine:
        """Answers questions about states."""
        return self._make_engine(self)

    def holds(self, condition: Condition, state: Any, binding: Mapping[str, str] = _NOTHING) -> bool:
        """Whether a condition holds in a state of this layout: `semantics.holds`, compiled."""
        return self.engine.holds(condition, state, binding)

    @property
    def empty(self) -> State:
        """The state in which nothing that can change holds: what is static is read in it."""
        return State(self, (), ())

    def number(self, atom: GroundAtom) -> int:
        """The number of an atom of a changing predicate."""
        number = self.numbers.get(atom)
        return self._add(atom, self.numbers, self.atoms) if number is None else number

    def place(self, fluent: GroundAtom) -> int:
        """The number of a fluent of a changing function."""
        place = self.places.get(fluent)
        return self._add(fluent, self.places, self.fluents) if place is None else place

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

    def state(self, fluents: Collection[GroundAtom], levels: Mapping[GroundAtom, Number]) -> State:
        """The state with these atoms, all of changing predicates, and values, all of changing functions."""
        values = changed_levels((), {self.place(fluent): value for fluent, value in levels.items()})
        # In the order of the file: numbers must not depend on the order of a set.
        ordered = [atom for atom in self.declared if atom in fluents]
        ordered += sorted(set(fluents) - set(ordered))
        return State(self, self.chunks(ordered), values)

    def true_atoms(self, chunks: Chunks) -> Iterator[GroundAtom]:
        """The atoms that are true, by their numbers."""
        for chunk, mask in enumerate(chunks):
            if mask:
                # From the last binary digit to the first, without the "0b".
                yield from compress(self.atoms[chunk * BITS : (chunk + 1) * BITS], map(int, bin(mask)[:1:-1]))

    def __reduce__(self) -> tuple[object, ...]:
        return self._restore, (self.task, self.tolerance)


def changed_levels(levels: Levels, changes: Mapping[int, Number]) -> Levels:
    """The values with some of them changed: ``{number of the fluent: value}``."""
    groups = list(levels)
    for place, value in changes.items():
        group, inside = divmod(place, GROUP)
        groups.extend([()] * (group + 1 - len(groups)))
        values = list(groups[group])
        values.extend([None] * (inside + 1 - len(values)))
        values[inside] = value
        groups[group] = tuple(values)
    return tuple(groups)


class StateChange(NamedTuple):
    """What differs between two states of a task, in no particular order; derived atoms are not compared.

    ``added`` are the atoms that became true, ``deleted`` those that became false, ``fluents`` the numeric fluents
    that have another value, or a value where there was none.
    """

    added: list[GroundAtom]
    deleted: list[GroundAtom]
    fluents: list[GroundAtom]


class State:
    """A state: immutable, hashable, and equal to every state of the same task with the same atoms and values.

    States are made by a `Simulator` (`Simulator.initial`, `Simulator.step`, `Simulator.state`). Ask them with
    ``atom in state``, iteration (sorted), `atoms`, `values` and `value`. The other attributes are
    internal to this package.
    """

    __slots__ = ("chunks", "layout", "levels", "memo")

    def __init__(self, layout: StateLayout, chunks: Chunks, levels: Levels):
        self.layout = layout
        self.chunks = chunks
        self.levels = levels
        self.memo: dict[Any, Any] | None = None
        """What was derived in this state (`tables.Tables`)."""

    # ── what conditions read ─────────────────────────────────────────────────────────────────────

    def true(self, atom: GroundAtom) -> bool:
        """Whether an atom is true, derived ones included."""
        layout = self.layout
        number = layout.numbers.get(atom)
        if number is not None:
            chunk = number // BITS
            return chunk < len(self.chunks) and self.chunks[chunk] & BIT[number % BITS] != 0
        if atom[0] in layout.derived:
            return layout.engine.true(atom, self)
        return atom in layout.static_atoms

    def level(self, fluent: GroundAtom) -> Number | None:
        """The value of a numeric fluent, exact and whole where it can be; None where it has none."""
        place = self.layout.places.get(fluent)
        if place is None:
            return self.layout.static_values.get(fluent)
        group, inside = divmod(place, GROUP)
        if group < len(self.levels) and inside < len(self.levels[group]):
            return self.levels[group][inside]
        return None

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """The objects of one of the types, in the order of their declaration."""
        return self.layout.task.objects_of(types)

    @property
    def tolerance(self) -> Fraction:
        """By how much two numbers may differ and still count as equal: 0, or VAL's 0.0001."""
        return self.layout.tolerance

    def changing(self) -> Iterator[GroundAtom]:
        """The true atoms that actions change, in no particular order."""
        return self.layout.true_atoms(self.chunks)

    def changes_since(self, before: State) -> StateChange:
        """What differs from an earlier state.

        States of one simulator are compared by their integers, which takes time for what differs, not for all atoms.
        """
        if self.layout is not before.layout:
            fluents = {fluent for fluent, _ in {*self.values.items()} ^ {*before.values.items()}}
            return StateChange([*self.atoms - before.atoms], [*before.atoms - self.atoms], [*fluents])
        chunks = [*zip_longest(self.chunks, before.chunks, fillvalue=0)]
        added = self.layout.true_atoms(tuple(now & ~then for now, then in chunks))
        deleted = self.layout.true_atoms(tuple(then & ~now for now, then in chunks))
        groups = enumerate(zip_longest(self.levels, before.levels, fillvalue=()))
        places = [
            group * GROUP + place
            for group, (now, then) in groups
            if now is not then
            for place, (value, old) in enumerate(zip_longest(now, then))
            if value != old
        ]
        return StateChange([*added], [*deleted], [self.layout.fluents[place] for place in places])

    def forget(self) -> None:
        """Drops what was derived in this state: it takes far more memory than the state, and can be derived again."""
        self.memo = None

    # ── what users read ──────────────────────────────────────────────────────────────────────────

    @property
    def atoms(self) -> frozenset[GroundAtom]:
        """All atoms that are true; derived ones are not among them (see `derived`)."""
        return self.layout.static_atoms.union(self.changing())

    @property
    def derived(self) -> frozenset[GroundAtom]:
        """All atoms that follow from the others by the domain's ``:derived`` rules.

        Raises:
            UndefinedError: a comparison in a rule reads a fluent without a value.
        """
        return self.layout.engine.derived(self) if self.layout.derived else frozenset()

    @property
    def values(self) -> Mapping[GroundAtom, Fraction]:
        """The value of every numeric fluent that has one: ``{GroundAtom(("total-cost",)): Fraction(3)}``."""
        held = {fluent: Fraction(value) for fluent, value in self.layout.static_values.items()}
        held.update((fluent, Fraction(value)) for fluent, value in self.changing_values())
        return MappingProxyType(held)

    def value(self, fluent: GroundAtom) -> Fraction | None:
        """The value of one numeric fluent, or None where it has none."""
        level = self.level(fluent)
        return None if level is None else Fraction(level)

    def changing_values(self) -> Iterator[tuple[GroundAtom, Number]]:
        """The values of the functions that actions change."""
        values = (value for group in self.levels for value in (*group, *[None] * (GROUP - len(group))))
        for fluent, value in zip(self.layout.fluents, values, strict=False):
            if value is not None:
                yield fluent, value

    def __contains__(self, atom: object) -> bool:
        # A plain tuple names an atom too.
        return isinstance(atom, tuple) and len(atom) > 0 and self.true(GroundAtom(atom))

    def __iter__(self) -> Iterator[GroundAtom]:
        return iter(sorted(self.atoms))

    def __len__(self) -> int:
        return len(self.layout.static_atoms) + sum(map(int.bit_count, self.chunks))

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
        # With its layout, which is that of its task where it is read again.
        return _restored, (self.layout, tuple(self.changing()), dict(self.changing_values()))

    def __repr__(self) -> str:
        return f"<State of {len(self)} atoms>"

    def _repr_svg_(self) -> str | None:
        from pddl2nl.notebook import picture

        return picture(self.layout.task, self) or None

    def _repr_html_(self) -> str:
        from pddl2nl.notebook import html_picture, html_table

        values = [f"{fluent} = {value}" for fluent, value in sorted(self.values.items())]
        table = html_table("State", (("atoms", map(str, self)), ("values", values)))
        return html_picture(self._repr_svg_() or "", table)


def _restored(layout: StateLayout, atoms: tuple[GroundAtom, ...], values: dict[GroundAtom, Number]) -> State:
    return layout.state(frozenset(atoms), values)
