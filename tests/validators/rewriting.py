"""Tasks rewritten into others that must behave the same: other names, another order, other words for a condition."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

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
    FluentValue,
    Forall,
    GroundAtom,
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

Names = Mapping[str, str]
T = TypeVar("T")


# ── other names ──────────────────────────────────────────────────────────────────────────────────


def renamed(task: Task, names: Names) -> Task:
    """The task with other names for its objects."""

    def conditions(condition: Condition) -> Condition:
        return _with_terms(condition, names)

    def objects(items: tuple[TypedName, ...]) -> tuple[TypedName, ...]:
        return tuple(replace(item, name=names[item.name]) for item in items)

    changed = _with_conditions(task, conditions, conditions)
    problem = task.problem
    return Task(
        replace(changed.domain, constants=objects(task.domain.constants)),
        replace(
            changed.problem,
            objects=objects(problem.objects),
            init=tuple(renamed_atom(atom, names) for atom in problem.init),
            init_values=tuple(FluentValue(renamed_atom(one.fluent, names), one.value) for one in problem.init_values),
            metric=problem.metric and replace(problem.metric, expression=_terms(problem.metric.expression, names)),
        ),
    )


def renamed_atom(atom: GroundAtom, names: Names) -> GroundAtom:
    """The atom with other names for its objects."""
    return GroundAtom((atom[0], *(names[name] for name in atom[1:])))


def _with_terms(node: Condition, names: Names) -> Condition:
    """The condition or effect with other terms; nothing is put in for what a quantifier inside of it binds."""

    def term(name: str) -> str:
        return names.get(name, name)

    match node:
        case Atom(predicate, args):
            return Atom(predicate, tuple(map(term, args)))
        case Equality(left, right):
            return Equality(term(left), term(right))
        case Comparison(sign, one, other):
            return Comparison(sign, _terms(one, names), _terms(other, names))
        case Update(sign, fluent, value):
            changed = _terms(fluent, names)
            assert isinstance(changed, Fluent)
            return Update(sign, changed, _terms(value, names))
        case Forall(parameters, body) | Exists(parameters, body):
            hidden = {parameter.name for parameter in parameters}
            free = {name: new for name, new in names.items() if name not in hidden}
            return type(node)(parameters, _with_terms(body, free))
    return _with_parts(node, lambda part: _with_terms(part, names))


def _terms(expression: Expression, names: Names) -> Expression:
    match expression:
        case Fluent(name, args):
            return Fluent(name, tuple(names.get(term, term) for term in args))
        case Arithmetic(sign, operands):
            return Arithmetic(sign, tuple(_terms(operand, names) for operand in operands))
        case Number() | Special():
            return expression
    raise TypeError(expression)


# ── another order ────────────────────────────────────────────────────────────────────────────────


def shuffled(task: Task, rng: random.Random) -> Task:
    """The task with everything that has no order in another one, and every init atom twice."""

    def mixed(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(rng.sample(items, len(items)))

    domain, problem = task.domain, task.problem
    return Task(
        replace(
            domain,
            types=mixed(domain.types),
            constants=mixed(domain.constants),
            predicates=mixed(domain.predicates),
            functions=mixed(domain.functions),
            actions=mixed(domain.actions),
            derived=mixed(domain.derived),
        ),
        replace(
            problem,
            objects=mixed(problem.objects),
            init=mixed(problem.init * 2),
            init_values=mixed(problem.init_values),
        ),
    )


# ── other words ──────────────────────────────────────────────────────────────────────────────────


def expanded(task: Task) -> Task:
    """The task without quantifiers and implications: conjunctions and disjunctions over all objects instead."""
    return _with_conditions(task, lambda node: _expanded(node, task), lambda node: _expanded(node, task))


def _expanded(node: Condition, task: Task) -> Condition:
    match node:
        case Forall(parameters, body) | Exists(parameters, body):
            names = [parameter.name for parameter in parameters]
            choices = itertools.product(*(task.objects_of(parameter.types) for parameter in parameters))
            parts = tuple(
                _expanded(_with_terms(body, dict(zip(names, objects, strict=True))), task) for objects in choices
            )
            return And(parts) if isinstance(node, Forall) else Or(parts)
        case Imply(premise, conclusion):
            return Or((Not(_expanded(premise, task)), _expanded(conclusion, task)))
    return _with_parts(node, lambda part: _expanded(part, task))


def dual(task: Task) -> Task:
    """The task with every condition said by its dual: ``and`` as a negated ``or``, say."""
    return _with_conditions(task, _dual, _dual_inside)


def _dual(node: Condition) -> Condition:
    match node:
        case Not(body):
            return Not(_dual(body))
        case And(parts):
            return Not(Or(tuple(Not(_dual(part)) for part in parts)))
        case Or(parts):
            return Not(And(tuple(Not(_dual(part)) for part in parts)))
        case Imply(premise, conclusion):
            return Not(And((_dual(premise), Not(_dual(conclusion)))))
        case Forall(parameters, body):
            return Not(Exists(parameters, Not(_dual(body))))
        case Exists(parameters, body):
            return Not(Forall(parameters, Not(_dual(body))))
    return node


def _dual_inside(effect: Condition) -> Condition:
    match effect:
        case When(condition, body):
            return When(_dual(condition), _dual_inside(body))
    return _with_parts(effect, _dual_inside)


# ── walking the tree ─────────────────────────────────────────────────────────────────────────────


def _with_parts(node: Condition, change: Callable[[Condition], Condition]) -> Condition:
    """The node with its parts changed."""
    match node:
        case Not(body):
            return Not(change(body))
        case And(parts) | Or(parts):
            return type(node)(tuple(map(change, parts)))
        case Imply(one, other) | When(one, other):
            return type(node)(change(one), change(other))
        case Forall(parameters, body) | Exists(parameters, body):
            return type(node)(parameters, change(body))
    return node


def _with_conditions(
    task: Task, conditions: Callable[[Condition], Condition], effects: Callable[[Condition], Condition]
) -> Task:
    """The task with all of its conditions and effects changed."""
    actions = (
        replace(schema, precondition=conditions(schema.precondition), effect=effects(schema.effect))
        for schema in task.domain.actions
    )
    derived = (replace(rule, condition=conditions(rule.condition)) for rule in task.domain.derived)
    return Task(
        replace(task.domain, actions=tuple(actions), derived=tuple(derived)),
        replace(task.problem, goal=conditions(task.problem.goal)),
    )
