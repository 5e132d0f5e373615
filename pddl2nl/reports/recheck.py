"""Validation of a stored run: its executed actions, replayed from the PDDL texts in its record.

With it a page does not have to trust the process that ran it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from msgspec import structs

from pddl2nl.experiments.records.reader import seal_fault
from pddl2nl.experiments.records.stored import PlannerRecord, Record, RunRecord, task_of
from pddl2nl.nl.telling.tools import RULE, call_text
from pddl2nl.pddl import InputError, Task, write_condition
from pddl2nl.policies.changes import changes_of
from pddl2nl.policies.events import (
    MISTAKES,
    Acted,
    GoalReached,
    Judged,
    LookedAround,
    Prompted,
    Read,
    Rejected,
    Replied,
    TakenBack,
    without_taken_back,
)
from pddl2nl.policies.policy import is_core
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import parse_faults
from pddlval import Cause, GroundAction, Report, Simulator, State, StepResult, validate
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

    Its lines must be as they were written, its accounts those of its events, each step what the simulator makes of the
    action that was read, and its outcome that of its plan, judged again from the PDDL texts in it.

    Raises:
        RecordError: the file cannot be read.
    """
    if record.path is not None and (changed := seal_fault(record.path)):
        return changed
    try:
        if wrong := next(_contradictions(record), ""):
            return wrong
    except InputError as error:
        return f"it cannot be judged again: {error}"
    if isinstance(record, RunRecord) and plain_simulator_of(task_of(record)) is not None:
        # Every step was executed again above, and the goal was tested behind the last one.
        return ""
    checked = recheck(record)
    return "" if checked.agrees else f"the outcome is '{record.outcome}', and its plan is {checked.verdict}"


def _contradictions(record: Record) -> Iterator[str]:
    """What in a record contradicts the rest of it or its task, each in words."""
    yield from record.contradictions()
    if isinstance(record, RunRecord):
        yield from chain(_miscounted(record), _misdescribed(record), _misread(record), _misjudged(record))
    elif isinstance(record, PlannerRecord) and record.solved:
        cost = _judged(task_of(record), tuple(map(GroundAction.parse, record.plan))).cost
        if cost != record.planned.cost and record.planned.cost is not None:
            yield f"'cost' is {record.planned.cost}, and its plan costs {cost}"


def _miscounted(record: RunRecord) -> Iterator[str]:
    """The accounts of the last event that its events contradict, each in words."""
    finished, turns = record.finished, _turns(record)
    yield from _unequal(
        "",
        plan=(
            finished.plan,
            tuple(event.action for event in without_taken_back(record.counted) if isinstance(event, Acted)),
        ),
        mistakes=(finished.mistakes, sum(turns[status] for status in MISTAKES)),
        steps=(finished.steps, len({event.step for event in record.counted if isinstance(event, _STEPS)} - {0})),
        **{status: (finished.turns.get(status, 0), turns[status]) for status in {**finished.turns, **turns}},
    )
    replies: dict[str, list[Replied]] = {}
    role = ""
    for event in record.events:
        if isinstance(event, Prompted):
            role = event.purpose
        elif isinstance(event, Replied):
            replies.setdefault(role, []).append(event)
    said = structs.asdict(finished)
    yield from _unequal("", **_accounts(said, [reply for some in replies.values() for reply in some]))
    for role, used in finished.used.items():
        yield from _unequal(f"of the {role} ", **_accounts(used, replies.get(role, ())))


_STEPS = (Acted, Rejected, LookedAround)


def _turns(record: RunRecord) -> Counter[str]:
    """The number of steps of each kind, as `Finished.turns` has it."""
    steps: dict[int, str] = {}
    for event in record.counted:
        if isinstance(event, _STEPS):
            other = event.status if isinstance(event, Rejected) else "look-around"
            steps.setdefault(event.step, "executed" if isinstance(event, Acted) else other)
    steps.pop(0, None)
    if not steps:
        return _without_steps(record)
    if record.system is None:
        # Lines of a plan after the first broken link are not executed; those that cannot be read count.
        for event in record.counted:
            if isinstance(event, Read) and event.status != "read":
                steps.setdefault(event.step, event.status)
    return Counter(steps.values())


def _without_steps(record: RunRecord) -> Counter[str]:
    """The one turn of a reply without a plan; a reply that a limit cut off while it was read has none."""
    # A search behind a verdict may end the run for another reason.
    verdicts = {event.number: event for event in record.events if isinstance(event, Judged)}
    last = verdicts.get(record.finished.counted, record.finished)
    if last.outcome == "unreadable" and record.finished.mistakes:
        return Counter(["unreadable"])
    fault = "" if last.fault is None else last.fault.status
    return Counter([fault] if fault == "claimed-unsolvable" else [])


_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")


def _accounts(said: Mapping[str, Any], replies: Sequence[Replied]) -> dict[str, tuple[object, object]]:
    """What an account says of calls, tokens and money, each with what these replies add up to."""
    found: dict[str, tuple[object, object]] = {"calls": (said.get("calls", 0), len(replies))}
    found |= {name: (said.get(name, 0), sum(getattr(reply, name) for reply in replies)) for name in _TOKENS}
    prices = [reply.usd for reply in replies]
    if not prices:
        return found
    usd, total = said.get("usd"), None if None in prices else math.fsum(filter(None, prices))
    # Sums of floating-point numbers depend on their order.
    same = usd is not None and total is not None and math.isclose(usd, total, abs_tol=1e-12)
    return found | {"usd": (usd, usd if same else total)}


def _unequal(of: str, **found: tuple[object, object]) -> Iterator[str]:
    for name, (said, counted) in found.items():
        if said != counted:
            yield f"'{name}' {of}is {said}, and the events say {counted}"


def _misdescribed(record: RunRecord) -> Iterator[str]:
    """What the first and the last event say of the run, and its task or other events contradict, each in words."""
    started, task = record.started, task_of(record)
    model = started.spec.get("model", record.model) if record.model else ""
    if ":" in str(model):
        # ``transformers:PATH`` or ``python:MODULE:CLASS``: the model that was made has a name of its own.
        model = record.model
    said = {"domain": started.domain, "problem": started.problem, "model": record.model}
    found: dict[str, object] = {"domain": task.domain.name, "problem": task.problem.name, "model": model}
    first = next((event for event in record.events if isinstance(event, Prompted) and event.purpose == "planner"), None)
    if first is not None and is_core(record.policy):
        # Further plans of one prompt have other seeds.
        asked = {"seed": first.seed, "temperature": first.temperature}
        found |= {name: value for name, value in asked.items() if value is not None}
    for name, value in found.items():
        if (told := said.get(name, started.spec.get(name))) != value:
            yield f"the first event says that '{name}' is {told}, and others say {value}"
    fault = record.finished.fault
    if fault is not None and fault.step and fault.status in _REFUSALS:
        events = (event for event in record.counted if isinstance(event, Rejected) and event.step == fault.step)
        if not any(event.status == fault.status for event in events):
            yield f"the first failure is said to be step {fault.step}, {fault.status}, and the events say otherwise"


_REFUSALS = (*MISTAKES, "claimed-done", "claimed-unsolvable", "world-error")


def _misread(record: RunRecord) -> Iterator[str]:
    """The steps that are not what was read, and what was read from words that no reply holds, each in words."""
    if not is_core(record.policy):
        # Another policy may read what it says itself, and a system reads plans before it acts.
        return
    read: dict[int, Read] = {}
    reply = ""
    translated = False
    calls: set[str] = set()
    for event in record.counted:
        if isinstance(event, Prompted):
            translated = event.purpose == "translator"
        elif isinstance(event, Replied) and not translated:
            reply = event.text
            calls = {call_text(call.name, call.arguments) for call in event.tool_calls}
        elif isinstance(event, Read):
            read[event.step] = event
            if event.rule == RULE and event.end == event.start and event.text and event.text not in calls:
                yield f"the reply does not hold the call of step {event.step}"
            if event.end > event.start and reply[event.start : event.end] != event.text:
                yield f"the reply does not hold what step {event.step} was read from"
        elif isinstance(event, Acted | Rejected) and event.step in read:
            action = read[event.step].action
            if event.action not in (None, action):
                yield f"step {event.step} is {event.action}, and what was read is {action or 'no action'}"


def _misjudged(record: RunRecord) -> Iterator[str]:
    """The steps of which the simulator, in a world with faults with these, says something else, each in words."""
    task = task_of(record)
    simulator = plain_simulator_of(task)
    if simulator is None:
        # With time steps overlap: only the schedule of all of them can be judged.
        return
    states = [simulator.initial]
    for event, step, before in _tried(record, simulator, states):
        place = f"step {event.step}, {event.action},"
        if isinstance(event, Acted):
            if step.successor is None:
                yield f"{place} is not applicable"
                continue
            recorded = event.added, event.deleted, event.changed
            found = changes_of(simulator, step, before, states[-1])
            # Nearly all agree in their order too.
            if found != recorded and not _same(recorded, found):
                yield f"{place} changes other things than recorded"
        elif event.status == "inapplicable" and not _same([event.unmet], [map(write_condition, step.unmet)]):
            yield f"{place} is {'applicable' if step.successor else 'not applicable for other reasons than recorded'}"
    state = states[-1]
    said = any(isinstance(event, GoalReached) for event in record.counted)
    if said != record.solved or (said and not simulator.is_goal(state)):
        yield f"the outcome is '{record.outcome}', and the events say that the goal was {'' if said else 'not '}reached"
    if not said and simulator.is_goal(state) and not _continues(record):
        yield f"the outcome is '{record.outcome}', and its plan is valid"
    cost = simulator.cost(state)
    if record.finished.cost not in (None, str(cost)):
        yield f"'cost' is {record.finished.cost}, and the plan costs {cost}"


def _same(recorded: Iterable[Iterable[str]], found: Iterable[Iterable[str]]) -> bool:
    return [*map(frozenset, recorded)] == [*map(frozenset, found)]


def _tried(
    record: RunRecord, simulator: Simulator, states: list[State]
) -> Iterator[tuple[Acted | Rejected, StepResult, State]]:
    """The actions that were executed, or that simulator or world refused, each with the state before it.

    To ``states``, which holds the initial one, the state after each executed action is added, until it is taken back.
    """
    world = None
    if record.faults:
        # Faults are deterministic for the same actions; the world counts those that it refused.
        world = FaultyExecutor(simulator, parse_faults(record.faults), seed=record.started.seed)
    for event in record.counted:
        if isinstance(event, TakenBack):
            del states[max(1, len(states) - event.actions) :]
        if not isinstance(event, Acted | Rejected) or event.action is None:
            continue
        inapplicable = isinstance(event, Rejected) and event.status == "inapplicable"
        if isinstance(event, Rejected) and not inapplicable and event.status != "world-error":
            continue
        action, before = GroundAction.parse(event.action), states[-1]
        step = simulator.step(before, action)
        if step.successor is not None and not inapplicable:
            states.append(step.successor if world is None else world.execute(before, action))
        yield event, step, before


def _judged(task: Task, actions: tuple[GroundAction, ...]) -> Report:
    """The verdict on actions; with time, on an early schedule of their order."""
    if plain_simulator_of(task) is not None:
        return validate(task, actions)
    from pddlval.temporal.sequences import schedule

    return validate(task, schedule(task, actions))


def _in_faulty_world(record: RunRecord) -> str:
    simulator = simulator_of(task_of(record))
    states = [simulator.initial]
    for event, step, _ in _tried(record, simulator, states):
        if isinstance(event, Acted) and step.successor is None:
            return "inapplicable"
    return "goal-not-satisfied" if simulator.unmet_goals(states[-1]) else "valid"


def _continues(record: Record) -> bool:
    failed = record.outcome in ("unreadable", "inapplicable", "budget", "context", "infrastructure-error")
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
        found.append(Acted(number, str(step.action), "", "", *changes_of(simulator, step, before, after)))
    if followed.failed is not None:
        unmet = tuple(map(write_condition, followed.unmet))
        found.append(Rejected(len(found) + 1, "inapplicable", "", str(followed.failed.action), unmet))
    return tuple(found)
