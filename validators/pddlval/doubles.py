"""A task with its numbers as VAL reads them: in double precision.

Numbers are exact here, VAL's are not: where a sum of decimal fractions lies just between two numbers of ten digits,
the text that VAL prints depends on how it read them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from threading import Lock

from pddl2nl.pddl import (
    ActionSchema,
    And,
    Arithmetic,
    Comparison,
    Condition,
    DerivedPredicate,
    Exists,
    Expression,
    FluentValue,
    Forall,
    Imply,
    Not,
    Number,
    Or,
    Task,
    Update,
    When,
)
from pddlval.names import subformulas
from pddlval.numeric import as_float

__all__ = ["in_doubles"]

_MOST_RECENT = 8
_recent: dict[int, tuple[Task, Task]] = {}
_recent_lock = Lock()


def in_doubles(task: Task) -> Task:
    """The task with every number rounded to a double; the same object where that changes none.

    The last few answers are kept, so that many plans for one task share one.
    """
    found = _recent.get(id(task))
    if found is None or found[0] is not task:
        found = (task, _in_doubles(task))
        with _recent_lock:
            _recent[id(task)] = found
            if len(_recent) > _MOST_RECENT:
                del _recent[next(iter(_recent))]
    return found[1]


def _in_doubles(task: Task) -> Task:
    domain, problem = task.domain, task.problem
    if not domain.functions:
        return task
    actions = tuple(_action(action) for action in domain.actions)
    derived = tuple(_rule(rule) for rule in domain.derived)
    values = tuple(_value(value) for value in problem.init_values)
    goal = _condition(problem.goal)
    if (actions, derived, values, goal) == (domain.actions, domain.derived, problem.init_values, problem.goal):
        return task
    return Task(replace(domain, actions=actions, derived=derived), replace(problem, init_values=values, goal=goal))


def _action(action: ActionSchema) -> ActionSchema:
    precondition, effect = _condition(action.precondition), _condition(action.effect)
    if precondition is action.precondition and effect is action.effect:
        return action
    return replace(action, precondition=precondition, effect=effect)


def _rule(rule: DerivedPredicate) -> DerivedPredicate:
    condition = _condition(rule.condition)
    return rule if condition is rule.condition else replace(rule, condition=condition)


def _value(assigned: FluentValue) -> FluentValue:
    value = assigned.value
    if isinstance(value, str) or value.denominator == 1:
        return assigned
    return replace(assigned, value=_double(value))


def _condition(condition: Condition) -> Condition:
    """The condition or effect with its numbers rounded; the same object where there are none."""
    if not any(isinstance(part, Comparison | Update) for part in subformulas(condition)):
        return condition
    match condition:
        case Comparison(left=left, right=right):
            return replace(condition, left=_expression(left), right=_expression(right))
        case Update(value=value):
            return replace(condition, value=_expression(value))
        case And(parts) | Or(parts):
            return replace(condition, parts=tuple(_condition(part) for part in parts))
        case Not(body) | Forall(body=body) | Exists(body=body):
            return replace(condition, body=_condition(body))
        case Imply(left, right):
            return replace(condition, left=_condition(left), right=_condition(right))
        case When(before, after):
            return replace(condition, condition=_condition(before), effect=_condition(after))
    return condition


def _expression(expression: Expression) -> Expression:
    match expression:
        case Number(value):
            return replace(expression, value=_double(value))
        case Arithmetic(operands=operands):
            return replace(expression, operands=tuple(_expression(operand) for operand in operands))
    return expression


def _double(value: Fraction) -> Fraction:
    # Whole numbers are no double's business: VAL holds those that it can count with. Nor is what no double is near.
    double = as_float(value)
    return value if value.denominator == 1 or math.isinf(double) else Fraction(double)
