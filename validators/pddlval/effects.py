"""What a ground action changes in a state: deletes, adds and numeric updates, in the order in which VAL tells them.

All conditions and all amounts are read in the state before the action. Within an action the effects at the top come
first, then those under ``when``, then those under ``forall``, whose objects come in alphabetic order; each kind in
the order of the file. Of the numeric updates those under ``when`` come before those at the top.

The effects of a ground action are taken apart for all states: quantified variables are replaced by their objects,
static conditions are decided, and the atoms of the others become bits of a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import NamedTuple

from pddl2nl.lean import dataclass
from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Condition,
    Effect,
    Equality,
    Fluent,
    Forall,
    GroundAtom,
    Not,
    UnsupportedError,
    Update,
    When,
    conjuncts,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval.formulas import has_comparison, negation_normal, predicates_in
from pddlval.numeric import UndefinedError, ValueReader, bounded, value_reader
from pddlval.plans import GroundAction
from pddlval.semantics import ground_atom
from pddlval.state import BIT, BITS, Layout, Levels, Number, State, changed_levels

__all__ = ["Block", "Change", "Masks", "Outcome", "Part", "holds_in", "masks_of", "outcome_of", "updated_levels"]

_ADDITIVE = frozenset(("increase", "decrease"))

_MOST_INSTANCES = 1_000_000
"""Actions whose quantified effects have more instances are not executed."""

_FEW_INSTANCES = 32
"""So few choices of objects are all tried; of more, those that satisfy the static conditions are looked up."""

Binding = Mapping[str, str]

Masks = tuple[tuple[int, int], ...]
"""Bits of a state: which of its integers, and which bits of that one."""


class Change(NamedTuple):
    """A numeric update with its amount; ``operator`` is assign, increase, decrease, scale-up or scale-down."""

    fluent: GroundAtom
    operator: str
    amount: Number


class Outcome(NamedTuple):
    """The effects of an action that happen in one state, also those that leave it as it is."""

    deletes: tuple[GroundAtom, ...] = ()
    adds: tuple[GroundAtom, ...] = ()
    updates: tuple[Change, ...] = ()

    def conflict(self) -> GroundAtom | None:
        """A fluent that the action updates more than once; None is the rule.

        Only increases and decreases add up, in whatever order; all else has no order (Fox and Long 2003,
        definition 12), and VAL too refuses it.
        """
        if len(self.updates) < 2:
            return None
        first: dict[GroundAtom, str] = {}
        for fluent, operator, _ in self.updates:
            if fluent not in first:
                first[fluent] = operator
            elif not {first[fluent], operator} <= _ADDITIVE:
                return fluent
        return None


# ── effects of a schema ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of an effect, taken apart.

    The parts are equalities, literals over static and over changing atoms, and the ``rest``. A condition that
    compares numbers is not taken apart: what is read first matters there.
    """

    equalities: tuple[tuple[str, str, bool], ...] = ()
    static: tuple[tuple[Atom, bool], ...] = ()
    needed: tuple[Atom, ...] = ()
    forbidden: tuple[Atom, ...] = ()
    rest: tuple[Condition, ...] = ()

    @classmethod
    def of(cls, condition: Condition, layout: Layout) -> Guard:
        """The parts of a condition."""
        normal = negation_normal(condition)
        if has_comparison(normal, layout.statics.partial):
            return cls(rest=(condition,))
        equalities: list[tuple[str, str, bool]] = []
        static: list[tuple[Atom, bool]] = []
        changing: dict[bool, list[Atom]] = {True: [], False: []}
        rest: list[Condition] = []
        for part in conjuncts(normal):
            positive, atom = (False, part.body) if isinstance(part, Not) else (True, part)
            if isinstance(atom, Equality):
                equalities.append((atom.left, atom.right, positive))
            elif not isinstance(atom, Atom) or atom.predicate in layout.derived:
                rest.append(part)
            elif atom.predicate in layout.changing:
                changing[positive].append(atom)
            else:
                static.append((atom, positive))
        return cls(tuple(equalities), tuple(static), tuple(changing[True]), tuple(changing[False]), tuple(rest))


@dataclass(frozen=True, slots=True)
class Quantified:
    """A quantified effect; ``static`` is what no state can change of the condition that all of it depends on."""

    effect: Forall
    names: tuple[str, ...]
    objects: tuple[tuple[str, ...], ...]
    """The objects of each variable, in alphabetic order."""
    static: Condition | None
    block: Block

    def instances(self, binding: Binding, layout: Layout) -> tuple[int, Iterable[tuple[str, ...]]]:
        """The choices of objects with which something may happen, in alphabetic order, and how many they are.

        Of more than `_MOST_INSTANCES` they are not all given.
        """
        count = prod(map(len, self.objects))
        if self.static is None or count <= _FEW_INSTANCES:
            return count, product(*self.objects)
        found = layout.engine.solutions(self.static, self.effect.parameters, binding)
        chosen = sorted(islice(found, _MOST_INSTANCES + 1))
        return len(chosen), chosen


@dataclass(frozen=True, slots=True)
class Block:
    """An effect of an action schema: what is at its top, what is conditional, what is quantified."""

    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    updates: tuple[Update, ...]
    whens: tuple[tuple[Guard, Block], ...]
    foralls: tuple[Quantified, ...]
    simple: bool
    """Whether all that it does is to add and delete atoms."""

    @classmethod
    def of(cls, effect: Effect, layout: Layout) -> Block:
        """The parts of an effect."""
        adds: list[Atom] = []
        deletes: list[Atom] = []
        updates: list[Update] = []
        whens: list[tuple[Guard, Block]] = []
        foralls: list[Quantified] = []
        for part in conjuncts(effect):
            match part:
                case Atom():
                    adds.append(part)
                case Not(Atom() as atom):
                    deletes.append(atom)
                case Update():
                    updates.append(part)
                case When(condition, body):
                    whens.append((Guard.of(condition, layout), cls.of(body, layout)))
                case Forall(body=body):
                    names = tuple([item.name for item in part.parameters])
                    objects = tuple([tuple(sorted(layout.statics.objects(item.types))) for item in part.parameters])
                    foralls.append(Quantified(part, names, objects, _static_part(part, layout), cls.of(body, layout)))
                case _:
                    raise TypeError(f"not an executable effect: {type(part).__name__}")
        simple = not (updates or whens or foralls) and bool(adds or deletes)
        return cls(tuple(adds), tuple(deletes), tuple(updates), tuple(whens), tuple(foralls), simple)

    @property
    def conditional(self) -> bool:
        """Whether it has conditional or quantified parts."""
        return bool(self.whens or self.foralls)


def _static_part(effect: Forall, layout: Layout) -> Condition | None:
    """Of a conditional effect under a quantifier, the static conditions.

    Six levels of eleven values each are nearly two million choices, of which hardly one makes an effect happen.
    """
    names = {parameter.name for parameter in effect.parameters}
    parts = tuple(conjuncts(effect.body))
    if len(parts) != 1 or not isinstance(parts[0], When) or len(names) < len(effect.parameters):
        return None
    condition = negation_normal(parts[0].condition)
    if has_comparison(condition, layout.statics.partial):
        # What is read first matters there.
        return None
    static = [part for part in conjuncts(condition) if predicates_in(part).isdisjoint(layout.dynamic)]
    return And(tuple(static)) if static else None


# ── effects of a ground action ───────────────────────────────────────────────────────────────────


class Part(NamedTuple):
    """Effects that happen where all ``needed`` bits are 1, all ``forbidden`` ones 0, and all tests hold."""

    needed: Masks = ()
    forbidden: Masks = ()
    tests: tuple[tuple[Condition, Binding], ...] = ()
    deletes: tuple[GroundAtom, ...] = ()
    adds: tuple[GroundAtom, ...] = ()
    updates: tuple[tuple[GroundAtom, str, ValueReader], ...] = ()


_WHOLE = Part()


class Instances:
    """Takes the effect of a ground action apart: for all states, or for one.

    Raises (while the parts are made):
        UnsupportedError: the quantified effects have too many instances.
    """

    def __init__(self, layout: Layout, action: GroundAction, state: State | None = None):
        self._action = action
        self._state = state
        self._layout = layout
        self._seen = 0

    def parts(self, block: Block, binding: Binding, outer: Part = _WHOLE) -> Iterator[Part]:
        """The parts of an effect, in the order in which they happen."""
        layout = self._layout
        if block.deletes or block.adds:
            yield _atoms_of(block, binding, outer)
        for guard, inner in block.whens:
            guarded = self._guarded(guard, binding, outer)
            if guarded is None:
                continue
            if inner.simple:
                yield _atoms_of(inner, binding, guarded)
            else:
                read = not guard.rest
                for part in self.parts(inner, binding, guarded):
                    read = read or _same_conditions(part, guarded)
                    yield part
                if not read:
                    # Nothing follows, or nothing but what has further conditions, which are looked at first: what
                    # this condition reads must have a value all the same.
                    yield guarded
        if block.updates:
            updates = tuple([_ground_update(update, binding, layout) for update in block.updates])
            yield Part(outer.needed, outer.forbidden, outer.tests, updates=updates)
        for quantified in block.foralls:
            count, choices = quantified.instances(binding, layout)
            self._count(quantified.effect, count)
            for objects in choices:
                chosen = dict(zip(quantified.names, objects, strict=True))
                yield from self.parts(quantified.block, {**binding, **chosen}, outer)

    def _count(self, effect: Forall, instances: int) -> None:
        self._seen += instances
        if self._seen > _MOST_INSTANCES:
            names = " ".join(parameter.name for parameter in effect.parameters)
            raise UnsupportedError(
                f"the effect (forall ({names}) …) of action {self._action} has more than {_MOST_INSTANCES:,} instances,"
                " too many to execute"
            )

    def _guarded(self, guard: Guard, binding: Binding, outer: Part) -> Part | None:
        """The outer conditions and these; None where these can never hold, or do not in the one state."""
        layout, state = self._layout, self._state
        for left, right, positive in guard.equalities:
            if (binding.get(left, left) == binding.get(right, right)) is not positive:
                return None
        for atom, positive in guard.static:
            if (ground_atom(atom, binding) in layout.statics.atoms) is not positive:
                return None
        needed, forbidden, tests, *_ = outer
        if state is None:
            needed += masks_of(layout, [ground_atom(atom, binding) for atom in guard.needed])
            forbidden += masks_of(layout, [ground_atom(atom, binding) for atom in guard.forbidden])
        else:
            for atom in guard.needed:
                if not state.true(ground_atom(atom, binding)):
                    return None
            for atom in guard.forbidden:
                if state.true(ground_atom(atom, binding)):
                    return None
        if guard.rest:
            tests += tuple([(condition, binding) for condition in guard.rest])
        return Part(needed, forbidden, tests)


def _atoms_of(block: Block, binding: Binding, outer: Part) -> Part:
    """The atoms that an effect adds and deletes without further condition."""
    deletes = tuple([ground_atom(atom, binding) for atom in block.deletes]) if block.deletes else ()
    adds = tuple([ground_atom(atom, binding) for atom in block.adds]) if block.adds else ()
    return Part(outer.needed, outer.forbidden, outer.tests, deletes, adds)


def _same_conditions(part: Part, other: Part) -> bool:
    return (part.needed, part.forbidden, part.tests) == (other.needed, other.forbidden, other.tests)


def _ground_update(update: Update, binding: Binding, layout: Layout) -> tuple[GroundAtom, str, ValueReader]:
    fluent = ground_atom(Atom(update.fluent.name, update.fluent.args), binding)
    return fluent, update.operator, value_reader(update.value, binding, layout)


def masks_of(layout: Layout, atoms: Sequence[GroundAtom]) -> Masks:
    """The bits of these atoms."""
    if len(atoms) == 1:
        chunk, place = divmod(layout.number(atoms[0]), BITS)
        return ((chunk, BIT[place]),)
    masks: dict[int, int] = {}
    for atom in atoms:
        chunk, place = divmod(layout.number(atom), BITS)
        masks[chunk] = masks.get(chunk, 0) | BIT[place]
    return tuple(masks.items())


def holds_in(chunks: tuple[int, ...], needed: Masks, forbidden: Masks) -> bool:
    """Whether all of one kind of bits are 1 in a state, and all of the other kind 0."""
    count = len(chunks)
    for chunk, mask in needed:
        if chunk >= count or chunks[chunk] & mask != mask:
            return False
    for chunk, mask in forbidden:  # noqa: SIM110 (a generator costs more than the checks)
        if chunk < count and chunks[chunk] & mask:
            return False
    return True


def outcome_of(parts: Iterable[Part], state: State) -> Outcome:
    """What happens of these parts in a state.

    Raises:
        UndefinedError: an amount or a condition reads a fluent that has no value.
    """
    deletes: list[GroundAtom] = []
    adds: list[GroundAtom] = []
    updates: list[Change] = []
    chunks, levels = state.chunks, state.levels
    for part in parts:
        if not holds_in(chunks, part.needed, part.forbidden):
            continue
        if part.tests:
            says = state.layout.engine.holds
            if not all(says(condition, state, binding) for condition, binding in part.tests):
                continue
        deletes += part.deletes
        adds += part.adds
        for fluent, operator, amount in part.updates:
            updates.append(Change(fluent, operator, amount(levels)))
    return Outcome(tuple(deletes), tuple(adds), tuple(updates))


def updated_levels(state: State, updates: Sequence[Change]) -> Levels:
    """The numeric values after these updates, one after the other.

    A fluent that has no value yet counts as 0, as in VAL: many problems leave ``(= (total-cost) 0)`` out.

    Raises:
        UndefinedError: a fluent is scaled down by zero.
    """
    values: dict[int, Number] = {}
    place_of = state.layout.place
    for change in updates:
        place = place_of(change.fluent)
        before = values[place] if place in values else state.level(change.fluent) or 0
        values[place] = updated(change, before)
    return changed_levels(state.levels, values)


def updated(change: Change, before: Number) -> Number:
    """What a fluent is worth after an update.

    Raises:
        UndefinedError: it is scaled down by zero.
        UnsupportedError: it is too large to compute with.
    """
    fluent, operator, amount = change
    if operator == "increase":
        after: Number = before + amount
    elif operator == "assign":
        after = amount
    elif operator == "decrease":
        after = before - amount
    elif operator == "scale-up":
        after = before * amount
    else:
        if amount == 0:
            divided = Fluent(fluent[0], tuple(fluent[1:]))
            raise UndefinedError(Arithmetic("/", (divided, NumberNode(Fraction(0)))))
        after = Fraction(before) / amount
    bounded(after)
    return after.numerator if after.denominator == 1 else after
