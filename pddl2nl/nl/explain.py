"""Verdicts told: what a report on a plan says, in sentences (the ``told`` of ``pddl2nl validate``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from pddl2nl.nl.compose import number_text
from pddl2nl.pddl.tree import Condition

if TYPE_CHECKING:
    from pddl2nl.nl.tell import Teller
    from validators import Cause, Report

__all__ = ["explain"]


def explain(report: Report, teller: Teller) -> tuple[str, ...]:
    """The sentences that explain a verdict: what fails at which step, and for each literal what undid it.

    A valid plan gets one sentence; a plan that cannot be read or does not fit the task gets its diagnostics.
    """
    if report.verdict == "bad-plan":
        reasons = [f"Line {item.line}: {_sentence(item.message)}" for item in report.diagnostics]
        return ("The plan does not fit the task.", *reasons)
    if report.verdict == "valid":
        # Without a metric the cost is the number of steps, which is said already.
        worth = report.cost if teller.task.problem.metric is not None else None
        cost = f" It costs {number_text(Fraction(worth))}." if worth is not None else ""
        return (f"The plan is valid: its {_steps(report.steps)} reach the goal.{cost}",)
    if report.verdict == "inapplicable":
        first = _failed(report, teller)
    else:
        because = _because(report.unmet_goals, teller)
        first = f"The plan can be executed to its end, but the goal is not reached{because}."
    return (first, *(sentence for cause in report.explanation for sentence in _cause(cause, teller)))


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _because(conditions: Iterable[Condition], teller: Teller) -> str:
    reasons = " and ".join(teller.reason(condition) for condition in conditions)
    return f" because {reasons}" if reasons else ""


def _failed(report: Report, teller: Teller) -> str:
    action = f", {teller.action(report.action)}," if report.action is not None else ""
    return f"Step {report.failed_step}{action} cannot be done{_because(report.unmet, teller)}."


def _cause(cause: Cause, teller: Teller) -> Iterator[str]:
    literal = teller.literal(cause.literal)
    if cause.deleted_by_step is not None:
        yield f"Step {cause.deleted_by_step} made it untrue that {literal}."
    if cause.lost_after_step not in (None, cause.deleted_by_step):
        yield f"It first ceased to be the case that {literal} with step {cause.lost_after_step}."
    if cause.never_held:
        yield f"At no time was it the case that {literal}."
