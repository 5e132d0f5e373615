"""The formulas of a domain and of a problem, for walks over all of them."""

from __future__ import annotations

from collections.abc import Iterator

from pddl2nl.pddl.tree import Condition, DerivedPredicate, Domain, DurativeAction, Problem, StepSchema


def schemas(domain: Domain) -> tuple[StepSchema, ...]:
    """The actions, durative actions, processes and events of a domain."""
    return (*domain.actions, *domain.durative_actions, *domain.processes, *domain.events)


def formulas_of(item: StepSchema | DerivedPredicate) -> tuple[Condition, ...]:
    """The conditions and effects of a schema or an axiom, in the order of the text."""
    match item:
        case DerivedPredicate(condition=condition):
            return (condition,)
        case DurativeAction(duration=duration, condition=condition, effect=effect):
            return duration, condition, effect
        case _:
            return item.precondition, item.effect


def in_domain(domain: Domain) -> Iterator[Condition]:
    """All formulas of a domain: its constraints, then those of its schemas and axioms."""
    if domain.constraints is not None:
        yield domain.constraints
    items: tuple[StepSchema | DerivedPredicate, ...] = (
        *domain.actions,
        *domain.durative_actions,
        *domain.derived,
        *domain.processes,
        *domain.events,
    )
    for item in items:
        yield from formulas_of(item)


def in_problem(problem: Problem) -> Iterator[Condition]:
    """The goal and the constraints of a problem; its metric is not among them."""
    yield problem.goal
    if problem.constraints is not None:
        yield problem.constraints
