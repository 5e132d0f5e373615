"""What a ground action changes in a state: deletes, adds and numeric updates, in the order in which VAL tells them.

All conditions and all amounts are read in the state before the action. Within an action the effects at the top come
first, then those under ``when``, then those under ``forall``, whose objects come in alphabetic order; each kind in
the order of the file. Of the numeric updates those under ``when`` come before those at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import NamedTuple

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
    TypedName,
    Update,
    When,
    conjuncts,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval.conditions import Places, Slots, Test, Value, compile_condition, compile_expression
from pddlval.names import has_comparison
from pddlval.normal_form import free_variables, negation_normal, predicates_in
from pddlval.numeric import UndefinedError, bounded
from pddlval.semantics import World
from pddlval.state import Layout, Levels, Number, State, changed_levels

__all__ = [
    "Change",
    "EffectBlock",
    "Guard",
    "NumericEffect",
    "Outcome",
    "Pick",
    "Screen",
    "choices",
    "compile_effect",
    "picker",
    "updated",
    "updated_levels",
]

_ADDITIVE = frozenset(("increase", "decrease"))

Pick = Callable[[Sequence[str]], tuple[str, ...]]
"""Picks the names of an atom out of the slots."""


NumericEffect = tuple[Pick, str, Value]
"""A fluent, an operator, an amount, compiled."""


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


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of an effect, compiled: as one ``test``, and again taken apart.

    The parts are equalities between slots, literals over static and over changing atoms, and the ``rest``, None
    where nothing is left. A condition that compares numbers is not taken apart: what is read first matters there.
    """

    test: Test
    equalities: tuple[tuple[int, int, bool], ...] = ()
    static: tuple[tuple[Pick, bool], ...] = ()
    needed: tuple[Pick, ...] = ()
    forbidden: tuple[Pick, ...] = ()
    rest: Test | None = None


class Screen(NamedTuple):
    """What can be tested once the first variables of a ``forall`` are bound: without it, nothing happens.

    ``static`` says that it is the same in all states.
    """

    test: Test
    static: bool


Variables = tuple[tuple[int, tuple[str, ...]], ...]
"""The slots of quantified variables, each with the objects that it ranges over."""

Screens = tuple[tuple[Screen, ...], ...]
"""For each variable what can be tested once it is bound; empty where no variable but the last has any."""


def choices(variables: Variables, screens: Screens, slots: Slots, world: World, at: int = 0) -> Iterator[bool]:
    """Binds variables in ``slots`` in all ways, in order; True where all are bound, False where a screen failed."""
    if at == len(variables):
        yield True
        return
    slot, objects = variables[at]
    for name in objects:
        slots[slot] = name
        if all(screen.test(slots, world) for screen in screens[at]):
            yield from choices(variables, screens, slots, world, at + 1)
        else:
            yield False


@dataclass(frozen=True, slots=True)
class EffectBlock:
    """An effect of an action schema, compiled: what is at its top, what is conditional, what is quantified."""

    adds: tuple[Pick, ...]
    deletes: tuple[Pick, ...]
    updates: tuple[NumericEffect, ...]
    whens: tuple[tuple[Guard, EffectBlock], ...]
    foralls: tuple[tuple[Variables, Screens, EffectBlock], ...]

    @property
    def conditional(self) -> bool:
        """Whether it has conditional or quantified parts."""
        return bool(self.whens or self.foralls)

    def happen(self, slots: Slots, world: World, into: _Happened) -> None:
        """Adds what takes effect in a state to what has been collected so far.

        Raises:
            UndefinedError: an amount or a condition reads a fluent that has no value.
        """
        for pick in self.deletes:
            into.deletes.append(GroundAtom(pick(slots)))
        for pick in self.adds:
            into.adds.append(GroundAtom(pick(slots)))
        self._happen_when(slots, world, into)
        if self.updates:
            into.updates.extend(self.changes(slots, world))
        for variables, screens, block in self.foralls:
            # Most quantified effects are conditional ones over one variable.
            happen = block._happen_when if block._only_whens else block.happen
            if len(variables) == 1:
                ((slot, objects),) = variables
                for name in objects:
                    slots[slot] = name
                    happen(slots, world, into)
                continue
            if screens:
                for bound in choices(variables, screens, slots, world):
                    if bound:
                        happen(slots, world, into)
                continue
            for names in product(*(objects for _, objects in variables)):
                for (slot, _), name in zip(variables, names, strict=True):
                    slots[slot] = name
                happen(slots, world, into)

    def _happen_when(self, slots: Slots, world: World, into: _Happened) -> None:
        for guard, block in self.whens:
            if guard.test(slots, world):
                block.happen(slots, world, into)

    @property
    def _only_whens(self) -> bool:
        return not (self.adds or self.deletes or self.updates or self.foralls)

    def changes(self, slots: Slots, world: World) -> list[Change]:
        """The numeric updates at the top of the block."""
        return [
            Change(GroundAtom(pick(slots)), operator, value(slots, world)) for pick, operator, value in self.updates
        ]

    def outcome(self, slots: Slots, world: World) -> Outcome:
        """All effects that happen in a state.

        Raises:
            UndefinedError: an amount or a condition reads a fluent that has no value.
        """
        into = _Happened([], [], [])
        self.happen(slots, world, into)
        return Outcome(tuple(into.deletes), tuple(into.adds), tuple(into.updates))


class _Happened(NamedTuple):
    deletes: list[GroundAtom]
    adds: list[GroundAtom]
    updates: list[Change]


def compile_effect(effect: Effect, places: Places, layout: Layout) -> EffectBlock:
    """Compiles an effect, whose variables have their places."""
    adds: list[Pick] = []
    deletes: list[Pick] = []
    updates: list[NumericEffect] = []
    whens: list[tuple[Guard, EffectBlock]] = []
    foralls: list[tuple[Variables, Screens, EffectBlock]] = []
    for part in conjuncts(effect):
        match part:
            case Atom(predicate, args):
                adds.append(picker((predicate, *args), places))
            case Not(Atom(predicate, args)):
                deletes.append(picker((predicate, *args), places))
            case Update(operator, fluent, value):
                picked = picker((fluent.name, *fluent.args), places)
                updates.append((picked, operator, compile_expression(value, places)))
            case When(condition, body):
                whens.append((_guard(condition, places, layout), compile_effect(body, places, layout)))
            case Forall(parameters, body):
                inner = places.within(parameters)
                variables = tuple(
                    (inner.place(item.name), tuple(sorted(layout.statics.objects(item.types)))) for item in parameters
                )
                screens = _screens(parameters, body, inner, layout)
                foralls.append((variables, screens, compile_effect(body, inner, layout)))
            case _:
                raise TypeError(f"not an executable effect: {type(part).__name__}")
    return EffectBlock(tuple(adds), tuple(deletes), tuple(updates), tuple(whens), tuple(foralls))


def _screens(parameters: Sequence[TypedName], body: Effect, places: Places, layout: Layout) -> Screens:
    """Of a conditional effect under a quantifier, the parts of the condition that need not wait for all variables.

    Six levels of eleven values each are nearly two million choices, of which hardly one makes an effect happen.
    """
    names = [parameter.name for parameter in parameters]
    parts = tuple(conjuncts(body))
    if len(parts) != 1 or not isinstance(parts[0], When) or len(set(names)) < len(names):
        return ()
    condition = negation_normal(parts[0].condition)
    if has_comparison(condition, layout.statics.partial):
        # What is read first matters there.
        return ()
    found: list[list[Screen]] = [[] for _ in names]
    for part in conjuncts(condition):
        free = free_variables(part)
        at = max((place for place, name in enumerate(names) if name in free), default=0)
        if at < len(names) - 1:
            static = predicates_in(part).isdisjoint(layout.dynamic)
            found[at].append(Screen(_compiled(part, places, layout), static))
    return tuple(map(tuple, found)) if any(found) else ()


def _compiled(part: Condition, places: Places, layout: Layout) -> Test:
    return compile_condition(part, places, layout.statics, layout.dynamic, layout.changing)


def _guard(condition: Condition, places: Places, layout: Layout) -> Guard:
    normal = negation_normal(condition)
    if has_comparison(normal, layout.statics.partial):
        test = _compiled(condition, places, layout)
        return Guard(test, rest=test)
    equalities: list[tuple[int, int, bool]] = []
    static: list[tuple[Pick, bool]] = []
    bits: dict[bool, list[Pick]] = {True: [], False: []}
    rest: list[Condition] = []
    for part in conjuncts(normal):
        positive, atom = (False, part.body) if isinstance(part, Not) else (True, part)
        if isinstance(atom, Equality):
            equalities.append((places.place(atom.left), places.place(atom.right), positive))
        elif isinstance(atom, Atom) and atom.predicate not in layout.derived:
            pick = picker((atom.predicate, *atom.args), places)
            if atom.predicate in layout.changing:
                bits[positive].append(pick)
            else:
                static.append((pick, positive))
        else:
            rest.append(part)
    left = _compiled(And(tuple(rest)), places, layout) if rest else None
    test = _compiled(condition, places, layout)
    return Guard(test, tuple(equalities), tuple(static), tuple(bits[True]), tuple(bits[False]), left)


def picker(names: Sequence[str], places: Places) -> Pick:
    """What picks these names, constants and variables, out of the slots."""
    if len(names) > 1:
        return itemgetter(*(places.place(name) for name in names))
    alone = GroundAtom(names)
    return lambda _: alone


def updated_levels(state: State, updates: Sequence[Change]) -> Levels:
    """The numeric values after these updates, one after the other.

    A fluent that has no value yet counts as 0, as in VAL: many problems leave ``(= (total-cost) 0)`` out.

    Raises:
        UndefinedError: a fluent is scaled down by zero.
    """
    values: dict[int, Number] = {}
    for change in updates:
        place = state.layout.place(change.fluent)
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
    match operator:
        case "assign":
            return amount
        case "increase":
            after: Number = before + amount
        case "decrease":
            after = before - amount
        case "scale-up":
            after = before * amount
        case _:
            if amount == 0:
                divided = Fluent(fluent[0], tuple(fluent[1:]))
                raise UndefinedError(Arithmetic("/", (divided, NumberNode(Fraction(0)))))
            after = Fraction(before) / amount
    bounded(after)
    return after.numerator if after.denominator == 1 else after
