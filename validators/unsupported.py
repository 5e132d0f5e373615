"""What of PDDL the simulator does not execute: refused by name and place, never ignored.

Executed are STRIPS, typing, negative preconditions, equality, constants, and action costs: numeric functions that
actions only ever increase, by numbers and by functions that no action changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pddl2nl.pddl import (
    NOWHERE,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Effect,
    Equality,
    Exists,
    Expression,
    Fluent,
    Forall,
    Imply,
    Modal,
    Not,
    Number,
    Or,
    Preference,
    Source,
    Span,
    Special,
    Task,
    Timed,
    UnsupportedError,
    Update,
    When,
    conjuncts,
)

__all__ = ["fluents_in", "refuse_unsupported", "updated_functions"]

_NAMES: dict[type, str] = {
    Or: "a disjunction ('or')",
    Imply: "an implication ('imply')",
    Forall: "a universal quantifier ('forall')",
    Exists: "an existential quantifier ('exists')",
    When: "a conditional effect ('when')",
    Comparison: "a numeric condition",
    Timed: "a timed condition or effect",
    Preference: "a preference",
    Modal: "a trajectory constraint",
    And: "a negated conjunction",
}


def fluents_in(expression: Expression) -> Iterator[Fluent]:
    """The functions that a numeric expression reads."""
    if isinstance(expression, Fluent):
        yield expression
    elif isinstance(expression, Arithmetic):
        for operand in expression.operands:
            yield from fluents_in(operand)


def updated_functions(task: Task) -> frozenset[str]:
    """The names of the functions that some action changes."""
    parts = (part for action in task.domain.actions for part in conjuncts(action.effect))
    return frozenset(part.fluent.name for part in parts if isinstance(part, Update))


def refuse_unsupported(task: Task) -> None:
    """Checks that a task can be executed.

    Raises:
        UnsupportedError: it has a construct that the simulator does not execute; the message says which and where.
    """
    domain, problem = task.domain, task.problem
    _refuse_declarations(task)
    changing = updated_functions(task)
    for action in domain.actions:
        place = f"in action '{action.name}'"
        _refuse_condition(action.precondition, domain.source, f"{place}, in its precondition")
        _refuse_effect(action.effect, changing, domain.source, f"{place}, in its effect")
    _refuse_condition(problem.goal, problem.source, "in the goal")
    if problem.metric is not None:
        _refuse_metric(problem.metric.expression, problem.source)


def _refusal(what: str, span: Span, source: Source | None, path: str) -> UnsupportedError:
    if source is None:
        place = ""
    elif span == NOWHERE:
        place = f"{source.name}: "
    else:
        line, column = source.position(span.start)
        place = f"{source.name}:{line}:{column}: "
    breadcrumb = f" ({path})" if path else ""
    return UnsupportedError(f"{place}{what} cannot be executed yet{breadcrumb}")


def _refuse_declarations(task: Task) -> None:
    domain, problem = task.domain, task.problem
    groups: tuple[tuple[str, Iterable[tuple[str, Span]]], ...] = (
        ("the durative action '{}'", ((item.name, item.span) for item in domain.durative_actions)),
        ("the derived predicate '{}'", ((item.name, item.span) for item in domain.derived)),
        ("the process '{}'", ((item.name, item.span) for item in domain.processes)),
        ("the event '{}'", ((item.name, item.span) for item in domain.events)),
        ("the object fluent '{}'", ((f.name, f.span) for f in domain.functions if f.types != ("number",))),
    )
    for what, items in groups:
        for name, span in items:
            raise _refusal(what.format(name), span, domain.source, "in the domain")
    for constraints, source, where in (
        (domain.constraints, domain.source, "in the domain"),
        (problem.constraints, problem.source, "in the problem"),
    ):
        if constraints is not None:
            raise _refusal("a trajectory constraint", constraints.span, source, where)
    for timed in problem.init_timed:
        raise _refusal(f"the timed initial literal {timed.atom}", timed.span, problem.source, "in the initial state")
    for assigned in problem.init_values:
        if isinstance(assigned.value, str):
            what = f"the object fluent {assigned.fluent}"
            raise _refusal(what, assigned.span, problem.source, "in the initial state")


def _refuse_condition(condition: Condition, source: Source | None, path: str) -> None:
    for part in conjuncts(condition):
        inner = part
        while isinstance(inner, Not):
            inner = inner.body
        if not isinstance(inner, Atom | Equality):
            what = _NAMES.get(type(inner), f"{type(inner).__name__.lower()} in a condition")
            raise _refusal(what, inner.span, source, path)


def _refuse_effect(effect: Effect, changing: frozenset[str], source: Source | None, path: str) -> None:
    for part in conjuncts(effect):
        match part:
            case Atom() | Not(Atom()):
                continue
            case Update("increase", _, value):
                _refuse_value(value, changing, source, path)
            case Update(operator):
                raise _refusal(f"the numeric effect '{operator}'", part.span, source, path)
            case _:
                what = _NAMES.get(type(part), f"{type(part).__name__.lower()} in an effect")
                raise _refusal(what, part.span, source, path)


def _refuse_value(value: Expression, changing: frozenset[str], source: Source | None, path: str) -> None:
    for fluent in fluents_in(value):
        if fluent.name in changing:
            what = f"a numeric effect that reads '{fluent.name}', which actions change,"
            raise _refusal(what, fluent.span, source, path)
    special = _special_in(value)
    if special is not None:
        raise _refusal(f"'{special.name}' in a numeric effect", special.span, source, path)


def _refuse_metric(expression: Expression, source: Source | None) -> None:
    special = _special_in(expression)
    if special is not None and special.name != "total-time":
        raise _refusal(f"'{special.name}' in the metric", special.span, source, "in the metric")


def _special_in(expression: Expression) -> Special | None:
    match expression:
        case Special():
            return expression
        case Arithmetic(_, operands):
            return next((found for found in map(_special_in, operands) if found is not None), None)
        case Number() | Fluent():
            return None
