"""Validation reports in sentences (the field ``told`` of ``pddl2nl validate --json``)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from pddl2nl.nl.telling.phrases import COMPARISONS
from pddl2nl.nl.telling.reasons import is_undefined, short_number, value_in
from pddl2nl.nl.wording.english import enumerate_words, within_sentence
from pddl2nl.pddl.tree import And, Comparison, Exists, Forall, Imply, Modal, Not, Or, Special, Timed, number_text, walk

if TYPE_CHECKING:
    from pddl2nl.nl.telling.teller import Teller
    from pddl2nl.pddl.tree import Condition
    from pddlval import Cause, Report
    from pddlval.happenings import Conflict

_PLACES = 8
"""Times are told with so many places at most."""
_SEVERAL = "to do at the same time"
"""How the reason of a conflict with other actions ends; without it an action is in its own way."""


def explain(report: Report, teller: Teller) -> tuple[str, ...]:
    """The sentences that explain a verdict: the step that fails, why, and which step deleted what it needs.

    A valid plan gets one sentence; a plan that cannot be read or does not fit the task gets its diagnostics.
    """
    if report.verdict == "bad-plan":
        reasons = [
            f"Line {item.line}: {item.message[:1].upper()}{item.message[1:].rstrip('.')}."
            for item in report.diagnostics
        ]
        return ("The plan does not fit the task.", *reasons)
    if report.verdict == "valid":
        # Without a metric the cost is the number of steps, which is said already.
        worth = report.cost if teller.task.problem.metric is not None else None
        cost = f" It costs {short_number(Fraction(worth))}." if worth is not None else ""
        reach = "1 step reaches" if report.steps == 1 else f"{report.steps} steps reach"
        return (f"The plan is valid: its {reach} the goal.{cost}", *_violations(report))
    if report.verdict == "inapplicable":
        first = _failed(report, teller) if report.time is None else _failed_in_time(report, teller)
    else:
        because = _because(_reasons(report.unmet_goals, report, teller))
        first = f"The plan can be executed to its end, but the goal is not reached{because}."
    causes = (sentence for cause in report.explanation for sentence in _cause(cause, teller))
    return (first, *causes, *_tolerances(report))


def _because(reasons: str) -> str:
    return f" because {reasons}" if reasons else ""


def _failed(report: Report, teller: Teller) -> str:
    action = f", {within_sentence(teller.action(report.action))}," if report.action is not None else ""
    start = f"Step {report.failed_step}{action} cannot be done"
    if report.conflict is not None:
        return f"{start}{_conflict(report.conflict, report.together, teller)}."
    return f"{start}{_because(teller.reasons(report.unmet, report.state))}."


_NO_LONGER = {" is not ": " is no longer ", " are not ": " are no longer ", " does not hold": " no longer holds"}
_ENDS = {"action": "be done", "start": "start", "end": "end"}


def _failed_in_time(report: Report, teller: Teller) -> str:
    assert report.time is not None
    time, because = _time(report.time), _reasons(report.unmet, report, teller)
    if report.action is None:
        return f"From time {time} on it cannot be mended that {because}."
    action = f"Step {report.failed_step}, {within_sentence(teller.action(report.action))},"
    if report.phase is None:
        return f"{action} violates a constraint: at {time} {because}."
    if report.phase == "over all":
        lost = [cause.time for cause in report.explanation if cause.time is not None]
        if lost:
            time = _time(min(lost))
            for now, before in _NO_LONGER.items():
                because = because.replace(now, before, 1)
        needed = f"step {report.failed_step}, {teller.action(report.action)}, needs it until it ends"
        return f"At {time} {because}, but {needed}."
    start = f"{action} cannot {_ENDS[report.phase]} at {time}"
    if report.conflict is not None:
        return f"{start}{_conflict(report.conflict, report.together, teller)}."
    if report.diagnostics:
        return f"{start}: {report.diagnostics[0].message.partition(': ')[2]}."
    return f"{start}{_because(because)}."


def _reasons(conditions: tuple[Condition, ...], report: Report, teller: Teller) -> str:
    """Why conditions do not hold; duration constraints and trajectory constraints are told as they are."""
    said, plain = [], []
    for one in conditions:
        if isinstance(one, Comparison) and one.left == Special("?duration"):
            said.append(_duration(one, report, teller))
        elif any(isinstance(part, Modal | Timed) for part in walk(one)):
            said.append(f"it is not the case that {teller.literal(one)}")
        else:
            plain.append(one)
    reasons = teller.reasons(plain, report.state)
    return " and ".join([*said, *([reasons] if reasons else [])])


def _duration(constraint: Comparison, report: Report, teller: Teller) -> str:
    """That a duration does not fit: ``its duration is 5, which is not equal to the length of road_1 (7)``."""
    value = value_in(report.state, constraint.right)
    limit = teller.expression(constraint.right)
    if value is not None and limit != number_text(value):
        limit += f" ({short_number(value)})"
    if report.duration is None:
        return f"it has no duration, which must be {COMPARISONS[constraint.operator]} {limit}"
    return f"its duration is {number_text(report.duration)}, which is not {COMPARISONS[constraint.operator]} {limit}"


def _violations(report: Report) -> Iterator[str]:
    for name, number in sorted((report.violations or {}).items()):
        preference = f"preference '{name}'" if name else "a preference without a name"
        yield f"It violates {preference}{'' if number == 1 else f' {number} times'}."


def _tolerances(report: Report) -> Iterator[str]:
    if (tolerances := report.valid_tolerances) is not None:
        low, high = tolerances
        below = "" if high is None else f" and below {_time(high)}"
        # Rounded up: what is told must suffice.
        least = _time(Fraction(ceil(low * 10**_PLACES), 10**_PLACES))
        yield f"The plan is valid with a tolerance of times from {least} on{below}."


def _time(value: Fraction) -> str:
    return number_text(round(value, _PLACES))


def _conflict(conflict: Conflict, together: tuple[int, ...], teller: Teller) -> str:
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
    untrue = f"made it {'true' if negative else 'untrue'} that {fact}"
    if cause.time is not None:
        which = "A timed initial literal"
        if cause.deleted_by_step is not None:
            which = f"{_PHASES.get(cause.phase or '', '')}step {cause.deleted_by_step}"
        yield f"{which[0].upper()}{which[1:]} {untrue}, at {_time(cause.time)}."
    elif cause.deleted_by_step is not None:
        yield f"Step {cause.deleted_by_step} {untrue}."
    if cause.lost_after_step not in (None, cause.deleted_by_step):
        turn = "came" if negative else "ceased"
        yield f"It first {turn} to be the case that {fact} with step {cause.lost_after_step}."
    if cause.never_held:
        yield f"{'At all times it was' if negative else 'At no time was it'} the case that {fact}."


_PHASES = {"start": "the start of ", "end": "the end of "}


def _never_defined(cause: Cause, condition: Comparison, teller: Teller) -> Iterator[str]:
    said = teller.expression(condition.left)
    if cause.deleted_by_step is not None:
        yield f"Since step {cause.deleted_by_step}, {said} has been undefined."
    if cause.never_held:
        yield f"At no time was {said} defined."
