"""Formulas as a person would write them: names for bound variables, quantifiers together, effects grouped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pddl2nl.macros.formulas import TRUE, replaced, replaced_terms, within
from pddl2nl.macros.layers import Part
from pddl2nl.macros.scope import Scope
from pddl2nl.pddl import (
    And,
    Atom,
    Condition,
    Effect,
    Equality,
    Exists,
    Fluent,
    Forall,
    Not,
    Or,
    TypedName,
    Update,
    When,
)

__all__ = ["readable_condition", "readable_effect"]


def readable_condition(condition: Condition, scope: Scope, taken: Iterable[str]) -> Condition:
    """A condition with variables named as in the domain, other than those that are taken."""
    return _Names(scope).condition(condition, frozenset(taken))


def readable_effect(parts: Sequence[Part], scope: Scope, taken: Iterable[str]) -> Effect:
    """An effect: literals first, then what is conditional, then what is quantified; equal conditions share one."""
    names = _Names(scope)
    taken = frozenset(taken)
    groups: dict[tuple[tuple[str, ...], ...], list[Part]] = {}
    for part in parts:
        groups.setdefault(tuple(scope.types(name) for name in part.variables), []).append(part)
    found: list[Effect] = []
    for types in sorted(groups, key=len):
        own = names.fresh(types, taken)
        body = [
            (
                names.condition(replaced(part.condition, dict(zip(part.variables, own, strict=True))), taken | {*own}),
                _renamed_change(part.change, dict(zip(part.variables, own, strict=True))),
            )
            for part in groups[types]
        ]
        effects = _grouped(body)
        if own:
            parameters = tuple(TypedName(name, kinds) for name, kinds in zip(own, types, strict=True))
            found.append(Forall(parameters, _alone(effects)))
        else:
            found += effects
    return And(tuple(found))


def _renamed_change(change: Condition, binding: Mapping[str, str]) -> Condition:
    if isinstance(change, Update):
        fluent = replaced_terms(change.fluent, binding)
        assert isinstance(fluent, Fluent)
        return Update(change.operator, fluent, replaced_terms(change.value, binding))
    return replaced(change, binding)


def _grouped(body: Iterable[tuple[Condition, Condition]]) -> list[Effect]:
    groups: dict[Condition, list[Effect]] = {TRUE: []}
    for condition, change in body:
        groups.setdefault(condition, []).append(change)
    whens = [When(condition, _alone(changes)) for condition, changes in groups.items() if condition != TRUE]
    return [*groups[TRUE], *whens]


def _alone(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


class _Names:
    """Gives bound variables names that a reader knows."""

    def __init__(self, scope: Scope):
        self._scope = scope

    def fresh(self, types: Sequence[tuple[str, ...]], taken: frozenset[str]) -> list[str]:
        found: list[str] = []
        for own in types:
            hint = self._scope.hint(own)
            name, number = hint, 2
            while name in taken or name in found:
                name, number = f"{hint}{number}", number + 1
            found.append(name)
        return found

    def condition(self, condition: Condition, taken: frozenset[str]) -> Condition:
        match condition:
            case Not(body):
                return Not(self.condition(body, taken))
            case And(parts):
                ordered = sorted(parts, key=_rank)
                return And(tuple(self.condition(part, taken) for part in ordered))
            case Or(parts):
                return Or(tuple(self.condition(part, taken) for part in parts))
            case Forall() | Exists():
                return self._quantified(condition, taken)
        return condition

    def _quantified(self, condition: Forall | Exists, taken: frozenset[str]) -> Condition:
        types = condition.parameters[0].types
        (name,) = self.fresh((types,), taken)
        body = self.condition(within(condition, name), taken | {name})
        parameter = TypedName(name, types)
        if type(body) is type(condition):
            return type(condition)((parameter, *body.parameters), body.body)
        return type(condition)((parameter,), body)


def _rank(part: Condition) -> int:
    """Atoms, negated ones, equalities; the rest stays in its order, which matters where a number has no value."""
    inner = part.body if isinstance(part, Not) else part
    if isinstance(inner, Atom):
        return 1 if isinstance(part, Not) else 0
    return 2 if isinstance(inner, Equality) else 3
