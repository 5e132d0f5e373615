"""Conditions and numeric expressions compiled to closures: what `semantics.holds` defines, made fast.

A compiled condition has the truth value of its definition wherever no comparison reads an undefined fluent. Outside
of quantifiers it also raises `UndefinedError` exactly where the definition does. Inside, objects are tried in
another order, so that an undefined fluent may be met where the definition stops before it, and the other way round;
but a comparison is only read for objects that satisfy everything before it in its conjunction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter
from types import MappingProxyType

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    GroundAtom,
    Not,
    Or,
    conjuncts,
    is_variable,
    substitute,
)
from pddl2nl.pddl import Number as NumberNode
from pddlval.closures import FALSE, TRUE, all_of, any_of, negated
from pddlval.joins import Joins
from pddlval.normal_form import LITERAL, free_variables, in_order, negation_normal, opposite
from pddlval.numeric import UndefinedError, calculate, exact, ground_expression
from pddlval.places import Places, Slots, Test, Value
from pddlval.semantics import World, compare, holds
from pddlval.state import Number, Statics

__all__ = [
    "Compiler",
    "Places",
    "Reader",
    "Slots",
    "Test",
    "Value",
    "compile_condition",
    "compile_expression",
    "negation_normal",
]

_MOST_READ = 10_000
"""So many compiled conditions a reader remembers at most."""


def compile_condition(
    condition: Condition,
    places: Places,
    statics: Statics,
    dynamic: Collection[str],
    listed: Collection[str] = (),
) -> Test:
    """Compiles a condition.

    Args:
        condition: any condition of PDDL 2.2.
        places: the slots of its free variables; quantified variables and constants get theirs here.
        statics: the static atoms and the objects, which what is static is worked out from.
        dynamic: the predicates that actions change or that are derived; all others are static.
        listed: the predicates that actions change, where the test will be asked of states (`memos.Remembering`): then
            objects are looked up in lists of their true atoms where there are many.

    Raises:
        TypeError: no condition of PDDL 2.2.
        KeyError: a free variable has no place.
    """
    return Compiler(places, statics, dynamic, listed).compile(condition)


def compile_expression(expression: Expression, places: Places) -> Value:
    """Compiles a numeric expression whose variables have their places.

    Raises:
        TypeError: an expression that only durative actions or metrics have.
        KeyError: a variable has no place.
    """
    match expression:
        case NumberNode(value):
            number = exact(value)
            return lambda slots, world: number
        case Fluent(name, args):
            return _fluent(places, name, args)
        case Arithmetic(operator, operands):
            values = [compile_expression(operand, places) for operand in operands]
            variables = {name: places.place(name) for name in _variables(expression)}

            def calculated(slots: Slots, world: World) -> Number:
                try:
                    return calculate(operator, [operand(slots, world) for operand in values])
                except ZeroDivisionError:
                    binding = {name: slots[slot] for name, slot in variables.items()}
                    raise UndefinedError(ground_expression(expression, binding)) from None

            return calculated
    raise TypeError(f"not an executable expression: {type(expression).__name__}")


def _fluent(places: Places, name: str, args: tuple[str, ...]) -> Value:
    if not any(is_variable(term) for term in args):
        alone = GroundAtom((name, *args))

        def known(slots: Slots, world: World) -> Number:
            found = world.level(alone)
            if found is None:
                raise UndefinedError.of(alone)
            return found

        return known
    pick = itemgetter(*(places.place(term) for term in (name, *args)))

    def value(slots: Slots, world: World) -> Number:
        fluent = GroundAtom(pick(slots))
        found = world.level(fluent)
        if found is None:
            raise UndefinedError.of(fluent)
        return found

    return value


def _variables(expression: Expression) -> frozenset[str]:
    return free_variables(Comparison("=", expression, expression))


class Reader:
    """Says whether conditions hold as `semantics.holds` does, but compiles what has parts, once for each.

    The arguments are those of `compile_condition`. Give it the same conditions again, with a binding, rather than
    ground copies of them: it knows them by identity.
    """

    def __init__(self, statics: Statics, dynamic: Collection[str], listed: Collection[str] = ()):
        self._statics, self._dynamic, self._listed = statics, dynamic, listed
        self._known: dict[int, tuple[Condition, tuple[str, ...], Places, Test]] = {}

    def holds(self, condition: Condition, world: World, binding: Mapping[str, str] = MappingProxyType({})) -> bool:
        """Whether a condition holds in a state, with these objects for its free variables.

        Raises:
            UndefinedError: a comparison reads a fluent without a value, or divides by zero.
            TypeError: no condition of PDDL 2.2.
        """
        if isinstance(condition, LITERAL):
            return holds(condition, world, binding)
        found = self._known.get(id(condition))
        if found is None:
            names = tuple(sorted(free_variables(condition)))
            places = Places(names)
            test = compile_condition(condition, places, self._statics, self._dynamic, self._listed)
            if len(self._known) >= _MOST_READ:
                self._known.clear()
            # With the condition itself, so that no other one gets its identity.
            found = self._known[id(condition)] = (condition, names, places, test)
        _, names, places, test = found
        return test(places.slots([binding[name] for name in names]), world)


class _StaticWorld:
    """Static atoms and objects alone: what is static can be worked out here once and for all."""

    tolerance = Fraction(0)

    def __init__(self, statics: Statics):
        self._statics = statics

    def true(self, atom: GroundAtom) -> bool:
        return atom in self._statics.atoms

    def level(self, fluent: GroundAtom) -> Number | None:
        return None

    def objects(self, types: tuple[str, ...]) -> tuple[str, ...]:
        return self._statics.objects(types)


class Compiler:
    """Compiles the conditions of one place: they share its slots.

    The arguments are those of `compile_condition`; ``growing`` are the derived predicates that are being worked out
    where the world is a `joins.Growing`.
    """

    def __init__(
        self,
        places: Places,
        statics: Statics,
        dynamic: Collection[str],
        listed: Collection[str] = (),
        growing: Collection[str] = (),
    ):
        # Quantified variables get names that occur nowhere else: no scope has to be minded after that.
        self.places = places.within()
        self.statics = statics
        self.dynamic = dynamic
        self.listed = listed
        self.growing = growing
        self.joins = Joins(self)

    def compile(self, condition: Condition) -> Test:
        """The condition as a test."""
        return self.test(self.prepare(condition))

    def prepare(self, condition: Condition) -> Condition:
        """The condition in negation normal form, every quantified variable with a name and slot of its own."""
        return self._renamed(negation_normal(condition))

    def _renamed(self, condition: Condition) -> Condition:
        match condition:
            case And(parts):
                return And(tuple([self._renamed(part) for part in parts]), condition.span)
            case Or(parts):
                return Or(tuple([self._renamed(part) for part in parts]), condition.span)
            case Forall(parameters, body) | Exists(parameters, body):
                fresh = tuple(replace(item, name=self.places.fresh(item.name)) for item in parameters)
                # Of two parameters of one name the body means the last, but both need an object.
                binding = {item.name: new.name for item, new in zip(parameters, fresh, strict=True)}
                return replace(condition, parameters=fresh, body=self._renamed(substitute(body, binding)))
        return condition

    def test(self, condition: Condition) -> Test:
        """The test of a prepared condition; `TRUE` or `FALSE` where it always is."""
        match condition:
            case Atom():
                return self._atom(condition, wanted=True)
            case Not(Atom() as atom):
                return self._atom(atom, wanted=False)
            case Equality(left, right):
                return self._equality(left, right, wanted=True)
            case Not(Equality(left, right)):
                return self._equality(left, right, wanted=False)
            case Comparison():
                return self._comparison(condition)
            case Not(Comparison() as comparison):
                return negated(self._comparison(comparison))
            case And():
                return all_of([self.test(part) for part in self._in_order(list(conjuncts(condition)))])
            case Or(parts):
                return any_of([self.test(part) for part in self._in_order(parts)])
            case Exists(parameters, body):
                return self._folded(condition, self.joins.exists(parameters, body))
            case Forall(parameters, body):
                test = self.joins.exists(parameters, negation_normal(opposite(body)))
                return self._folded(condition, negated(test))
        raise TypeError(f"not an executable condition: {type(condition).__name__}")

    def _in_order(self, parts: Sequence[Condition]) -> Sequence[Condition]:
        return in_order(parts, self.dynamic, self.statics.partial)

    def _atom(self, atom: Atom, *, wanted: bool) -> Test:
        names = (atom.predicate, *atom.args)
        static = atom.predicate not in self.dynamic
        if not any(map(is_variable, atom.args)):
            alone = GroundAtom(names)
            if static:
                return TRUE if (alone in self.statics.atoms) is wanted else FALSE
            if wanted:
                return lambda slots, world: world.true(alone)
            return lambda slots, world: not world.true(alone)
        if static and not self.statics.rows(atom.predicate):
            return FALSE if wanted else TRUE
        pick = itemgetter(*(self.places.place(name) for name in names))
        if static:
            atoms: frozenset[tuple[str, ...]] = self.statics.atoms
            if wanted:
                return lambda slots, world: pick(slots) in atoms
            return lambda slots, world: pick(slots) not in atoms
        if wanted:
            return lambda slots, world: world.true(GroundAtom(pick(slots)))
        return lambda slots, world: not world.true(GroundAtom(pick(slots)))

    def _equality(self, left: str, right: str, *, wanted: bool) -> Test:
        if left == right or not (is_variable(left) or is_variable(right)):
            return TRUE if (left == right) is wanted else FALSE
        one, other = self.places.place(left), self.places.place(right)
        if wanted:
            return lambda slots, world: slots[one] == slots[other]
        return lambda slots, world: slots[one] != slots[other]

    def _comparison(self, comparison: Comparison) -> Test:
        left = compile_expression(comparison.left, self.places)
        right = compile_expression(comparison.right, self.places)
        symbol = comparison.operator
        return lambda slots, world: compare(symbol, left(slots, world), right(slots, world), world.tolerance)

    def _folded(self, condition: Condition, test: Test) -> Test:
        """The test, worked out here where it depends on no variable and no state."""
        if test is TRUE or test is FALSE or free_variables(condition) or not self._is_static(condition):
            return test
        return TRUE if test(self.places.slots(), _StaticWorld(self.statics)) else FALSE

    def _is_static(self, condition: Condition) -> bool:
        match condition:
            case Atom(predicate):
                return predicate not in self.dynamic
            case Not(body) | Forall(body=body) | Exists(body=body):
                return self._is_static(body)
            case And(parts) | Or(parts):
                return all(self._is_static(part) for part in parts)
        return isinstance(condition, Equality)
