"""The net effect of a macro on numbers: how much more a fluent is worth in the end, or what it is set to."""

from __future__ import annotations

from collections.abc import Iterator

from pddl2nl.macros.expressions import normal, total
from pddl2nl.macros.facts import Facts
from pddl2nl.macros.formulas import FALSE, TRUE, conjunction, negation, replaced_terms
from pddl2nl.macros.layers import Change, Part, matched
from pddl2nl.macros.macro import CannotComposeError
from pddl2nl.macros.numbers import no_value
from pddl2nl.macros.regression import Regression
from pddl2nl.pddl import Arithmetic, Condition, Expression, Fluent, Number, Update

__all__ = ["net_updates"]


def net_updates(regression: Regression, facts: Facts) -> list[Part]:
    """What a sequence of steps does to numbers, as the effect of one action that runs where the facts hold.

    Raises:
        CannotComposeError: no effect of PDDL says it.
    """
    functions = dict.fromkeys(change.fluent.name for layer in regression.layers for change in layer.changes)
    found: list[Part] = []
    for function in functions:
        layers = [changes for layer in regression.layers if (changes := layer.changing(function))]
        if function in regression.mixed:
            found += _final_values(function, layers, regression, facts)
        else:
            found += _side_by_side([change for changes in layers for change in changes])
    return found


def _side_by_side(changes: list[Change]) -> list[Part]:
    """Updates that may stand beside each other: they add up, or are those of one step."""
    alone = all(change.operator in ("increase", "decrease") for change in changes)
    sums: dict[Fluent, Expression] = {}
    found: list[Part] = []
    for change in changes:
        if not alone or change.variables or change.condition != TRUE:
            found.append(_part(change.variables, change.condition, change.operator, change.amount, change.fluent))
        else:
            amount = change.amount if change.operator == "increase" else Arithmetic("-", (change.amount,))
            sums[change.fluent] = total(sums[change.fluent], amount) if change.fluent in sums else amount
    whole = [_part((), TRUE, *_signed(normal(amount)), fluent) for fluent, amount in sums.items()]
    return [*whole, *found]


def _signed(amount: Expression) -> tuple[str, Expression]:
    if isinstance(amount, Number) and amount.value < 0:
        return "decrease", Number(-amount.value)
    if isinstance(amount, Arithmetic) and amount.operator == "-" and len(amount.operands) == 1:
        return "decrease", amount.operands[0]
    return "increase", amount


def _part(variables: tuple[str, ...], condition: Condition, operator: str, amount: Expression, fluent: Fluent) -> Part:
    return Part(variables, condition, Update(operator, fluent, amount))


def _final_values(function: str, layers: list[list[Change]], regression: Regression, facts: Facts) -> Iterator[Part]:
    """The last value of each fluent that several steps set, scale or increase."""
    simplifier, scope = regression.simplifier, regression.scope
    seen: list[tuple[tuple[str, ...], Fluent]] = []
    for change in (change for changes in layers for change in changes):
        if any(name not in change.fluent.args for name in change.variables):
            raise CannotComposeError(f"'{function}' is changed for each of many objects", "sum over objects")
        fresh = {name: scope.fresh(scope.types(name)) for name in change.variables}
        replacement = replaced_terms(change.fluent, fresh)
        assert isinstance(replacement, Fluent)
        elsewhere = TRUE
        for variables, fluent in seen:
            # A fluent gets one value only: where two schemas are the same fluent, the first of them sets it.
            same = _same(variables, fluent, replacement, regression)
            elsewhere = simplifier.simplify(conjunction((elsewhere, negation(same))), facts)
        if elsewhere == FALSE:
            continue
        seen.append((tuple(fresh.values()), replacement))
        for case in regression.numbers.values(replacement, len(regression.layers)):
            condition = simplifier.simplify(conjunction((elsewhere, case.guard)), facts)
            value = case.value
            if condition == FALSE or not value.touched:
                continue
            if value.loose:
                raise no_value(replacement)
            if value.relative:
                operator, amount = _signed(value.amount)
            else:
                operator, amount = "assign", value.amount
            yield _part(tuple(fresh.values()), condition, operator, amount, replacement)


def _same(variables: tuple[str, ...], fluent: Fluent, other: Fluent, regression: Regression) -> Condition:
    condition, _ = matched(fluent.args, variables, other.args, regression.simplifier)
    return condition
