"""Puts objects in the place of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pddl2nl.pddl.tree import (
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
    Modal,
    Not,
    Or,
    Preference,
    Special,
    Timed,
    TypedName,
    Update,
    When,
)

__all__ = ["substitute"]

Binding = Mapping[str, str]


def substitute(condition: Condition, binding: Binding) -> Condition:
    """The condition, or effect, with variables replaced: ``{"?x": "a"}``.

    Variables that a quantifier binds stay, also where the binding has one of the same name. The values of the
    binding are objects: a variable among them could be caught by a quantifier.
    """
    match condition:
        case Atom(args=args):
            return replace(condition, args=_terms(args, binding)) if args else condition
        case Equality(left=one, right=other):
            return replace(condition, left=binding.get(one, one), right=binding.get(other, other))
        case Not(body=body) | Timed(body=body) | Preference(body=body):
            return replace(condition, body=substitute(body, binding))
        case And(parts=parts) | Or(parts=parts) | Modal(parts=parts):
            return replace(condition, parts=tuple(substitute(part, binding) for part in parts))
        case Imply(left=left, right=right):
            return replace(condition, left=substitute(left, binding), right=substitute(right, binding))
        case Forall(parameters=parameters, body=body) | Exists(parameters=parameters, body=body):
            return replace(condition, body=substitute(body, _without(binding, parameters)))
        case When(condition=before, effect=after):
            return replace(condition, condition=substitute(before, binding), effect=substitute(after, binding))
        case Comparison(left=first, right=second):
            return replace(condition, left=_expression(first, binding), right=_expression(second, binding))
        case Update(fluent=fluent, value=value):
            changed = replace(fluent, args=_terms(fluent.args, binding))
            return replace(condition, fluent=changed, value=_expression(value, binding))


def _terms(args: tuple[str, ...], binding: Binding) -> tuple[str, ...]:
    return tuple([binding.get(term, term) for term in args])


def _without(binding: Binding, parameters: tuple[TypedName, ...]) -> Binding:
    hidden = {item.name for item in parameters}
    return {name: value for name, value in binding.items() if name not in hidden}


def _expression(node: Expression, binding: Binding) -> Expression:
    match node:
        case Fluent(args=args):
            return replace(node, args=_terms(args, binding))
        case Arithmetic(operands=operands):
            return replace(node, operands=tuple(_expression(operand, binding) for operand in operands))
        case Special(name=name) if name in binding:
            return replace(node, name=binding[name])
        case _:
            return node
