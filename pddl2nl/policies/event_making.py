"""Events made from what they report: requests, completions, readings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from pddl2nl.llm import Completion, Message, Request, request_key
from pddl2nl.nl import Reading
from pddl2nl.nl.telling.phrases import number_text
from pddl2nl.policies import events
from pddl2nl.policies.budget import Accounts, total
from pddlval import GroundAction, Simulator, State

if TYPE_CHECKING:
    from pddl2nl.policies.walk import Walk

__all__ = [
    "Changes",
    "changed_values",
    "finished_event",
    "observed_changes",
    "prompted_event",
    "read_event",
    "replied_event",
]


class Changes(NamedTuple):
    """What became true, what became false, and which numeric fluents have another value, ``(= (fuel t) 3)``."""

    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def observed_changes(before: State, after: State) -> Changes:
    """How two states differ, in alphabetical order: what was observed, whatever the model says."""
    old, new = before.atoms, after.atoms
    fluents = sorted({*before.values, *after.values})
    values = [(fluent, after.value(fluent)) for fluent in fluents if after.value(fluent) != before.value(fluent)]
    return Changes(
        tuple(map(str, sorted(new - old))),
        tuple(map(str, sorted(old - new))),
        tuple(f"(= {fluent} {number_text(value)})" for fluent, value in values if value is not None),
    )


def changed_values(simulator: Simulator, action: GroundAction, before: State, after: State) -> tuple[str, ...]:
    """The numeric fluents that an executed action gave another value, as ``(= (fuel t) 3)``."""
    fluents = dict.fromkeys(change.fluent for change in simulator.ground(action).outcome(before).updates)
    values = [(fluent, after.value(fluent)) for fluent in fluents if after.value(fluent) != before.value(fluent)]
    return tuple(f"(= {fluent} {number_text(value)})" for fluent, value in values if value is not None)


def prompted_event(call: int, request: Request, before: Sequence[Message]) -> events.Prompted:
    """What was asked, as what is new since the messages of the call before of this purpose."""
    kept = 0
    for old, new in zip(before, request.messages, strict=False):
        if old != new:
            break
        kept += 1
    return events.Prompted(
        call,
        request.purpose,
        kept,
        request.messages[kept:],
        request_key(request),
        request.temperature,
        request.seed,
        request.max_tokens,
        request.stop,
        request.sample,
    )


def read_event(step: int, reading: Reading) -> events.Read:
    """What was read out of a reply, at one step."""
    return events.Read(
        step,
        reading.status,
        reading.text,
        None if reading.action is None else str(reading.action),
        tuple(map(str, reading.candidates)),
        reading.rule or "",
        reading.line,
        reading.start,
        reading.end,
    )


def replied_event(call: int, completion: Completion, usd: float | None) -> events.Replied:
    """What a call gave, and what it cost in USD."""
    usage = completion.usage
    return events.Replied(
        call,
        completion.text,
        completion.finish,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.cached_tokens,
        usage.reasoning_tokens,
        usd,
        completion.model,
        completion.fingerprint,
        completion.seconds,
        completion.tariff,
        completion.from_cache,
    )


def finished_event(
    outcome: events.Outcome,
    message: str,
    fault: events.Fault | None,
    walk: Walk,
    accounts: Accounts,
    cost: Fraction | None,
    counted: int,
) -> events.Finished:
    """The last event of a run: its outcome, the way that counts, and what was used and spent."""
    used = total(accounts.used.values())
    return events.Finished(
        outcome,
        fault,
        tuple(map(str, walk.plan)),
        tuple(map(str, walk.proposed)),
        walk.steps,
        walk.mistakes,
        dict(sorted(walk.turns.items())),
        None if cost is None else str(cost),
        used.calls,
        used.prompt_tokens,
        used.completion_tokens,
        used.cached_tokens,
        used.reasoning_tokens,
        used.usd,
        accounts.seconds,
        message,
        accounts.used_json(),
        accounts.spent_json(),
        counted,
    )
