"""Features that Fast Downward does not support, found before it is run.

Fast Downward supports no time, and no numbers except action costs: its translator reports most such tasks and crashes
on some. It also crashes on a conditional effect with several effects if one of them is universal. LM-cut reports axioms
itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from pddl2nl.pddl import (
    And,
    Comparison,
    Condition,
    Domain,
    Fluent,
    Forall,
    Number,
    Problem,
    Task,
    Update,
    When,
    conjuncts,
)
from pddlval.formulas import subformulas, updates_in
from pddlval.unsupported import refusals


def beyond_fast_downward(domain: Domain, problem: Problem | None = None) -> str:
    """What Fast Downward does not support in a task, as the rest of a sentence; empty if nothing is known."""
    numbers = numbers_beyond_costs(domain, problem)
    if numbers:
        return f"takes no numbers but action costs, and there is {numbers}"
    timed = refusals(Task(domain, problem or Problem("", "")), timed=False)
    if timed:
        return f"takes no time, preferences or trajectory constraints, and there is {timed[0].what}"
    for action in domain.actions:
        for part in _effects(action.effect):
            inside = list(_effects(part.effect)) if isinstance(part, When) else []
            if any(isinstance(item, Forall) for item in inside) and any(isinstance(item, And) for item in inside):
                found = f"takes no 'forall' among the effects of one 'when', and there is one in '{action.name}'"
                return f"{found} (a 'when' of its own for each of them says the same)"
    return ""


def _effects(effect: Condition) -> Iterator[Condition]:
    yield effect
    if isinstance(effect, And):
        for part in effect.parts:
            yield from _effects(part)
    elif isinstance(effect, Forall):
        yield from _effects(effect.body)
    elif isinstance(effect, When):
        yield from _effects(effect.effect)


def numbers_beyond_costs(domain: Domain, problem: Problem | None = None) -> str:
    """The first numeric construct that is not an action cost, with its place; empty without one.

    An action cost is ``(increase (total-cost) c)`` at the top of an effect, where c is a number or a function.
    """
    places: list[tuple[str, Condition]] = []
    for action in domain.actions:
        places.append((f"in the precondition of '{action.name}'", action.precondition))
        places.append((f"in the effect of '{action.name}'", action.effect))
    places += [(f"in the derived predicate '{rule.name}'", rule.condition) for rule in domain.derived]
    if problem is not None:
        places.append(("in the goal", problem.goal))
    for place, formula in places:
        if any(isinstance(part, Comparison) for part in subformulas(formula)):
            return f"a comparison of numbers {place}"
        costs = [part for part in conjuncts(formula) if isinstance(part, Update) and _is_cost(part)]
        if len(costs) < sum(1 for _ in updates_in(formula)):
            return f"a numeric effect that is no plain action cost {place}"
    return ""


def _is_cost(update: Update) -> bool:
    plain = isinstance(update.value, Number | Fluent)
    return update.operator == "increase" and update.fluent.name == "total-cost" and plain
