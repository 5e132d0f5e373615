"""What of PDDL Fast Downward does not take, found before it is run: it knows no numbers but action costs.

Its translator says so of most such tasks, and crashes on some. Axioms, which LM-cut lacks, it finds by itself.
"""

from __future__ import annotations

from pddl2nl.pddl import Comparison, Condition, Domain, Fluent, Number, Problem, Update, conjuncts
from validators.names import subformulas, updates_in

__all__ = ["numbers_beyond_costs"]


def numbers_beyond_costs(domain: Domain, problem: Problem | None = None) -> str:
    """The first numeric construct that is no action cost, with its place; empty where there is none.

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
