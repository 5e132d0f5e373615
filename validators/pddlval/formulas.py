"""Conditions, effects and expressions: what they mention, their normal form, the order in which parts are read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, cast

from pddl2nl.pddl import (
    And,
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
    Not,
    Or,
    Update,
    is_variable,
)
from pddl2nl.pddl.tree import children, map_children, walk

LITERAL = (Atom, Equality, Comparison)
"""What a ``not`` stays before. That of a comparison is no other comparison where there is a tolerance."""


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
    partial: set[str] = set()
    while True:
        more = {rule.name for rule in rules if has_comparison(rule.condition, partial)}
        if more <= partial:
            return frozenset(partial)
        partial |= more


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


def opposite(condition: Condition) -> Condition:
    """The negation of a condition, with ``not`` pushed inward; what is not negated stays as it is.

    Raises:
        TypeError: no condition of PDDL 2.2, such as a preference.
    """
    match condition:
        case Atom() | Equality() | Comparison():
            return Not(condition, condition.span)
        case Not(body):
            return body
        case And(parts):
            return Or(tuple([opposite(part) for part in parts]), condition.span)
        case Or(parts):
            return And(tuple([opposite(part) for part in parts]), condition.span)
        case Imply(left, right):
            return And((left, opposite(right)), condition.span)
        case Forall(parameters, body):
            return Exists(parameters, opposite(body), condition.span)
        case Exists(parameters, body):
            return Forall(parameters, opposite(body), condition.span)
    raise TypeError(f"not an executable condition: {type(condition).__name__}")


def negation_normal(condition: Condition) -> Condition:
    """The same condition with ``not`` only before atoms, equalities and comparisons, and without ``imply``."""
    match condition:
        case Not(body):
            return condition if isinstance(body, LITERAL) else negation_normal(opposite(body))
        case Imply(left, right):
            return Or((negation_normal(opposite(left)), negation_normal(right)), condition.span)
        case And() | Or() | Forall() | Exists():
            return map_children(condition, negation_normal)
    return condition


def atoms_in(condition: Condition) -> Iterator[Atom]:
    """The atoms of a condition, in the order of the text."""
    return (part for part in subformulas(condition) if isinstance(part, Atom))


def predicates_in(condition: Condition) -> frozenset[str]:
    """The names of the predicates in a condition."""
    return frozenset(atom.predicate for atom in atoms_in(condition))


def depth_of(condition: Condition) -> int:
    """How deep a condition's parts are nested; a literal is 1 deep."""
    deepest = 0
    todo: list[tuple[Any, int]] = [(condition, 1)]
    while todo:
        part, depth = todo.pop()
        deepest = max(deepest, depth)
        if not isinstance(part, LITERAL):
            todo += [(inner, depth + 1) for inner in children(part)]
    return deepest


def free_variables(condition: Condition) -> frozenset[str]:
    """The variables of a condition that no quantifier in it binds."""
    match condition:
        case Atom(args=args):
            return frozenset(filter(is_variable, args))
        case Equality(left, right):
            return frozenset(filter(is_variable, (left, right)))
        case Forall(parameters, body) | Exists(parameters, body):
            return free_variables(body) - {parameter.name for parameter in parameters}
        case Comparison():
            fluents = [part for part in walk(condition) if isinstance(part, Fluent)]
            return frozenset(term for fluent in fluents for term in fluent.args if is_variable(term))
        case Not() | And() | Or() | Imply():
            return frozenset[str]().union(*[free_variables(cast(Condition, part)) for part in children(condition)])
    return frozenset()


def in_order(parts: Sequence[Condition], dynamic: Collection[str]) -> Sequence[Condition]:
    """The parts of a conjunction or disjunction, cheap tests first."""
    return sorted(parts, key=lambda part: _price(part, dynamic))


def _price(condition: Condition, dynamic: Collection[str]) -> int:
    if isinstance(condition, Not):
        condition = condition.body
    if isinstance(condition, Atom):
        return 1 if condition.predicate in dynamic else 0
    return 0 if isinstance(condition, Equality) else 2
