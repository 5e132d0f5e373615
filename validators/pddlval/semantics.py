"""The meaning of conditions, on one screen: the definition that the compiled queries must match.

All are read in one state (Fox and Long 2003; Edelkamp and Hoffmann 2004). `queries` compiles the same for speed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Protocol

from pddl2nl.pddl import (
    And,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Fluent,
    Forall,
    GroundAtom,
    Imply,
    Not,
    Or,
    TypedName,
    substitute,
)
from pddlval.formulas import LITERAL, opposite
from pddlval.numeric import UndefinedError, as_float, evaluate
from pddlval.state import Number

Binding = Mapping[str, str]
"""Objects by the names of variables."""

Reading = Callable[[Condition, "World", Binding], bool]
"""Whether a condition holds under a binding; raises `UndefinedError`."""

_NOTHING: Binding = MappingProxyType({})
_MOST_INSTANCES = 100_000
"""So many instances of ``forall`` are looked at to find the failing ones; their number can be astronomical."""
_EXACT: Mapping[str, Callable[[Number, Number], bool]] = MappingProxyType(
    {"<": operator.lt, "<=": operator.le, "=": operator.eq, ">=": operator.ge, ">": operator.gt}
)


class World(Protocol):
    """What a condition is read in: a state."""

    @property
    def tolerance(self) -> Fraction:
        """By how much the sides of a comparison may miss: 0, or VAL's 0.0001."""

    def true(self, atom: GroundAtom, /) -> bool:
        """Whether a ground atom is true, derived ones included."""

    def level(self, fluent: GroundAtom, /) -> Number | None:
        """The value of a numeric fluent, None where it has none."""

    def objects(self, types: tuple[str, ...], /) -> tuple[str, ...]:
        """The objects of one of the types."""


def ground_atom(atom: Atom, binding: Binding = _NOTHING) -> GroundAtom:
    """The ground atom that an atom stands for under a binding of its variables."""
    return GroundAtom((atom.predicate, *[binding.get(term, term) for term in atom.args]))


def ground_fluent(fluent: Fluent, binding: Binding = _NOTHING) -> GroundAtom:
    """The ground fluent that a fluent stands for under a binding of its variables."""
    return GroundAtom((fluent.name, *[binding.get(term, term) for term in fluent.args]))


def holds(condition: Condition, world: World, binding: Binding = _NOTHING) -> bool:
    """Whether a condition holds; read from left to right, and only as far as needed.

    Args:
        condition: the condition.
        world: the state.
        binding: objects for the condition's free variables.

    Raises:
        UndefinedError: a comparison that is reached reads a fluent without a value, or divides by zero.
        TypeError: no condition of PDDL 2.2, such as a preference.
    """
    match condition:
        case Atom():
            return world.true(ground_atom(condition, binding))
        case Equality(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Comparison(symbol, one, other):
            values = evaluate(one, world.level, binding), evaluate(other, world.level, binding)
            return compare(symbol, *values, world.tolerance)
        case Not(body):
            return not holds(body, world, binding)
        case And(parts):
            return all(holds(part, world, binding) for part in parts)
        case Or(parts):
            return any(holds(part, world, binding) for part in parts)
        case Imply(before, after):
            return not holds(before, world, binding) or holds(after, world, binding)
        case Forall(parameters, body):
            return all(holds(body, world, chosen) for chosen in choices(parameters, world, binding))
        case Exists(parameters, body):
            return any(holds(body, world, chosen) for chosen in choices(parameters, world, binding))
    raise TypeError(f"not an executable condition: {type(condition).__name__}")


def choices(
    parameters: Sequence[TypedName], world: World, binding: Binding, *, alphabetic: bool = False
) -> Iterator[Binding]:
    """The binding extended by every choice of objects for the parameters, in the order of declaration or of names."""
    names = [parameter.name for parameter in parameters]
    objects = [world.objects(parameter.types) for parameter in parameters]
    for chosen in product(*(map(sorted, objects) if alphabetic else objects)):
        yield {**binding, **dict(zip(names, chosen, strict=True))}


def compare(symbol: str, left: Number, right: Number, tolerance: Fraction = Fraction(0)) -> bool:
    """Whether one number is ``<``, ``<=``, ``=``, ``>=`` or ``>`` another.

    Exact where the tolerance is 0. Otherwise as VAL has it (``Comparison::evaluateAtPointError``): the difference,
    in double precision, may miss by the tolerance, also where the comparison is strict.
    """
    if not tolerance:
        return _EXACT[symbol](left, right)
    difference, slack = as_float(left) - as_float(right), float(tolerance)
    if symbol == "=":
        return -slack < difference < slack
    return _EXACT[symbol](difference, slack if symbol in ("<", "<=") else -slack)  # type: ignore[arg-type]


def unmet(
    condition: Condition, world: World, binding: Binding = _NOTHING, test: Reading = holds
) -> tuple[Condition, ...]:
    """The smallest failing parts of a condition, ground and in order; empty where it holds.

    A ``not`` is pushed inward; then of a conjunction the failing members count, and of a ``forall`` the failing
    instances. What more than one change could mend (``or``, ``imply``, ``exists``, a comparison) stays whole, and so
    does a ``forall`` with too many instances to look at. For a fluent ``(f a)`` without a value stands
    ``(= (f a) (f a))``.

    Args:
        condition: the condition.
        world: the state.
        binding: objects for the condition's free variables.
        test: what says whether a part holds: `holds`, or something faster (`StateLayout.holds`).
    """
    left = _MOST_INSTANCES

    def failing(condition: Condition, binding: Binding) -> Iterator[Condition]:
        nonlocal left
        match condition:
            case Not(body) if not isinstance(body, LITERAL):
                yield from failing(opposite(body), binding)
                return
            case And(parts):
                for part in parts:
                    yield from failing(part, binding)
                return
        try:
            if test(condition, world, binding):
                return
            missing = substitute(condition, binding)
        except UndefinedError as error:
            missing = error.condition
        if isinstance(condition, Forall):
            instances = math.prod(len(world.objects(parameter.types)) for parameter in condition.parameters)
            if instances <= left:
                left -= instances
                for chosen in choices(condition.parameters, world, binding):
                    yield from failing(condition.body, chosen)
                return
        yield missing

    return tuple(dict.fromkeys(failing(condition, binding)))
