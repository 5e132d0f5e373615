"""Validation reports in sentences (the field ``told`` of ``pddl2nl validate --json``)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.nl.telling.reasons import is_undefined, short_number
from pddl2nl.nl.wording.english import enumerate_words, within_sentence
from pddl2nl.pddl.tree import And, Comparison, Exists, Forall, Imply, Not, Or

if TYPE_CHECKING:
    from pddl2nl.nl.telling.teller import Teller
    from pddlval import Cause, Report
    from pddlval.happenings import Conflict

__all__ = ["explain"]

_SEVERAL = "to do at the same time"
"""How the reason of a conflict with other actions ends; without it an action is in its own way."""


def explain(report: Report, teller: Teller) -> tuple[str, ...]:
    """The sentences that explain a verdict: the step that fails, why, and which step deleted what it needs.

    A valid plan gets one sentence; a plan that cannot be read or does not fit the task gets its diagnostics.
    """
    if report.verdict == "bad-plan":
        reasons = [f"Line {item.line}: {_sentence(item.message)}" for item in report.diagnostics]
        return ("The plan does not fit the task.", *reasons)
    if report.verdict == "valid":
        # Without a metric the cost is the number of steps, which is said already.
        worth = report.cost if teller.task.problem.metric is not None else None
        cost = f" It costs {short_number(Fraction(worth))}." if worth is not None else ""
        reach = "1 step reaches" if report.steps == 1 else f"{report.steps} steps reach"
        return (f"The plan is valid: its {reach} the goal.{cost}",)
    if report.verdict == "inapplicable":
        first = _failed(report, teller)
    else:
        because = _because(teller.reasons(report.unmet_goals, report.state))
        first = f"The plan can be executed to its end, but the goal is not reached{because}."
    return (first, *(sentence for cause in report.explanation for sentence in _cause(cause, teller)))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _because(reasons: str) -> str:
    return f" because {reasons}" if reasons else ""


def _failed(report: Report, teller: Teller) -> str:
    action = f", {within_sentence(teller.action(report.action))}," if report.action is not None else ""
    start = f"Step {report.failed_step}{action} cannot be done"
    if report.conflict is not None:
        return f"{start}{_conflict(report.conflict, report.together, teller)}."
    return f"{start}{_because(teller.reasons(report.unmet, report.state))}."


def _conflict(conflict: Conflict, together: tuple[int, ...], teller: Teller) -> str:
    """Why actions cannot happen at the same time, or why an action's effects contradict each other."""
    number = any(function.name == conflict.atom[0] for function in teller.task.domain.functions)
    said = teller.fact(conflict.atom)
    subject = said if number or teller.style == "pddl" else f"whether {said}"
    if conflict.other is None and not conflict.reason.endswith(_SEVERAL):
        twice = f"it needs and twice changes {subject}, which it may not do at the same time as other actions"
        return f" because {teller.contradiction(conflict.atom) if number else twice}"
    others = [step for place, step in enumerate(together) if place != conflict.place]
    if conflict.other is not None:
        others = [together[conflict.other]]
    with_whom = f"step {others[0]}" if len(others) == 1 else f"steps {enumerate_words([str(step) for step in others])}"
    return (
        f" at the same time as {with_whom} because one of them changes what another one needs or changes too: {subject}"
    )


def _cause(cause: Cause, teller: Teller) -> Iterator[str]:
    if isinstance(cause.literal, Comparison) and is_undefined(cause.literal):
        yield from _never_defined(cause, cause.literal, teller)
        return
    negative = isinstance(cause.literal, Not)
    body = cause.literal.body if isinstance(cause.literal, Not) else cause.literal
    fact = teller.literal(body)
    if teller.style == "nl" and isinstance(body, And | Or | Imply | Forall | Exists):
        fact = f"({fact})"
    if cause.deleted_by_step is not None:
        yield f"Step {cause.deleted_by_step} made it {'true' if negative else 'untrue'} that {fact}."
    if cause.lost_after_step not in (None, cause.deleted_by_step):
        turn = "came" if negative else "ceased"
        yield f"It first {turn} to be the case that {fact} with step {cause.lost_after_step}."
    if cause.never_held:
        yield f"{'At all times it was' if negative else 'At no time was it'} the case that {fact}."


def _never_defined(cause: Cause, condition: Comparison, teller: Teller) -> Iterator[str]:
    """Since when a fluent has no value, or that it never had one."""
    said = teller.expression(condition.left)
    if cause.deleted_by_step is not None:
        yield f"Since step {cause.deleted_by_step}, {said} has been undefined."
    if cause.never_held:
        yield f"At no time was {said} defined."
