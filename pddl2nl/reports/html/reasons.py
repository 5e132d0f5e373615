"""Why a step of a stored run failed, which goals are missing at its end, and which steps deleted them.

The validator (`pddlval.validate`) finds the causes anew from the PDDL texts in the record, so an explanation does not
depend on what the run itself was told. The words are those of the run's wording.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import cast

from msgspec.structs import replace

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
    """The goals that do not hold after the executed actions; empty if all hold or the run could not be judged."""
    if again.verdict != "goal-not-satisfied":
        return ()
    executed = [step for turn in turns if turn.counts for step in turn.steps if step.status == "executed"]
    return _told(record, again.causes, executed)


def _reasons(record: Record, before: Sequence[Step], step: Step) -> tuple[Reason, ...]:
    """The validator's causes; if it finds other conditions than the record has, the recorded ones without causes."""
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
    """The causes, with action numbers of the plan translated to step numbers of the run."""
    found = []
    teller = _teller_of(record)
    for cause in causes:
        number = cause.deleted_by_step
        undone = executed[number - 1] if number is not None and number <= len(executed) else None
        found.append(
            Reason(
                write_condition(cause.literal),
                _words(teller, cause.literal),
                step=None if undone is None else undone.number,
                action="" if undone is None else undone.action or "",
                never=cause.never_held,
            )
        )
    return tuple(found)


def _teller_of(record: Record) -> Teller | None:
    """What tells conditions in the words of the run; None if the run used PDDL or its words cannot be read."""
    if not isinstance(record, RunRecord) or record.started.wording is None or record.started.style != "nl":
        return None
    started = record.started
    try:
        return _teller(
            record.domain_pddl,
            record.problem_pddl,
            json.dumps(started.wording),
            tuple(started.names.items()),
            cast(Style, started.style),
        )
    except (InputError, KeyError):
        return None


def _words(teller: Teller | None, literal: Condition) -> str:
    """The statement that a condition does not hold; empty if the record has no words for it."""
    try:
        return "" if teller is None else teller.reason(literal)
    except (InputError, KeyError):
        return ""


@lru_cache(maxsize=64)
def _teller(domain: str, problem: str, wording: str, names: tuple[tuple[str, str], ...], style: Style) -> Teller:
    # The key is the texts, because hashing a task would walk its whole tree.
    task = read_task(domain, problem)
    told: Wording = wording_from_json(json.loads(wording), task.domain, "the recorded wording")
    return Teller(task, told, Names(dict(names), "recorded"), style)
