"""The parts of PDDL that the simulator does not execute: refused by name and place, never ignored.

Action by action, PDDL 2.2 without time is executed: STRIPS, typing, negative, disjunctive and quantified preconditions,
equality, conditional and universal effects, derived predicates, numeric fluents, action costs. Plans are judged for
durative actions with linear continuous effects, timed initial literals, preferences and trajectory constraints too.
Not executed at all are other continuous effects, nested constraints, processes, events and object fluents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from pddl2nl.limits import LIMITS
from pddl2nl.pddl import (
    NOWHERE,
    And,
    Arithmetic,
    Atom,
    Comparison,
    Condition,
    Domain,
    DurativeAction,
    Effect,
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
    Problem,
    Source,
    Span,
    Special,
    Task,
    Timed,
    UnsupportedError,
    Update,
    When,
)
from pddl2nl.pddl.tree import children, required, untimed, walk
from pddlval.formulas import subformulas, updates_in

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


def refuse_unsupported(task: Task, *, timed: bool = False) -> None:
    """Checks that a task can be executed.

    Args:
        task: the task.
        timed: whether plans are executed in time (`pddlval.temporal`), not action by action (`Simulator`).

    Raises:
        UnsupportedError: it has a construct that is not executed so; the message says which and where.
    """
    for refusal in refusals(task, timed=timed):
        raise refusal.error


def is_executable(task: Task) -> bool:
    """Whether `Simulator` executes a task."""
    return next(_refusals(task, timed=False), None) is None


def refusals(task: Task, *, timed: bool) -> tuple[Refusal, ...]:
    """All constructs of a task that are not executed, in time or action by action, with their places."""
    if next(_refusals(task, timed=timed), None) is None:
        return ()
    from pddl2nl.pddl.reader import with_places

    return tuple(_refusals(Task(*with_places(task.domain, task.problem)), timed=timed))


def _refusals(task: Task, *, timed: bool) -> Iterator[Refusal]:
    domain, problem = task.domain, task.problem
    if not timed:
        yield from _refused_without_time(domain, problem)
    for what, items in (
        ("process", domain.processes),
        ("event", domain.events),
        ("object fluent", [function for function in domain.functions if function.types != ("number",)]),
    ):
        for item in items:
            yield Refusal(f"the {what} '{item.name}'", item.span, domain.source, "in the domain")
    for assigned in problem.init_values:
        if isinstance(assigned.value, str):
            what = f"the object fluent {assigned.fluent}"
            yield Refusal(what, assigned.span, problem.source, "in the initial state")
    for rule in domain.derived:
        yield from _in_formula(rule.condition, domain.source, f"in the derived predicate '{rule.name}'")
    for action in domain.actions:
        precondition = required(action.precondition) if timed else action.precondition
        for formula, part in ((precondition, "precondition"), (action.effect, "effect")):
            yield from _in_formula(formula, domain.source, f"in action '{action.name}', in its {part}")
        if timed:
            yield from _in_preferences(action.precondition, domain.source, f"in action '{action.name}'")
    if timed:
        yield from _in_durative_actions(domain)
    yield from _in_formula(required(problem.goal) if timed else problem.goal, problem.source, "in the goal")
    if timed:
        yield from _in_preferences(problem.goal, problem.source, "in the goal")
        for definition, where in ((domain, "in the domain"), (problem, "in the problem")):
            if definition.constraints is not None:
                yield from _in_constraint(definition.constraints, definition.source, f"{where}, in its constraints")
    if problem.metric is not None:
        for special in _specials(problem.metric.expression):
            if special.name != "total-time" and not (timed and special.name == "is-violated"):
                yield Refusal(f"'{special.name}' in the metric", special.span, problem.source, "in the metric")
    yield from _too_many_choices(task)


def _refused_without_time(domain: Domain, problem: Problem) -> Iterator[Refusal]:
    for item in domain.durative_actions:
        yield Refusal(f"the durative action '{item.name}'", item.span, domain.source, "in the domain")
    for definition, where in ((domain, "in the domain"), (problem, "in the problem")):
        if definition.constraints is not None:
            yield Refusal("a trajectory constraint", definition.constraints.span, definition.source, where)
    for literal in problem.init_timed:
        what = f"the timed initial literal {literal.atom}"
        yield Refusal(what, literal.span, problem.source, "in the initial state")


def _in_formula(
    formula: Condition | Effect, source: Source | None, path: str, specials: Collection[str] = ()
) -> Iterator[Refusal]:
    for part in subformulas(formula):
        if type(part) in _NAMES:
            yield Refusal(_NAMES[type(part)], part.span, source, path)
        if isinstance(part, Comparison | Update):
            for special in _specials(part):
                if special.name not in specials:
                    yield Refusal(f"'{special.name}'", special.span, source, path)
                    break


def _in_preferences(
    formula: Condition, source: Source | None, path: str, specials: Collection[str] = ()
) -> Iterator[Refusal]:
    for part in subformulas(formula):
        if isinstance(part, Preference):
            yield from _in_formula(part.body, source, f"{path}, in preference '{part.name}'", specials)


def _too_many_choices(task: Task) -> Iterator[Refusal]:
    """Conditions, preferences and constraints whose quantifiers have more choices of objects than can be looked at."""
    domain, problem = task.domain, task.problem
    for rule in domain.derived:
        yield from _of_choices(rule.condition, task, domain.source, f"in the derived predicate '{rule.name}'")
    for action in domain.steps:
        condition = action.condition if isinstance(action, DurativeAction) else action.precondition
        for formula in (condition, action.effect):
            yield from _of_choices(formula, task, domain.source, f"in action '{action.name}'")
    yield from _of_choices(problem.goal, task, problem.source, "in the goal")
    for definition in (domain, problem):
        if definition.constraints is not None:
            yield from _of_choices(definition.constraints, task, definition.source, "in the constraints")


def _of_choices(formula: Condition | Effect, task: Task, source: Source | None, path: str) -> Iterator[Refusal]:
    # A join answers quantifiers of one kind together, so that only those around another kind multiply. Each entry has
    # the kind of the quantifiers around a part, their choices, those of all further out, and whether it is negated.
    todo: list[tuple[Any, type | None, int, int, bool]] = [(formula, None, 1, 1, False)]
    while todo:
        part, kind, own, outer, negated = todo.pop()
        if isinstance(part, Exists | Forall):
            count = prod(len(task.objects_of(parameter.types)) for parameter in part.parameters)
            new = Exists if isinstance(part, Exists) is not negated else Forall
            kind, own, outer = (new, own * count, outer) if kind in (new, None) else (new, count, outer * own)
        single = isinstance(part, Preference | Modal)
        number, most = (own * outer, LIMITS.instances) if single else (outer, LIMITS.choices)
        if number > most:
            what = "a preference or constraint with" if single else "a condition whose nested quantifiers have"
            what = f"{what} {number:,} choices of objects, which is more than {most:,},"
            yield Refusal(what, part.span, source, path)
            return
        denied = part.body if isinstance(part, Not) else part.left if isinstance(part, Imply) else None
        inner = [
            each for each in children(part) if type(each) is not Atom and not isinstance(each, Comparison | Update)
        ]
        todo += [(each, kind, own, outer, negated is not (each is denied)) for each in reversed(inner)]


def _in_durative_actions(domain: Domain) -> Iterator[Refusal]:
    changing = {
        part.fluent.name
        for durative in domain.durative_actions
        for part in subformulas(durative.effect)
        if isinstance(part, Update) and _is_continuous(part)
    }
    for durative in domain.durative_actions:
        path = f"in durative action '{durative.name}', in its "
        yield from _in_formula(untimed(durative.duration), domain.source, f"{path}duration", ("?duration",))
        yield from _in_formula(required(untimed(durative.condition)), domain.source, f"{path}condition", ("?duration",))
        yield from _in_preferences(untimed(durative.condition), domain.source, f"{path}condition", ("?duration",))
        yield from _in_formula(untimed(durative.effect), domain.source, f"{path}effect", ("?duration", "#t"))
        yield from _effects_in_time(durative.effect, changing, domain.source, f"{path}effect")


def _effects_in_time(effect: Effect, changing: Collection[str], source: Source | None, path: str) -> Iterator[Refusal]:
    """Continuous effects that are not linear, and effects that come before their conditions are read."""
    todo: list[Any] = [effect]
    while todo:
        part = todo.pop()
        if isinstance(part, Update) and linear_rate(part.value) is None and not _is_continuous(part):
            yield Refusal("a numeric effect at no time", part.span, source, path)
        elif not isinstance(part, Atom | Timed):
            todo += children(part)
    for part in subformulas(effect):
        if isinstance(part, Update) and _is_continuous(part):
            rate = linear_rate(part.value)
            if rate is None or part.operator not in ("increase", "decrease"):
                yield Refusal("a continuous effect that is not linear", part.span, source, path)
            elif any(isinstance(one, Fluent) and one.name in changing for one in walk(rate)):
                yield Refusal("a continuous effect whose rate changes continuously", part.span, source, path)
        if isinstance(part, When):
            late = any(isinstance(one, Timed) and one.when != "at start" for one in subformulas(part.condition))
            if late and any(_is_early(one) for one in subformulas(part.effect)):
                yield Refusal("an effect that begins before its condition is read", part.span, source, path)


def _is_early(effect: Effect) -> bool:
    return (
        _is_continuous(effect)
        if isinstance(effect, Update)
        else isinstance(effect, Timed) and effect.when == "at start"
    )


def _is_continuous(update: Update) -> bool:
    return any(special.name == "#t" for special in _specials(update))


def linear_rate(value: Expression) -> Expression | None:
    """The r of a continuous effect's value ``(* #t r)``; None if it is no such product."""
    if isinstance(value, Special) and value.name == "#t":
        return Number(Fraction(1))
    if not isinstance(value, Arithmetic) or value.operator != "*":
        return None
    rest = [operand for operand in value.operands if not (isinstance(operand, Special) and operand.name == "#t")]
    if len(rest) != len(value.operands) - 1 or any(special.name == "#t" for one in rest for special in _specials(one)):
        return None
    return rest[0] if len(rest) == 1 else replace(value, operands=tuple(rest))


def _in_constraint(constraint: Condition, source: Source | None, path: str) -> Iterator[Refusal]:
    """Constraints of PDDL 3; only one operator deep is executed."""
    match constraint:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _in_constraint(part, source, path)
        case Not(body) | Forall(body=body) | Preference(body=body):
            yield from _in_constraint(body, source, path)
        case Timed(body=body):
            yield from _in_formula(body, source, path)
        case Modal(parts=parts):
            for part in parts:
                yield from _in_formula(part, source, path)
        case _:
            yield Refusal("a condition outside 'always', 'sometime' and the like", constraint.span, source, path)


def _specials(node: Comparison | Update | Expression) -> Iterator[Special]:
    return (part for part in walk(node) if isinstance(part, Special))
