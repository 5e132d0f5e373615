"""A schema's precondition as queries: what can be joined, and what is tested once its variables are bound.

The precondition is a conjunction. Its positive atoms and equalities are patterns to be joined; everything else is a
test. Two kinds of tests also help to find objects. A disjunction splits the query into branches where its atoms bind
variables that nothing else does; a branch denies all disjuncts before its own, so that no two branches have a
solution in common. And what an ``exists`` or ``forall`` cannot do without is joined as a projection.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Condition,
    Equality,
    Exists,
    Fluent,
    Forall,
    GroundAtom,
    Not,
    Or,
    Special,
    Update,
    conjuncts,
    is_variable,
)
from pddlval.actions import GroundAction
from pddlval.conditions import compile_condition
from pddlval.effects import picker
from pddlval.names import fluents_in, has_comparison, updates_in
from pddlval.normal_form import free_variables, negation_normal
from pddlval.places import Slots, Test
from pddlval.schemas import Ground, Schema
from pddlval.semantics import World
from pddlval.state import Layout, State

__all__ = [
    "ANYTHING",
    "Bit",
    "Branch",
    "Formula",
    "LiftedTest",
    "Lookup",
    "Pair",
    "Pattern",
    "branches",
]

ANYTHING = ""
"""What stands in a pattern where a quantified variable does."""

_MOST_BRANCHES = 32


@dataclass(frozen=True, slots=True)
class Pair:
    """Whether the objects in two slots are the same must be ``wanted``."""

    variables: frozenset[str]
    slots: tuple[int, int]
    wanted: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    """Whether what is picked is among static atoms, or has a static value, must be ``wanted``."""

    variables: frozenset[str]
    pick: Callable[[Sequence[str]], tuple[str, ...]]
    table: Any
    wanted: bool


@dataclass(frozen=True, slots=True)
class Bit:
    """Whether an atom that actions change is true must be ``wanted``."""

    variables: frozenset[str]
    pick: Callable[[Sequence[str]], tuple[str, ...]]
    wanted: bool


@dataclass(frozen=True, slots=True)
class Formula:
    """Any other condition, compiled; where it reads an undefined fluent it fails."""

    variables: frozenset[str]
    test: Test


LiftedTest = Pair | Lookup | Bit | Formula


@dataclass(frozen=True, slots=True)
class Pattern:
    """A relation to be joined, by its predicate (``=`` for equality) and terms.

    ``test`` says the same as a test; it is None for a projection, which is necessary but does not suffice.
    """

    kind: Literal["equality", "static", "changing", "derived"]
    predicate: str
    terms: tuple[str, ...]
    test: LiftedTest | None

    @property
    def variables(self) -> frozenset[str]:
        """The schema's variables among its terms."""
        return frozenset(filter(is_variable, self.terms))


@dataclass(frozen=True, slots=True)
class Branch:
    """A conjunctive query; the solutions of a schema's branches are its applicable actions, each in one of them."""

    patterns: tuple[Pattern, ...]
    tests: tuple[LiftedTest, ...]


def branches(schema: Schema, partial: Collection[str]) -> list[Branch]:
    """The queries that a schema's precondition amounts to; none where it cannot hold.

    Args:
        schema: the schema.
        partial: the derived predicates that a numeric fluent without a value can leave undefined.
    """
    parts = list(_opened([negation_normal(schema.node.precondition)]))
    updates = _update_tests(schema, partial)
    return [_branch(schema, *split, updates) for split in _splits(parts, [], schema.layout, _MOST_BRANCHES)]


def _splits(
    parts: list[Condition], denied: list[Condition], layout: Layout, most: int
) -> list[tuple[list[Condition], list[Condition]]]:
    """The conjunctions of a disjunctive normal form, as far as that helps: what must hold, and what is denied."""
    bound = {term for part in parts for pattern in _sure(part) for term in pattern.args}
    for place, part in enumerate(parts):
        if not isinstance(part, Or) or len(part.parts) > most or not _binds(part, bound, layout):
            continue
        rest = parts[:place] + parts[place + 1 :]
        found: list[tuple[list[Condition], list[Condition]]] = []
        for number, disjunct in enumerate(part.parts):
            before: list[Condition] = [Not(earlier) for earlier in part.parts[:number]]
            inner = [*parts[:place], *_opened([disjunct]), *rest[place:]]
            found += _splits(inner, denied + before, layout, most // max(1, len(part.parts)))
        return found
    return [(parts, denied)]


def _binds(condition: Or, bound: set[str], layout: Layout) -> bool:
    """Whether every disjunct has an atom that binds a variable which nothing else does."""
    return all(
        any(
            is_variable(term) and term not in bound
            for atom in _necessary(disjunct, frozenset(), layout)
            for term in atom.args
        )
        for disjunct in condition.parts
    )


def _opened(parts: Sequence[Condition]) -> Iterator[Condition]:
    """The members of a conjunction; a disjunction of one disjunct is none."""
    todo = list(reversed(parts))
    while todo:
        part = todo.pop()
        if isinstance(part, And) or (isinstance(part, Or) and len(part.parts) == 1):
            todo.extend(reversed(part.parts))
        else:
            yield part


def _sure(part: Condition) -> Iterator[Atom]:
    if isinstance(part, Atom):
        yield part


def _necessary(condition: Condition, hidden: frozenset[str], layout: Layout) -> Iterator[Atom]:
    """The atoms without which a condition cannot hold, with `ANYTHING` for variables that are quantified in it."""
    match condition:
        case Atom(predicate, args):
            yield Atom(predicate, tuple([ANYTHING if term in hidden else term for term in args]))
        case And(parts) | Or(parts) if isinstance(condition, And) or len(parts) == 1:
            for part in parts:
                yield from _necessary(part, hidden, layout)
        case Exists(parameters, body) | Forall(parameters, body):
            # For no object at all everything holds.
            if isinstance(condition, Exists) or all(layout.statics.objects(item.types) for item in parameters):
                names = {item.name for item in parameters}
                yield from _necessary(body, hidden | names, layout)


def _branch(schema: Schema, parts: list[Condition], denied: list[Condition], updates: list[LiftedTest]) -> Branch:
    patterns: list[Pattern] = []
    tests: list[LiftedTest] = updates.copy()
    for part in parts:
        if isinstance(part, Atom | Equality):
            patterns.append(_pattern(schema, part))
            continue
        tests.append(_test(schema, part))
        if not isinstance(part, Not):
            for atom in dict.fromkeys(_necessary(part, frozenset(), schema.layout)):
                if any(map(is_variable, atom.args)):
                    patterns.append(Pattern(_kind(atom, schema.layout), atom.predicate, atom.args, None))
    tests += [_test(schema, negation_normal(part)) for part in denied]
    return Branch(tuple(dict.fromkeys(patterns)), tuple(tests))


def _pattern(schema: Schema, part: Atom | Equality) -> Pattern:
    if isinstance(part, Equality):
        return Pattern("equality", "=", (part.left, part.right), _test(schema, part))
    return Pattern(_kind(part, schema.layout), part.predicate, part.args, _test(schema, part))


def _kind(atom: Atom, layout: Layout) -> Literal["static", "changing", "derived"]:
    if atom.predicate in layout.derived:
        return "derived"
    return "changing" if atom.predicate in layout.changing else "static"


def _test(schema: Schema, part: Condition) -> LiftedTest:
    variables = free_variables(part)
    places, layout = schema.places, schema.layout
    wanted, inner = (False, part.body) if isinstance(part, Not) else (True, part)
    match inner:
        case Equality(left, right):
            return Pair(variables, (places.place(left), places.place(right)), wanted)
        case Atom(predicate, args):
            pick = picker((predicate, *args), places)
            match _kind(inner, layout):
                case "static":
                    return Lookup(variables, pick, layout.statics.atoms, wanted)
                case "changing":
                    return Bit(variables, pick, wanted)
            return Formula(variables, lambda slots, world: world.true(GroundAtom(pick(slots))) is wanted)
    return Formula(variables, compile_condition(part, places, layout.statics, layout.dynamic, layout.changing))


def _update_tests(schema: Schema, partial: Collection[str]) -> list[LiftedTest]:
    """What must hold for the numeric effects to have values that do not conflict (as `Ground.applicable` has it)."""
    effect = schema.node.effect
    updates = list(updates_in(effect))
    if not updates and not has_comparison(effect, partial):
        return []
    always = sum(isinstance(part, Update) for part in conjuncts(effect))
    alike = len(updates) < 2 or all(update.operator in ("increase", "decrease") for update in updates)
    if always < len(updates) or not alike or not all(map(_is_plain, updates)) or has_comparison(effect, partial):
        return [_ground_test(schema)]
    read = dict.fromkeys(fluent for update in updates for fluent in fluents_in(update.value))
    return [_has_value(schema, fluent) for fluent in read]


def _is_plain(update: Update) -> bool:
    """Whether an update has a value wherever the fluents that it reads have one."""
    todo = [update.value]
    while todo:
        match todo.pop():
            case Arithmetic(operator, operands):
                if operator == "/":
                    return False
                todo += operands
            case Special():
                return False
    return update.operator != "scale-down"


def _has_value(schema: Schema, fluent: Fluent) -> LiftedTest:
    variables = frozenset(filter(is_variable, fluent.args))
    pick = picker((fluent.name, *fluent.args), schema.places)
    if fluent.name not in schema.layout.functions:
        return Lookup(variables, pick, schema.layout.statics.values, True)
    return Formula(variables, lambda slots, world: world.level(GroundAtom(pick(slots))) is not None)


def _ground_test(schema: Schema) -> Formula:
    first = len(schema.constants)
    parameters = slice(first, first + len(schema.parameters))

    def test(slots: Slots, world: World) -> bool:
        assert isinstance(world, State)
        return Ground(schema, GroundAction(schema.name, tuple(slots[parameters]))).applicable(world)

    return Formula(frozenset(schema.parameters), test)
