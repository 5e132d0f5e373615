"""Advice on how to make a condition true, as VAL's verbose text gives it.

Negation is pushed inward and quantifiers are expanded, over their objects in alphabetic order. Of what must all hold,
the members that do not are told; of what must hold in one of several ways, all are. The lines come one by one: a
quantifier over many objects makes a long text, never a large one in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
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
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
    Special,
    TypedName,
)
from pddlval.numeric import as_float
from pddlval.semantics import Reading, World, holds

__all__ = ["advice_lines", "gives_advice"]

_INDENT = "    "
_GROUPS = (And, Or, Imply, Forall, Exists)

Binding = Mapping[str, str]
Part = tuple[Condition, Binding, bool]
"""A condition, the objects of its variables, and whether it is to be made true or false."""


def gives_advice(condition: Condition, world: World, derived: frozenset[str]) -> bool:
    """Whether VAL advises on a ground precondition that does not hold.

    A derived predicate alone gets no line, nor does a quantifier alone that ranges over nothing.
    """
    while isinstance(condition, Not):
        condition = condition.body
    match condition:
        case Atom(predicate):
            return predicate not in derived
        case And(parts) | Or(parts):
            return bool(parts)
        case Forall(parameters) | Exists(parameters):
            return all(world.objects(parameter.types) for parameter in parameters)
    return True


def advice_lines(
    condition: Condition,
    world: World,
    derived: frozenset[str] = frozenset(),
    steps: int = 0,
    shown: World | None = None,
    test: Reading = holds,
) -> Iterator[str]:
    """What to change so that a ground condition holds.

    Args:
        condition: the condition.
        world: the state in which it does not hold.
        derived: the derived predicates; nobody is told how to make one true, only that it should be.
        steps: the value of ``total-time``.
        shown: where the numeric values that are told come from; the state, unless given.
        test: what says whether a part holds: `semantics.holds`, or something faster.

    Raises:
        UndefinedError: a comparison reads a fluent without a value (on the way, when lines were given already).
    """
    return _Adviser(world, derived, steps, shown or world, test).lines((condition, {}, True), "")


class _Adviser:
    """Advises in one state."""

    def __init__(self, world: World, derived: frozenset[str], steps: int, shown: World, test: Reading):
        self._world = world
        self._test = test
        self._derived = derived
        self._steps = steps
        self._shown = shown
        self._objects: dict[tuple[str, ...], list[str]] = {}

    def lines(self, part: Part, indent: str) -> Iterator[str]:
        """The lines about a part; the first has no indent, since it may go on with a line begun."""
        condition, binding, wanted = _unnegated(part)
        match condition:
            case Atom():
                yield self._atom(condition, binding, wanted)
            case Equality(left, right):
                yield self._literal(
                    f"(= {binding.get(left, left)} {binding.get(right, right)})", condition, binding, wanted
                )
            case Comparison():
                yield self._comparison(condition, binding, wanted)
            case _:
                word, parts = self._group(condition, binding, wanted)
                yield from self._group_lines(word, parts, indent)

    def _group_lines(self, word: Literal["and", "or"], parts: Iterator[Part], indent: str) -> Iterator[str]:
        """All of ``and`` parts must be followed, or one of ``or`` parts; one alone stands for the group."""
        first = next(parts, None)
        if first is None:
            yield f"(No advice for {'conjunction' if word == 'and' else 'disjunction'}!)"
            return
        second = next(parts, None)
        if second is None:
            yield from self.lines(first, indent)
            return
        deeper = indent + _INDENT
        yield f"(Follow {'each' if word == 'and' else 'one'} of:"
        yield from _begun(deeper, self.lines(first, deeper))
        part: Part | None = second
        while part is not None:
            if isinstance(_unnegated(part)[0], _GROUPS):
                yield f"{deeper}{word} "
                yield from _begun(deeper, self.lines(part, deeper))
            else:
                yield from _begun(f"{deeper}{word} ", self.lines(part, deeper))
            part = next(parts, None)
        yield f"{indent})"

    def _group(
        self, condition: Condition, binding: Binding, wanted: bool
    ) -> tuple[Literal["and", "or"], Iterator[Part]]:
        match condition:
            case And(parts) | Or(parts):
                members: Iterator[Part] = ((part, binding, wanted) for part in parts)
            case Forall(parameters, body) | Exists(parameters, body):
                members = ((body, chosen, wanted) for chosen in self._choices(parameters, binding))
            case Imply(before, after) if wanted:
                return "or", iter(((before, binding, False), (after, binding, True)))
            case Imply(before, after):
                return "and", self._negated_imply(before, after, binding)
            case _:
                raise TypeError(f"not an executable condition: {type(condition).__name__}")
        if isinstance(condition, And | Forall) is wanted:
            return "and", (part for part in members if self._test(part[0], self._world, part[1]) is not wanted)
        return "or", members

    def _negated_imply(self, before: Condition, after: Condition, binding: Binding) -> Iterator[Part]:
        if not self._test(before, self._world, binding):
            yield before, binding, True
        if self._test(after, self._world, binding):
            yield after, binding, False

    def _choices(self, parameters: tuple[TypedName, ...], binding: Binding) -> Iterator[Binding]:
        names = [parameter.name for parameter in parameters]
        for chosen in product(*(self._sorted(parameter.types) for parameter in parameters)):
            yield {**binding, **dict(zip(names, chosen, strict=True))}

    def _sorted(self, types: tuple[str, ...]) -> list[str]:
        if types not in self._objects:
            self._objects[types] = sorted(self._world.objects(types))
        return self._objects[types]

    # ── single lines ─────────────────────────────────────────────────────────────────────────────

    def _atom(self, atom: Atom, binding: Binding, wanted: bool) -> str:
        told = f"({' '.join((atom.predicate, *[binding.get(term, term) for term in atom.args]))})"
        if atom.predicate in self._derived:
            return f"(Satisfy derived predicate {told if wanted else f'(NOT {told})'}!)"
        return self._literal(told, atom, binding, wanted)

    def _literal(self, told: str, literal: Condition, binding: Binding, wanted: bool) -> str:
        if self._test(literal, self._world, binding) is wanted:
            return "(No advice for literal!)"
        return f"(Set {told} to {'true' if wanted else 'false'})"

    def _comparison(self, comparison: Comparison, binding: Binding, wanted: bool) -> str:
        if self._test(comparison, self._world, binding) is wanted:
            # VAL's own words, one of them missing.
            return "(No advice comparison!)"
        left, right = self._expression(comparison.left, binding), self._expression(comparison.right, binding)
        return f"({'Satisfy' if wanted else 'Do NOT satisfy'} {left} {comparison.operator} {right})"

    def _expression(self, expression: Expression, binding: Binding) -> str:
        """An expression in infix, every fluent with its value."""
        match expression:
            case Number(value):
                return _short(value)
            case Fluent(name, args):
                fluent = GroundAtom((name, *[binding.get(term, term) for term in args]))
                return f"{fluent}[={_short(self._shown.level(fluent) or 0)}]"
            case Arithmetic("-", (operand,)):
                return f" - {self._expression(operand, binding)}"
            case Arithmetic(operator, (operand, *rest)):
                one = self._expression(operand, binding)
                if not rest:
                    return one
                other = self._expression(Arithmetic(operator, tuple(rest)) if len(rest) > 1 else rest[0], binding)
                return f"({one} {operator} {other})"
            case Special("total-time"):
                return str(self._steps)
        return "?"


def _unnegated(part: Part) -> Part:
    condition, binding, wanted = part
    while isinstance(condition, Not):
        condition, wanted = condition.body, not wanted
    return condition, binding, wanted


def _begun(start: str, lines: Iterator[str]) -> Iterator[str]:
    """Lines of which the first goes on with what was begun."""
    yield start + next(lines)
    yield from lines


def _short(value: Fraction | int) -> str:
    """As a C++ stream of the usual precision prints it."""
    return f"{as_float(value):.6g}"
