"""Durative actions in a domain's description: how long they take, and what holds and changes when."""

from __future__ import annotations

from collections.abc import Iterator

from pddl2nl.nl.telling.actions import ToldAction, wishes
from pddl2nl.nl.telling.effects import effect_groups, update_text
from pddl2nl.nl.wording.english import closed_clause
from pddl2nl.pddl.tree import And, DurativeAction, conjuncts, required
from pddlval.temporal.lowering import Durative

_TAKES = {"=": "", "<=": "at most ", ">=": "at least ", "<": "less than ", ">": "more than "}


def condition_lines(action: ToldAction, node: DurativeAction) -> Iterator[str]:
    """Its duration, and its conditions at the start, over all of it and at the end."""
    durative, phrases, scope = Durative(node), action.phrases, action.scope
    phrase, clause = action.phrase, closed_clause(action.phrase)
    for phase, constraints in durative.durations.items():
        for constraint in constraints:
            long = f"{_TAKES[constraint.operator]}{phrases.expression(constraint.right, scope)}"
            yield f"It takes {long} to {phrase}{', as things are at the end' if phase == 'end' else ''}."
    for condition, only, when in (
        (durative.start.precondition, f"I can only start to {clause} if ", f"when I start to {clause}, "),
        (durative.over_all, f"While I {clause}, I can only go on if ", f"while I {clause}, "),
        (durative.end.precondition, f"While I {clause}, I can only end if ", f"when I {clause}, at the end "),
    ):
        yield from action.requirements(required(condition), only)
        yield from wishes(condition, phrases, scope, f"{when}I would prefer that ")


def effect_lines(action: ToldAction, node: DurativeAction) -> Iterator[str]:
    """Its effects at the start and at the end, and how numbers change in between."""
    durative, phrases, clause = Durative(node), action.phrases, closed_clause(action.phrase)
    end = f"At the end, when I {clause}, "
    said = [*action.effects(durative.start, f"As soon as I start to {clause}, "), *action.effects(durative.end, end)]
    for one in durative.spanning:
        inner = action.scope.bind(one.parameters)
        every = f"{phrases.every(one.parameters, inner)}, " if one.parameters else ""
        times = ((one.start, " at the start"), (one.over_all, " all the time"), (one.end, " just before"))
        earlier = [
            f"it was the case{when} that {phrases.condition(condition, inner)}"
            for condition, when in times
            if condition != And()
        ]
        for group in effect_groups(one.effect, phrases, inner, f"{every}if {' and '.join(earlier)}, "):
            said += group.sentences(end, phrases)
    for rate in durative.rates:
        inner = action.scope.bind(rate.parameters)
        lead = f"{phrases.every(rate.parameters, inner)}, " if rate.parameters else ""
        parts = tuple(conjuncts(rate.start))
        if parts:
            lead += f"if it was the case at the start that {phrases.condition(And(parts), inner)}, "
        said.append(f"While I {clause}, {lead}{update_text(rate.update, phrases, inner)} in every unit of time.")
    yield from said or [f"Once I {action.phrase}, nothing changes."]
