"""The parts of PDDL that the simulator does not execute: refused by name and place, never ignored.

Executed is PDDL 2.2 without time: STRIPS, typing, negative, disjunctive and quantified preconditions, equality,
conditional and universal effects, derived predicates, numeric fluents, action costs. Not executed are durative
actions, timed initial literals, preferences, trajectory constraints, processes, events and object fluents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pddl2nl.lean import dataclass
from pddl2nl.pddl import (
    NOWHERE,
    Atom,
    Comparison,
    Condition,
    Effect,
    Expression,
    Modal,
    Preference,
    Source,
    Span,
    Special,
    Task,
    Timed,
    UnsupportedError,
    Update,
)
from pddl2nl.pddl.tree import walk
from pddlval.formulas import subformulas, updates_in

__all__ = ["Refusal", "refusals", "refuse_unsupported", "updated_functions"]

_NAMES: dict[type, str] = {
    Timed: "a timed condition or effect",
    Preference: "a preference",
    Modal: "a trajectory constraint",
}


def updated_functions(task: Task) -> frozenset[str]:
    """The names of the functions that some action changes."""
    return frozenset(update.fluent.name for action in task.domain.actions for update in updates_in(action.effect))


@dataclass(frozen=True)
class Refusal:
    """A construct that is read and checked, but not executed.

    Attributes:
        what: the construct, such as ``the durative action 'fly'``.
        span: where it stands in the text of `source`.
        path: the breadcrumb, such as ``in the goal``.
    """

    what: str
    span: Span
    source: Source | None
    path: str

    @property
    def message(self) -> str:
        """What is refused, without its place."""
        return f"{self.what} is read and checked, but cannot be executed"

    @property
    def error(self) -> UnsupportedError:
        """The refusal as an exception."""
        if self.source is None:
            place = ""
        elif self.span == NOWHERE:
            place = f"{self.source.name}: "
        else:
            line, column = self.source.position(self.span.start)
            place = f"{self.source.name}:{line}:{column}: "
        breadcrumb = f" ({self.path})" if self.path else ""
        return UnsupportedError(f"{place}{self.message}{breadcrumb}")


def refuse_unsupported(task: Task) -> None:
    """Checks that a task can be executed.

    Raises:
        UnsupportedError: it has a construct that the simulator does not execute; the message says which and where.
    """
    if next(_refusals(task), None) is not None:
        raise refusals(task)[0].error


def refusals(task: Task) -> tuple[Refusal, ...]:
    """All constructs of a task that the simulator does not execute, with their places."""
    if next(_refusals(task), None) is None:
        return ()
    from pddl2nl.pddl.reader import with_places

    return tuple(_refusals(Task(*with_places(task.domain, task.problem))))


def _refusals(task: Task) -> Iterator[Refusal]:
    domain, problem = task.domain, task.problem
    yield from _in_declarations(task)
    for action in domain.actions:
        place = f"in action '{action.name}'"
        yield from _in_formula(action.precondition, domain.source, f"{place}, in its precondition")
        yield from _in_formula(action.effect, domain.source, f"{place}, in its effect")
    for rule in domain.derived:
        yield from _in_formula(rule.condition, domain.source, f"in the derived predicate '{rule.name}'")
    yield from _in_formula(problem.goal, problem.source, "in the goal")
    if problem.metric is not None:
        special = _special_in(problem.metric.expression)
        if special is not None and special.name != "total-time":
            yield Refusal(f"'{special.name}' in the metric", special.span, problem.source, "in the metric")


def _in_declarations(task: Task) -> Iterator[Refusal]:
    domain, problem = task.domain, task.problem
    groups: tuple[tuple[str, Iterable[tuple[str, Span]]], ...] = (
        ("the durative action '{}'", ((item.name, item.span) for item in domain.durative_actions)),
        ("the process '{}'", ((item.name, item.span) for item in domain.processes)),
        ("the event '{}'", ((item.name, item.span) for item in domain.events)),
        ("the object fluent '{}'", ((f.name, f.span) for f in domain.functions if f.types != ("number",))),
    )
    for what, items in groups:
        for name, span in items:
            yield Refusal(what.format(name), span, domain.source, "in the domain")
    for constraints, source, where in (
        (domain.constraints, domain.source, "in the domain"),
        (problem.constraints, problem.source, "in the problem"),
    ):
        if constraints is not None:
            yield Refusal("a trajectory constraint", constraints.span, source, where)
    for timed in problem.init_timed:
        what = f"the timed initial literal {timed.atom}"
        yield Refusal(what, timed.span, problem.source, "in the initial state")
    for assigned in problem.init_values:
        if isinstance(assigned.value, str):
            what = f"the object fluent {assigned.fluent}"
            yield Refusal(what, assigned.span, problem.source, "in the initial state")


def _in_formula(formula: Condition | Effect, source: Source | None, path: str) -> Iterator[Refusal]:
    for part in subformulas(formula):
        if isinstance(part, Atom):
            continue
        what = _NAMES.get(type(part))
        if what is not None:
            yield Refusal(what, part.span, source, path)
        expressions: tuple[Expression, ...] = ()
        if isinstance(part, Comparison):
            expressions = (part.left, part.right)
        elif isinstance(part, Update):
            expressions = (part.value,)
        special = next((found for found in map(_special_in, expressions) if found is not None), None)
        if special is not None:
            yield Refusal(f"'{special.name}'", special.span, source, path)


def _special_in(expression: Expression) -> Special | None:
    return next((part for part in walk(expression) if isinstance(part, Special)), None)
