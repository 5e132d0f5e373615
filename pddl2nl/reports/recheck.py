"""Validation of a stored run: its executed actions, replayed from the PDDL texts in its record.

With it a page does not have to trust the process that ran it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pddl2nl.experiments.records.reader import seal_fault
from pddl2nl.pddl import InputError, Task, write_condition
from pddl2nl.policies.events import Acted, Rejected, Replied
from pddl2nl.policies.trace import MISTAKES, changed_values
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, task_of
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import parse_faults
from pddlval import Cause, GroundAction, Report, validate
from pddlval.simulator import plain_simulator_of, simulator_of


@dataclass(frozen=True)
class Recheck:
    """The validator's verdict on the executed actions, and whether it agrees with the stored outcome.

    ``verdict`` is one of `pddlval.Report`'s, ``no-plan`` for a planner without one, or ``not-judged`` with the
    reason in ``note``. ``causes`` say why the goal, or an action, does not hold.
    """

    verdict: str
    agrees: bool
    steps: int
    note: str = ""
    causes: tuple[Cause, ...] = ()


def recheck(record: Record) -> Recheck:
    """Validates the executed actions of a run; never raises for the content of a record.

    A solved run agrees if its plan is valid, any other if its plan is applicable and misses the goal. A one-shot plan
    may also reach the goal before an action that cannot be executed. A world with faults is simulated with its faults.
    """
    steps = len(record.plan)
    if record.not_judged:
        return Recheck("not-judged", True, steps, record.not_judged)
    if isinstance(record, PlannerRecord) and record.planned.plan is None:
        return Recheck("no-plan", not record.solved, 0)
    try:
        if isinstance(record, RunRecord) and record.faults:
            verdict, causes = _in_faulty_world(record), tuple[Cause, ...]()
        else:
            report = _judged(task_of(record), tuple(map(GroundAction.parse, record.plan)))
            verdict, causes = report.verdict, report.explanation
    except InputError as error:
        return Recheck("not-judged", False, steps, str(error))
    if verdict == "valid":
        agrees = record.solved or _continues(record)
    else:
        agrees = verdict == "goal-not-satisfied" and not record.solved
    return Recheck(verdict, agrees, steps, causes=causes)


def doubt(record: Record) -> str:
    """Why a record is not counted, in a few words; empty if it is as recorded.

    Its lines must be as they were written, its accounts those of its events, and its outcome that of its plan, judged
    again from the PDDL texts in it.

    Raises:
        RecordError: the file cannot be read.
    """
    if changed := seal_fault(record.path):
        return changed
    if isinstance(record, RunRecord) and (wrong := _miscounted(record)):
        return wrong
    checked = recheck(record)
    return "" if checked.agrees else f"the outcome is '{record.outcome}', and its plan is {checked.verdict}"


def _miscounted(record: RunRecord) -> str:
    """The first account of the last event that its events contradict; empty if there is none."""
    finished, counted = record.finished, record.counted
    replies = [event for event in record.events if isinstance(event, Replied)]
    acted = [event for event in counted if isinstance(event, Acted)]
    refused = sum(isinstance(event, Rejected) and event.status in MISTAKES for event in counted)
    # A reply without a plan is one mistake, or none if its system asked again, and leaves no event of a step.
    no_plan = finished.outcome == "unreadable" and not acted and not refused and finished.mistakes == 1
    found = {
        "plan": (finished.plan, tuple(event.action for event in acted)),
        "executed": (finished.turns.get("executed", 0), len(acted)),
        "mistakes": (finished.mistakes, refused + no_plan),
        "steps": (finished.steps, sum(finished.turns.values()) - no_plan),
        "calls": (finished.calls, len(replies)),
        "prompt_tokens": (finished.prompt_tokens, sum(reply.prompt_tokens for reply in replies)),
        "completion_tokens": (finished.completion_tokens, sum(reply.completion_tokens for reply in replies)),
    }
    wrong = (
        f"'{name}' is {said}, and the events say {value}" for name, (said, value) in found.items() if said != value
    )
    return next(wrong, "")


def _judged(task: Task, actions: tuple[GroundAction, ...]) -> Report:
    """The verdict on actions; with time, on an early schedule of their order."""
    if plain_simulator_of(task) is not None:
        return validate(task, actions)
    from pddlval.temporal.sequences import schedule

    return validate(task, schedule(task, actions))


def _in_faulty_world(record: RunRecord) -> str:
    """The verdict in a world with the recorded faults, which are deterministic for the same actions."""
    simulator = simulator_of(task_of(record))
    world = FaultyExecutor(simulator, parse_faults(record.faults), seed=record.started.seed)
    state = simulator.initial
    # The world counts the actions that it refused.
    tried = (
        event.action
        for event in record.counted
        if isinstance(event, Acted) or (isinstance(event, Rejected) and event.status == "world-error")
    )
    for action in map(GroundAction.parse, filter(None, tried)):
        if simulator.step(state, action).successor is None:
            return "inapplicable"
        state = world.execute(state, action)
    return "goal-not-satisfied" if simulator.unmet_goals(state) else "valid"


def _continues(record: Record) -> bool:
    """Whether a one-shot plan continues after the executed actions."""
    failed = record.outcome in ("unreadable", "inapplicable", "budget", "infrastructure-error")
    return isinstance(record, RunRecord) and failed and bool(record.finished.proposed)


def effects(record: Record) -> tuple[Acted | Rejected, ...]:
    """What a planner's plan does, step by step, as events of an episode, up to the first inapplicable action.

    Raises:
        InputError: the texts or the actions cannot be read, or contain what the simulator does not execute.
    """
    simulator = simulator_of(task_of(record))
    followed = simulator.follow(simulator.initial, map(GroundAction.parse, record.plan))
    if followed.error is not None:
        raise followed.error
    found: list[Acted | Rejected] = []
    for number, (step, (before, after)) in enumerate(zip(followed.steps, pairwise(followed.states), strict=True), 1):
        added, deleted = tuple(map(str, step.added)), tuple(map(str, step.deleted))
        changed = changed_values(simulator, step.action, before, after)
        found.append(Acted(number, str(step.action), added=added, deleted=deleted, changed=changed))
    if followed.failed is not None:
        unmet = tuple(map(write_condition, followed.unmet))
        found.append(Rejected(len(found) + 1, "inapplicable", "", str(followed.failed.action), unmet))
    return tuple(found)
