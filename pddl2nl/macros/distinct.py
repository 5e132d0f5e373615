"""Macro-actions whose parameters stand for different objects: shorter conditions, and applicable in fewer cases.

The weakest precondition of a sequence speaks of every way in which its parameters can coincide. Planners seldom need
these ways, as the actions themselves are still there, and pay for them: a disjunction becomes several operators, and a
conditional effect is more than some searches take.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from pddl2nl.macros.compose import compose, lift, total_functions
from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, disjunction, negation
from pddl2nl.macros.macro import CannotComposeError, Conditions, Macro, MacroStep
from pddl2nl.pddl import (
    And,
    Condition,
    Domain,
    Effect,
    Equality,
    Exists,
    Forall,
    Imply,
    Not,
    Or,
    Task,
    TypedName,
    When,
    is_variable,
)
from pddlval import GroundAction
from pddlval.names import subformulas

__all__ = ["compose_distinct", "for_distinct", "lift_distinct"]

Pair = frozenset[str]

_MOST_STEPS = 6
"""Of so many steps all ways in which parameters can coincide are worked out; they grow with each step."""


def compose_distinct(
    domain: Domain, steps: Sequence[MacroStep], *, name: str = "", total: Collection[str] = ()
) -> Macro:
    """A sequence of actions as one action whose parameters stand for different objects.

    Of few steps it asks for that only where it makes a difference, of many for each two parameters.

    Raises:
        CannotComposeError, InputError: as `pddl2nl.macros.compose.compose` does.
    """
    if len(steps) <= _MOST_STEPS:
        try:
            return for_distinct(compose(domain, steps, name=name, total=total), domain)
        except CannotComposeError:
            # It may be one of their coinciding that cannot be said.
            pass
    return compose(domain, steps, name=name, total=total, distinct=True)


def lift_distinct(task: Task, block: Sequence[GroundAction], *, name: str = "") -> Macro:
    """A sequence of ground actions with parameters for its objects, which stand for different objects.

    Raises:
        CannotComposeError, InputError: as `pddl2nl.macros.compose.lift` does.
    """
    macro = lift(task, block, name=name, distinct=True)
    if len(block) > _MOST_STEPS:
        return macro
    return compose_distinct(task.domain, macro.steps, name=macro.name, total=total_functions(task))


def for_distinct(macro: Macro, domain: Domain) -> Macro:
    """The macro with ``(not (= …))`` for each two terms whose equality its conditions speak of, and simpler for it.

    Where that precondition holds the weakest one holds too, and the successor is the same.

    Args:
        macro: with exact conditions.
        domain: whose constants count as terms beside the parameters.
    """
    terms = {item.name for item in (*macro.parameters, *domain.constants)}
    exact = macro.conditions
    pairs = tuple(dict.fromkeys(chain(_pairs(exact.precondition, terms), _pairs(exact.effect, terms))))
    if not pairs:
        return macro
    folded = _condition(exact.precondition, pairs)
    apart = [Not(_equality(pair)) for pair in pairs]
    effect = _effect(exact.effect, pairs)
    return replace(macro, conditions=Conditions(conjunction((folded, *apart)), And() if effect is None else effect))


def _equality(pair: Pair) -> Equality:
    left, right = sorted(pair, key=lambda term: (not is_variable(term), term))
    return Equality(left, right)


def _pairs(formula: Condition, terms: Collection[str]) -> Iterator[Pair]:
    for part in subformulas(formula):
        if isinstance(part, Equality) and part.left != part.right and part.left in terms and part.right in terms:
            yield frozenset((part.left, part.right))


def _without(pairs: Collection[Pair], parameters: tuple[TypedName, ...]) -> tuple[Pair, ...]:
    """The pairs without those that a quantifier hides."""
    hidden = {item.name for item in parameters}
    return tuple(pair for pair in pairs if pair.isdisjoint(hidden))


def _condition(condition: Condition, pairs: Collection[Pair]) -> Condition:
    """The condition where the terms of each pair differ."""
    match condition:
        case Equality(left, right):
            return FALSE if frozenset((left, right)) in pairs else condition
        case Not(body):
            return negation(_condition(body, pairs))
        case And(parts):
            return conjunction(_condition(part, pairs) for part in parts)
        case Or(parts):
            return disjunction(_condition(part, pairs) for part in parts)
        case Imply(left, right):
            return disjunction((negation(_condition(left, pairs)), _condition(right, pairs)))
        case Forall(parameters, body):
            inner = _condition(body, _without(pairs, parameters))
            return TRUE if inner == TRUE else replace(condition, body=inner)
        case Exists(parameters, body):
            inner = _condition(body, _without(pairs, parameters))
            return FALSE if inner == FALSE else replace(condition, body=inner)
    return condition


def _effect(effect: Effect, pairs: Collection[Pair]) -> Effect | None:
    """The effect where the terms of each pair differ; None where nothing happens."""
    match effect:
        case And(parts):
            kept = [part for part in (_effect(part, pairs) for part in parts) if part is not None]
            flat = [inner for part in kept for inner in (part.parts if isinstance(part, And) else (part,))]
            return (flat[0] if len(flat) == 1 else And(tuple(flat))) if flat else None
        case When(before, after):
            condition = _condition(before, pairs)
            inner = None if condition == FALSE else _effect(after, pairs)
            return None if inner is None else inner if condition == TRUE else When(condition, inner)
        case Forall(parameters, body):
            inner = _effect(body, _without(pairs, parameters))
            return None if inner is None else replace(effect, body=inner)
    return effect
