"""Why a step of a stored run failed, and what of the goal is missing at its end: which step undid what, if any did.

The causes are the validator's (`pddlval.validate`), found anew from the PDDL texts in the record, so that an
explanation does not rest on what the run itself was told; the words are those of the run's wording.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

from pddl2nl.nl import Names, Style, Teller, Wording, wording_from_json
from pddl2nl.pddl import Condition, InputError, write_condition
from pddl2nl.reports.html.steps import Reason, Step, Turn
from pddl2nl.reports.recheck import Recheck, read_task
from pddl2nl.reports.records import Record, RunRecord
from pddlval import Cause, GroundAction, validate

__all__ = ["explained", "missing_goals"]


def explained(record: Record, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns, each step that has something ``unmet`` with its reasons; never raises for what a record holds."""
    if not any(step.unmet for turn in turns for step in turn.steps):
        return tuple(turns)
    found = []
    before: list[Step] = []
    for turn in turns:
        # Several plans of one run are executed each from the initial state.
        if turn.judged is not None:
            before = []
        steps = []
        for step in turn.steps:
            steps.append(replace(step, reasons=_reasons(record, before, step)) if step.unmet else step)
            if step.status == "executed":
                before.append(step)
        found.append(replace(turn, steps=tuple(steps)))
    return tuple(found)


def missing_goals(record: Record, turns: Iterable[Turn], again: Recheck) -> tuple[Reason, ...]:
    """What of the goal does not hold after the actions that a run executed; empty where it holds or was not judged."""
    if again.verdict != "goal-not-satisfied":
        return ()
    executed = [step for turn in turns if turn.counts for step in turn.steps if step.status == "executed"]
    return _told(record, again.causes, executed)


def _reasons(record: Record, before: Sequence[Step], step: Step) -> tuple[Reason, ...]:
    """The validator's causes; where it finds other conditions than were recorded, those alone that were."""
    try:
        plan = [GroundAction.parse(done.action or "") for done in before]
        if step.status != "claimed-done":
            plan.append(GroundAction.parse(step.action or ""))
        report = validate(read_task(record.domain_pddl, record.problem_pddl), plan)
    except InputError:
        return _unexplained(step)
    if {write_condition(cause.literal) for cause in report.explanation} != set(step.unmet):
        return _unexplained(step)
    return _told(record, report.explanation, before)


def _unexplained(step: Step) -> tuple[Reason, ...]:
    return tuple(Reason(literal) for literal in step.unmet)


def _told(record: Record, causes: Iterable[Cause], executed: Sequence[Step]) -> tuple[Reason, ...]:
    """Causes count the plan's actions, a page the run's steps."""
    found = []
    for cause in causes:
        number = cause.deleted_by_step
        undone = executed[number - 1] if number is not None and number <= len(executed) else None
        found.append(
            Reason(
                write_condition(cause.literal),
                _words(record, cause.literal),
                step=None if undone is None else undone.number,
                action="" if undone is None else undone.action or "",
                never=cause.never_held,
            )
        )
    return tuple(found)


def _words(record: Record, literal: Condition) -> str:
    """That a condition does not hold, in the words of the run; empty where it spoke PDDL, or has no words for it."""
    if not isinstance(record, RunRecord) or record.started.wording is None or record.started.style != "nl":
        return ""
    started = record.started
    try:
        teller = _teller(
            record.domain_pddl,
            record.problem_pddl,
            json.dumps(started.wording),
            tuple(started.names.items()),
            cast(Style, started.style),
        )
        return teller.reason(literal)
    except (InputError, KeyError):
        # Words that a foreign record lacks are not made up.
        return ""


@lru_cache(maxsize=64)
def _teller(domain: str, problem: str, wording: str, names: tuple[tuple[str, str], ...], style: Style) -> Teller:
    # By their texts: hashing a task walks through all of its tree.
    task = read_task(domain, problem)
    told: Wording = wording_from_json(json.loads(wording), task.domain, "the recorded wording")
    return Teller(task, told, Names(dict(names), "recorded"), style)
