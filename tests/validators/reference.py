"""What PDDL 2.2 without time means, by the book: slow, on plain sets and dictionaries, sharing nothing but the tree.

Conditions are those of McDermott et al. (1998), effects and numbers those of Fox and Long (2003), derived predicates
those of Edelkamp and Hoffmann (2004).
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from types import MappingProxyType
from typing import Literal

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
    Imply,
    Not,
    Number,
    Or,
    Special,
    Task,
    TypedName,
    Update,
    When,
)

Fact = tuple[str, ...]
Binding = Mapping[str, str]
Action = tuple[str, ...]
"""An action's name and its arguments."""

Reading = Literal["in order", "all", "lucky"]

_COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}

_ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}

_UPDATE = {"increase": "+", "decrease": "-", "scale-up": "*", "scale-down": "/"}


class MeaninglessError(Exception):
    """A number that has no value was asked for, or an effect gives one fluent two new values."""


@dataclass(frozen=True)
class World:
    """A state: the atoms that are given, the numbers, and (worked out when first asked for) what follows from them."""

    atoms: frozenset[Fact]
    values: Mapping[Fact, Fraction]
    follow: Callable[[World], frozenset[Fact]] = field(repr=False, compare=False)

    @cached_property
    def derived(self) -> frozenset[Fact]:
        """The true atoms of derived predicates."""
        return self.follow(self)


@dataclass
class _Changes:
    added: set[Fact] = field(default_factory=set)
    deleted: set[Fact] = field(default_factory=set)
    updates: list[tuple[Fact, str, Fraction]] = field(default_factory=list)


class Reference:
    """A task's transition system.

    Args:
        task: the task.
        reading: how far a condition is read, which matters where a number has no value: ``in order``, from left to
            right and as far as needed; ``all``, to its end; ``lucky``, in whichever order it has a truth value.
        slack: by how much a comparison may miss.
    """

    def __init__(self, task: Task, reading: Reading = "in order", slack: Fraction = Fraction(0)):
        self.task = task
        self._reading = reading
        self._slack = slack
        self._types = {declared.name: declared.types for declared in task.domain.types}
        named = (*task.domain.constants, *task.problem.objects)
        self._objects = {item.name: item.types for item in named}
        self._known: dict[tuple[str, ...], list[str]] = {}
        self._rules = {rule.name for rule in task.domain.derived}
        self._layers = list(self._stratify())
        values = {(*one.fluent,): one.value for one in task.problem.init_values if isinstance(one.value, Fraction)}
        atoms = frozenset((*atom,) for atom in task.problem.init)
        self.initial = World(atoms, values, self._derived)

    # ── objects and actions ──────────────────────────────────────────────────────────────────────

    def _above(self, name: str) -> Iterator[str]:
        yield from (name, "object")
        for parent in self._types.get(name, ()):
            if parent != "object":
                yield from self._above(parent)

    def objects(self, types: tuple[str, ...]) -> list[str]:
        """All objects of one of the types."""
        if types not in self._known:
            self._known[types] = [
                name
                for name, own in self._objects.items()
                if any(above in types for one in own for above in self._above(one))
            ]
        return self._known[types]

    def bindings(self, parameters: tuple[TypedName, ...]) -> Iterator[dict[str, str]]:
        """All ways to give the parameters objects of their types."""
        names = [parameter.name for parameter in parameters]
        for objects in itertools.product(*(self.objects(parameter.types) for parameter in parameters)):
            yield dict(zip(names, objects, strict=True))

    def actions(self) -> list[Action]:
        """All ground actions."""
        return [
            (schema.name, *binding.values())
            for schema in self.task.domain.actions
            for binding in self.bindings(schema.parameters)
        ]

    # ── conditions ───────────────────────────────────────────────────────────────────────────────

    def holds(self, condition: Condition, world: World, binding: Binding) -> bool:
        """Whether a condition holds.

        Raises:
            MeaninglessError: a number that it reads has no value.
        """
        match condition:
            case Atom(name, args):
                fact = (name, *(binding.get(term, term) for term in args))
                return fact in (world.derived if name in self._rules else world.atoms)
            case Equality(left, right):
                return binding.get(left, left) == binding.get(right, right)
            case Comparison(sign, first, second):
                difference = self.number(first, world, binding) - self.number(second, world, binding)
                return self._compares(sign, difference)
            case Not(body):
                return not self.holds(body, world, binding)
            case And(parts):
                return not self._any((partial(self.holds, part, world, binding) for part in parts), wanted=False)
            case Or(parts):
                return self._any((partial(self.holds, part, world, binding) for part in parts), wanted=True)
            case Imply(premise, conclusion):
                return self.holds(Or((Not(premise), conclusion)), world, binding)
            case Forall(parameters, body):
                instances = (partial(self.holds, body, world, {**binding, **one}) for one in self.bindings(parameters))
                return not self._any(instances, wanted=False)
            case Exists(parameters, body):
                instances = (partial(self.holds, body, world, {**binding, **one}) for one in self.bindings(parameters))
                return self._any(instances, wanted=True)
        raise TypeError(condition)

    def _compares(self, sign: str, difference: Fraction) -> bool:
        if not self._slack:
            return _COMPARE[sign](difference, Fraction(0))
        # VAL's way: of the strict comparisons too, and strictly for equality.
        if sign == "=":
            return abs(difference) < self._slack
        return _COMPARE[sign](difference, self._slack if sign in ("<", "<=") else -self._slack)

    def _any(self, tests: Iterable[Callable[[], bool]], *, wanted: bool) -> bool:
        """Whether a test has the wanted outcome; what a test without an outcome means is up to the reading."""
        found, error = False, None
        for test in tests:
            try:
                found = (test() is wanted) or found
            except MeaninglessError as meaningless:
                if self._reading == "in order":
                    raise
                error = meaningless
            if found and self._reading != "all":
                return True
        if error is not None:
            raise error
        return found

    def number(self, expression: Expression, world: World, binding: Binding, steps: int = 0) -> Fraction:
        """The value of an expression.

        Raises:
            MeaninglessError: a function has no value, or a divisor is zero.
        """
        match expression:
            case Number(value):
                return value
            case Fluent(name, args):
                fact = (name, *(binding.get(term, term) for term in args))
                if fact not in world.values:
                    raise MeaninglessError(fact)
                return world.values[fact]
            case Special("total-time"):
                return Fraction(steps)
            case Arithmetic("-", (only,)):
                return -self.number(only, world, binding, steps)
            case Arithmetic(sign, operands):
                first, *rest = [self.number(operand, world, binding, steps) for operand in operands]
                for value in rest:
                    if sign == "/" and value == 0:
                        raise MeaninglessError(expression)
                    first = _ARITHMETIC[sign](first, value)
                return first
        raise TypeError(expression)

    # ── derived predicates ───────────────────────────────────────────────────────────────────────

    def _stratify(self) -> Iterator[frozenset[str]]:
        """The derived predicates, layer by layer: one that another needs to be false comes in a layer before it."""
        rules = self.task.domain.derived
        layer = {rule.name: 0 for rule in rules}
        for _ in range(len(layer) + 1):
            for rule in rules:
                for name, positive in _reads(rule.condition, positive=True):
                    if name in layer:
                        layer[rule.name] = max(layer[rule.name], layer[name] + (not positive))
        assert max(layer.values(), default=0) <= len(layer), "not stratified"
        for number in sorted(set(layer.values())):
            yield frozenset(name for name, own in layer.items() if own == number)

    def _derived(self, world: World) -> frozenset[Fact]:
        derived: frozenset[Fact] = frozenset()
        for layer in self._layers:
            rules = [rule for rule in self.task.domain.derived if rule.name in layer]
            grown = True
            while grown:
                so_far = World(world.atoms, world.values, partial(_known, derived))
                found = {
                    (rule.name, *binding.values())
                    for rule in rules
                    for binding in self.bindings(rule.parameters)
                    if (rule.name, *binding.values()) in derived or self.holds(rule.condition, so_far, binding)
                }
                grown = not found <= derived
                derived |= found
        return derived

    # ── actions ──────────────────────────────────────────────────────────────────────────────────

    def attempt(self, world: World, action: Action) -> World | None:
        """The next state; None where the precondition does not hold.

        Raises:
            MeaninglessError: a number that is read has no value, or a fluent gets two.
        """
        schema = self.task.domain.action(action[0])
        assert schema is not None
        binding = dict(zip((parameter.name for parameter in schema.parameters), action[1:], strict=True))
        if not self.holds(schema.precondition, world, binding):
            return None
        changes = _Changes()
        self._collect(schema.effect, world, binding, changes)
        atoms = (world.atoms - changes.deleted) | changes.added
        return World(atoms, self._updated(world.values, changes), self._derived)

    def _collect(self, effect: Condition, world: World, binding: Binding, changes: _Changes) -> None:
        match effect:
            case Atom(name, args):
                changes.added.add((name, *(binding.get(term, term) for term in args)))
            case Not(Atom(name, args)):
                changes.deleted.add((name, *(binding.get(term, term) for term in args)))
            case And(parts):
                for part in parts:
                    self._collect(part, world, binding, changes)
            case Forall(parameters, body):
                for more in self.bindings(parameters):
                    self._collect(body, world, {**binding, **more}, changes)
            case When(condition, body):
                if self.holds(condition, world, binding):
                    self._collect(body, world, binding, changes)
            case Update(sign, Fluent(name, args), value):
                fact = (name, *(binding.get(term, term) for term in args))
                changes.updates.append((fact, sign, self.number(value, world, binding)))
            case _:
                raise TypeError(effect)

    def _updated(self, before: Mapping[Fact, Fraction], changes: _Changes) -> dict[Fact, Fraction]:
        signs: dict[Fact, list[str]] = {}
        for fact, sign, _ in changes.updates:
            signs.setdefault(fact, []).append(sign)
        for fact, used in signs.items():
            # Increases and decreases commute; nothing else does.
            if len(used) > 1 and not {"increase", "decrease"}.issuperset(used):
                raise MeaninglessError(fact)
        after = dict(before)
        for fact, sign, amount in changes.updates:
            if sign == "assign":
                after[fact] = amount
                continue
            if sign == "scale-down" and amount == 0:
                raise MeaninglessError(fact)
            # What has no value yet counts as 0 here, and only here: VAL has it so.
            after[fact] = _ARITHMETIC[_UPDATE[sign]](after.get(fact, Fraction(0)), amount)
        return after

    def fails(self, condition: Condition, world: World, binding: Binding = MappingProxyType({})) -> bool:
        """Whether a condition is false, or reads a number that has no value."""
        try:
            return not self.holds(condition, world, binding)
        except MeaninglessError:
            return True


def _known(derived: frozenset[Fact], _: World) -> frozenset[Fact]:
    return derived


def _reads(condition: Condition, *, positive: bool) -> Iterator[tuple[str, bool]]:
    """The predicates in a condition, each with whether it is needed to be true or to be false."""
    match condition:
        case Atom(name, _):
            yield name, positive
        case Not(body):
            yield from _reads(body, positive=not positive)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _reads(part, positive=positive)
        case Imply(premise, conclusion):
            yield from _reads(premise, positive=not positive)
            yield from _reads(conclusion, positive=positive)
        case Forall(_, body) | Exists(_, body):
            yield from _reads(body, positive=positive)
