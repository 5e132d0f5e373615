"""What conditions, effects and expressions mention: names, functions, numeric effects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from pddl2nl.pddl import (
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Effect,
    Equality,
    Expression,
    Fluent,
    Update,
)
from pddl2nl.pddl.tree import children, walk

__all__ = ["fluents_in", "has_comparison", "names_in", "partial_predicates", "subformulas", "updates_in"]


def fluents_in(expression: Expression) -> Iterator[Fluent]:
    """The functions that a numeric expression reads."""
    return (part for part in walk(expression) if isinstance(part, Fluent))


def subformulas(condition: Condition) -> Iterator[Condition]:
    """A condition or effect and all that it is made of, in the order of the file."""
    # With a stack of its own: a tree that was built in memory may be deeper than Python's.
    todo: list[Any] = [condition]
    while todo:
        part = todo.pop()
        yield part
        # By exact type: some domains have a hundred thousand atoms.
        if type(part) is not Atom and not isinstance(part, Comparison | Update):
            todo.extend(reversed(children(part)))


def updates_in(effect: Effect) -> Iterator[Update]:
    """The numeric effects in an effect, conditional and quantified ones included."""
    return (part for part in subformulas(effect) if isinstance(part, Update))


def has_comparison(formula: Condition, partial: Collection[str] = ()) -> bool:
    """Whether a fluent without a value can leave the truth of a condition, or of one in an effect, undefined.

    Args:
        formula: the condition or effect.
        partial: the derived predicates that compare numbers (`partial_predicates`).
    """
    # A loop of its own, not `subformulas`: it is asked for every part of every formula.
    todo: list[Any] = [formula]
    while todo:
        part = todo.pop()
        if type(part) is Atom:
            if part.predicate in partial:
                return True
        elif isinstance(part, Comparison):
            return True
        elif not isinstance(part, Update):
            todo.extend(children(part))
    return False


def partial_predicates(rules: Iterable[DerivedPredicate]) -> frozenset[str]:
    """The derived predicates with a comparison in their rules, or in those of predicates that these mention."""
    rules = tuple(rules)
    found: set[str] = set()
    while True:
        more = {rule.name for rule in rules if has_comparison(rule.condition, found)}
        if more <= found:
            return frozenset(found)
        found |= more


def names_in(condition: Condition) -> Iterator[str]:
    """The predicates, functions and terms of a condition or effect; variables that are bound in it are among them."""
    for part in subformulas(condition):
        match part:
            case Atom(predicate, args):
                yield predicate
                yield from args
            case Equality(left, right):
                yield left
                yield right
            case Comparison(_, first, second):
                for fluent in (*fluents_in(first), *fluents_in(second)):
                    yield fluent.name
                    yield from fluent.args
            case Update(_, changed, value):
                for fluent in (changed, *fluents_in(value)):
                    yield fluent.name
                    yield from fluent.args
