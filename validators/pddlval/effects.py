"""What an effect changes in a state: deletes, adds and numeric updates, in the order in which VAL tells them.

All conditions and all amounts are read in the state before the action. Within an action the effects at the top come
first, then those under ``when``, then those under ``forall``, whose objects come in alphabetic order; each kind in
the order of the file. Of the numeric updates those under ``when`` come before those at the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from pddlval.numeric import UndefinedError, bounded, evaluate, exact
from pddlval.plans import GroundAction
from pddlval.semantics import Binding, ground_atom, ground_fluent
from pddlval.state import BIT, BITS, Chunks, Levels, Number, State, StateLayout, changed_levels

ADDITIVE = frozenset(("increase", "decrease"))
"""The updates that add up, in whatever order."""

_MOST_INSTANCES = 1_000_000
"""Actions whose quantified effects have more instances are not executed."""

_FEW_INSTANCES = 32
"""So few choices of objects are all tried; of more, those that satisfy the static conditions are looked up."""


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

        Only increases and decreases add up; all else has no order (Fox and Long 2003, definition 12), and VAL too
        refuses it.
        """
        first: dict[GroundAtom, str] = {}
        for fluent, operator, _ in self.updates:
            if fluent not in first:
                first[fluent] = operator
            elif not {first[fluent], operator} <= ADDITIVE:
                return fluent
        return None


# ── effects of a schema ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class EffectBlock:
    """An effect of an action schema: what is at its top, what is conditional, what is quantified."""

    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    updates: tuple[Update, ...]
    whens: tuple[tuple[Guard, EffectBlock], ...]
    foralls: tuple[Quantified, ...]

    @classmethod
    def of(cls, effect: Effect, layout: StateLayout) -> EffectBlock:
        """The parts of an effect."""
        adds: list[Atom] = []
        deletes: list[Atom] = []
        updates: list[Update] = []
        whens: list[tuple[Guard, EffectBlock]] = []
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
        return cls(tuple(adds), tuple(deletes), tuple(updates), tuple(whens), tuple(foralls))

    @property
    def conditional(self) -> bool:
        """Whether it has conditional or quantified parts."""
        return bool(self.whens or self.foralls)


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of an effect: literals, which are looked up, and the rest.

    A condition that compares numbers is not taken apart: what is read first matters there.
    """

    literals: tuple[tuple[Atom, bool], ...]
    rest: tuple[Condition, ...]
    compares: bool

    @classmethod
    def of(cls, condition: Condition, layout: StateLayout) -> Guard:
        """The parts of a condition."""
        normal = negation_normal(condition)
        if has_comparison(normal, layout.statics.partial):
            return cls((), (condition,), compares=True)
        parts = [(part.body, False) if isinstance(part, Not) else (part, True) for part in conjuncts(normal)]
        literals = tuple([(part, positive) for part, positive in parts if isinstance(part, Atom)])
        rest = tuple([part if positive else Not(part) for part, positive in parts if not isinstance(part, Atom)])
        return cls(literals, rest, compares=False)


@dataclass(frozen=True, slots=True)
class Quantified:
    """A quantified effect; ``static`` is what no state can change of the condition that all of it depends on."""

    effect: Forall
    names: tuple[str, ...]
    objects: tuple[tuple[str, ...], ...]
    """The objects of each variable, in alphabetic order."""
    static: Condition | None
    block: EffectBlock

    def instances(self, binding: Binding, layout: StateLayout) -> tuple[int, Iterable[tuple[str, ...]]]:
        """The choices of objects with which something may happen, in alphabetic order, and how many they are.

        Of more than `_MOST_INSTANCES` they are not all given.
        """
        count = prod(map(len, self.objects))
        if self.static is None or count <= _FEW_INSTANCES:
            return count, product(*self.objects)
        solutions = layout.engine.solutions(self.static, self.effect.parameters, binding)
        chosen = sorted(islice(solutions, _MOST_INSTANCES + 1))
        return len(chosen), chosen


def _static_part(effect: Forall, layout: StateLayout) -> Condition | None:
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


class GroundEffect(NamedTuple):
    """Effects that happen where all literals and all tests hold."""

    literals: tuple[tuple[GroundAtom, bool], ...] = ()
    tests: tuple[tuple[Condition, Binding], ...] = ()
    deletes: tuple[GroundAtom, ...] = ()
    adds: tuple[GroundAtom, ...] = ()
    updates: tuple[tuple[Update, Binding], ...] = ()


_ALWAYS = GroundEffect()


class Instances:
    """Takes the effect of a ground action apart, for all states or for one, in VAL's order.

    Raises (while the parts are made):
        UnsupportedError: the quantified effects have too many instances.
    """

    def __init__(self, layout: StateLayout, action: GroundAction, state: State | None = None):
        self._layout = layout
        self._action = action
        self._state = state
        self._seen = 0

    def parts(self, block: EffectBlock, binding: Binding, outer: GroundEffect = _ALWAYS) -> Iterator[GroundEffect]:
        """The parts of an effect, in the order in which they happen."""
        literals, tests, *_ = outer
        if block.deletes or block.adds:
            deletes = tuple([ground_atom(atom, binding) for atom in block.deletes])
            yield GroundEffect(literals, tests, deletes, tuple([ground_atom(atom, binding) for atom in block.adds]))
        for guard, inner in block.whens:
            guarded = self._guarded(guard, binding, outer)
            if guarded is not None:
                if guard.compares:
                    # What the condition reads must have a value, whatever follows.
                    yield guarded
                yield from self.parts(inner, binding, guarded)
        if block.updates:
            yield GroundEffect(literals, tests, updates=tuple([(update, binding) for update in block.updates]))
        for quantified in block.foralls:
            count, choices = quantified.instances(binding, self._layout)
            self._seen += count
            if self._seen > _MOST_INSTANCES:
                raise UnsupportedError(
                    f"the effect (forall ({' '.join(quantified.names)}) …) of action {self._action} has more than"
                    f" {_MOST_INSTANCES:,} instances, too many to execute"
                )
            for objects in choices:
                chosen = dict(zip(quantified.names, objects, strict=True))
                yield from self.parts(quantified.block, {**binding, **chosen}, outer)

    def _guarded(self, guard: Guard, binding: Binding, outer: GroundEffect) -> GroundEffect | None:
        """The outer conditions and these; None where these never hold, or do not in the one state."""
        state, statics = self._state, self._layout.statics.atoms
        literals = list(outer.literals)
        for atom, positive in guard.literals:
            ground = ground_atom(atom, binding)
            if state is not None:
                held = state.true(ground)
            elif atom.predicate not in self._layout.dynamic:
                held = ground in statics
            else:
                literals.append((ground, positive))
                continue
            if held is not positive:
                return None
        return GroundEffect(tuple(literals), (*outer.tests, *[(condition, binding) for condition in guard.rest]))


def outcome_of(parts: Iterable[GroundEffect], state: State) -> Outcome:
    """What happens of these parts in a state.

    Raises:
        UndefinedError: an amount or a condition reads a fluent that has no value.
    """
    deletes: list[GroundAtom] = []
    adds: list[GroundAtom] = []
    updates: list[Change] = []
    true, holds = state.true, state.layout.holds
    for part in parts:
        for atom, positive in part.literals:
            if true(atom) is not positive:
                break
        else:
            if part.tests and not all(holds(condition, state, binding) for condition, binding in part.tests):
                continue
            deletes += part.deletes
            adds += part.adds
            for update, binding in part.updates:
                amount = evaluate(update.value, state.level, binding)
                updates.append(Change(ground_fluent(update.fluent, binding), update.operator, amount))
    return Outcome(tuple(deletes), tuple(adds), tuple(updates))


def changed_chunks(state: State, outcomes: Sequence[Outcome]) -> Chunks:
    """A state's integers after effects that happen together: all deletes, then all adds."""
    number = state.layout.number
    chunks = list(state.chunks)
    for atom in [atom for outcome in outcomes for atom in outcome.deletes]:
        chunk, place = divmod(number(atom), BITS)
        if chunk < len(chunks):
            chunks[chunk] &= ~BIT[place]
    for atom in [atom for outcome in outcomes for atom in outcome.adds]:
        chunk, place = divmod(number(atom), BITS)
        chunks.extend([0] * (chunk + 1 - len(chunks)))
        chunks[chunk] |= BIT[place]
    while chunks and not chunks[-1]:
        chunks.pop()
    return tuple(chunks)


def updated_levels(state: State, updates: Sequence[Change]) -> Levels:
    """The numeric values after these updates, one after the other.

    A fluent that has no value yet counts as 0, as in VAL: many problems leave ``(= (total-cost) 0)`` out.

    Raises:
        UndefinedError: a fluent is scaled down by zero.
        UnsupportedError: a number is too large to compute with.
    """
    values: dict[int, Number] = {}
    for change in updates:
        place = state.layout.place(change.fluent)
        before = values[place] if place in values else state.level(change.fluent) or 0
        values[place] = _updated(change, before)
    return changed_levels(state.levels, values)


def _updated(change: Change, before: Number) -> Number:
    fluent, operator, amount = change
    if operator == "increase":
        after: Number = before + amount
    elif operator == "assign":
        after = amount
    elif operator == "decrease":
        after = before - amount
    elif operator == "scale-up":
        after = before * amount
    elif amount:
        after = Fraction(before) / amount
    else:
        divided = Fluent(fluent[0], tuple(fluent[1:]))
        raise UndefinedError(Arithmetic("/", (divided, NumberNode(Fraction(0)))))
    return exact(bounded(after))
