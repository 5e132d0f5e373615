"""What conditions, effects and expressions mention: names, functions, numeric effects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pddl2nl.pddl import (
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    DerivedPredicate,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Modal,
    Not,
    Or,
    Preference,
    Timed,
    Update,
    When,
)

__all__ = ["fluents_in", "has_comparison", "names_in", "partial_predicates", "subformulas", "updates_in"]


def fluents_in(expression: Expression) -> Iterator[Fluent]:
    """The functions that a numeric expression reads."""
    if isinstance(expression, Fluent):
        yield expression
    elif isinstance(expression, Arithmetic):
        for operand in expression.operands:
            yield from fluents_in(operand)


def subformulas(condition: Condition) -> Iterator[Condition]:
    """A condition or effect and all that it is made of, in the order of the file."""
    todo: list[Condition] = [condition]
    while todo:
        part = todo.pop()
        yield part
        # By exact type, most frequent first: some domains have a hundred thousand of these.
        kind = type(part)
        if kind is Atom:
            continue
        if isinstance(part, And | Or | Modal):
            todo.extend(reversed(part.parts))
        elif isinstance(part, Not | Forall | Exists | Timed | Preference):
            todo.append(part.body)
        elif isinstance(part, Imply):
            todo += (part.right, part.left)
        elif isinstance(part, When):
            todo += (part.effect, part.condition)


def updates_in(effect: Effect) -> Iterator[Update]:
    """The numeric effects in an effect, conditional and quantified ones included."""
    return (part for part in subformulas(effect) if isinstance(part, Update))


def has_comparison(formula: Condition, partial: Collection[str] = ()) -> bool:
    """Whether a fluent without a value can leave the truth of a condition, or of one in an effect, undefined.

    Args:
        formula: the condition or effect.
        partial: the derived predicates that compare numbers (`partial_predicates`).
    """
    return any(
        isinstance(part, Comparison) or (isinstance(part, Atom) and part.predicate in partial)
        for part in subformulas(formula)
    )


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
