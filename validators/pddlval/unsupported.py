"""The parts of PDDL that the simulator does not execute: refused by name and place, never ignored.

Executed is PDDL 2.2 without time: STRIPS, typing, negative, disjunctive and quantified preconditions, equality,
conditional and universal effects, derived predicates, numeric fluents, action costs. Not executed are durative
actions, timed initial literals, preferences, trajectory constraints, processes, events and object fluents.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pddl2nl.pddl import (
    NOWHERE,
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


class Refusal(NamedTuple):
    """A construct that is read and checked, but not executed: what, where in the text of `source`, a breadcrumb."""

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
        place = ""
        if self.source is not None:
            position = "" if self.span == NOWHERE else "{}:{}:".format(*self.source.position(self.span.start))
            place = f"{self.source.name}:{position} "
        return UnsupportedError(f"{place}{self.message} ({self.path})")


def refuse_unsupported(task: Task) -> None:
    """Checks that a task can be executed.

    Raises:
        UnsupportedError: it has a construct that the simulator does not execute; the message says which and where.
    """
    for refusal in refusals(task):
        raise refusal.error


def refusals(task: Task) -> tuple[Refusal, ...]:
    """All constructs of a task that the simulator does not execute, with their places."""
    if next(_refusals(task), None) is None:
        return ()
    from pddl2nl.pddl.reader import with_places

    return tuple(_refusals(Task(*with_places(task.domain, task.problem))))


def _refusals(task: Task) -> Iterator[Refusal]:
    domain, problem = task.domain, task.problem
    for what, items in (
        ("durative action", domain.durative_actions),
        ("process", domain.processes),
        ("event", domain.events),
        ("object fluent", [function for function in domain.functions if function.types != ("number",)]),
    ):
        for item in items:
            yield Refusal(f"the {what} '{item.name}'", item.span, domain.source, "in the domain")
    for definition, where in ((domain, "in the domain"), (problem, "in the problem")):
        if definition.constraints is not None:
            yield Refusal("a trajectory constraint", definition.constraints.span, definition.source, where)
    start = "in the initial state"
    for timed in problem.init_timed:
        yield Refusal(f"the timed initial literal {timed.atom}", timed.span, problem.source, start)
    for assigned in problem.init_values:
        if isinstance(assigned.value, str):
            yield Refusal(f"the object fluent {assigned.fluent}", assigned.span, problem.source, start)
    for action in domain.actions:
        for formula, part in ((action.precondition, "precondition"), (action.effect, "effect")):
            yield from _in_formula(formula, domain.source, f"in action '{action.name}', in its {part}")
    for rule in domain.derived:
        yield from _in_formula(rule.condition, domain.source, f"in the derived predicate '{rule.name}'")
    yield from _in_formula(problem.goal, problem.source, "in the goal")
    if problem.metric is not None:
        for special in _specials(problem.metric.expression):
            if special.name != "total-time":
                yield Refusal(f"'{special.name}' in the metric", special.span, problem.source, "in the metric")


def _in_formula(formula: Condition | Effect, source: Source | None, path: str) -> Iterator[Refusal]:
    for part in subformulas(formula):
        if type(part) in _NAMES:
            yield Refusal(_NAMES[type(part)], part.span, source, path)
        if isinstance(part, Comparison | Update):
            for special in _specials(part):
                yield Refusal(f"'{special.name}'", special.span, source, path)
                break


def _specials(node: Comparison | Update | Expression) -> Iterator[Special]:
    return (part for part in walk(node) if isinstance(part, Special))
