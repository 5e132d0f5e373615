"""The first broken link of a run: where the chain from a reply to the goal broke first, and of what kind that was.

A run is a chain: a reply is read, names an action, the action is applicable, the goal holds at the end. What a failed
run is counted under is its first link that broke, as the record's `Fault` names it; of an inapplicable action the
predicates that were not as they had to be, of a missed goal those of what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from pddl2nl.errors import InputError
from pddl2nl.pddl import PDDLError, write_condition
from pddl2nl.pddl.reader import parse_condition
from pddl2nl.pddl.tree import Atom, Comparison, Equality, Fluent, Imply, Node, Not, children, walk
from pddl2nl.policies.events import Rejected
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, read_task
from pddl2nl.reports.summaries import BrokenLink
from pddlval import GroundAction, validate

__all__ = ["LINKS", "first_broken_link", "predicates_of"]

LINKS: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "unreadable",
        "not-an-action": "unreadable",
        "empty": "unreadable",
        "ambiguous": "ambiguous",
        "unknown-object": "unknown object",
        "inapplicable": "inapplicable",
        "goal-missed": "goal missed",
        "claimed-done": "goal missed",
        "budget": "budget",
        "length": "budget",
        "context-window": "budget",
        "timeout": "budget",
        "out-of-memory": "budget",
        "gave-up": "gave up",
        "claimed-unsolvable": "gave up",
        "refused": "gave up",
        "dead-end": "gave up",
        "unsolvable": "gave up",
        "unsupported": "gave up",
        "filtered": "infrastructure",
        "infrastructure-error": "infrastructure",
    }
)
"""What reports call each kind of link, in the order in which they show them: several kinds are one to a reader.

Of planners a time or memory that ran out is the budget; a proof that there is no plan, or a task that they do not take,
ends them as ``gave up``. ``infrastructure`` is no verdict: such a run is scored nowhere.
"""


def first_broken_link(record: Record) -> BrokenLink | None:
    """Where the run broke first; None where it was solved."""
    if record.solved:
        return None
    fault = record.fault
    if record.infrastructure:
        text = record.finished.message if isinstance(record, RunRecord) else record.planned.message
        kind = "infrastructure-error" if fault is None or fault.status not in LINKS else fault.status
        return BrokenLink(kind, (), 0 if fault is None else fault.step, text or ("" if fault is None else fault.text))
    if fault is None:
        # A record of another program may leave it out.
        message = "" if isinstance(record, PlannerRecord) else record.finished.message
        return BrokenLink(record.outcome, _predicates(record, record.outcome, 0), 0, message)
    return BrokenLink(fault.status, _predicates(record, fault.status, fault.step), fault.step, fault.text)


def _predicates(record: Record, kind: str, step: int) -> tuple[str, ...]:
    if not isinstance(record, RunRecord):
        return ()
    if kind in ("inapplicable", "claimed-done"):
        for event in record.counted:
            if isinstance(event, Rejected) and event.status == kind and event.step >= step:
                return predicates_of(event.unmet)
        return ()
    return predicates_of(_unmet_goals(record)) if kind == "goal-missed" else ()


def _unmet_goals(record: RunRecord) -> tuple[str, ...]:
    """What of the goal is missing behind the executed actions; nothing where the validator cannot say."""
    try:
        task = read_task(record.domain_pddl, record.problem_pddl)
        report = validate(task, tuple(map(GroundAction.parse, record.plan)))
    except InputError:
        return ()
    return tuple(map(write_condition, report.unmet_goals))


def predicates_of(conditions: Iterable[str]) -> tuple[str, ...]:
    """The predicates of unmet conditions, sorted, each once; ``not clear`` where the atom should not have held.

    Args:
        conditions: in PDDL, ground: ``(holding a)``, ``(not (clear b))``. Of a formula that is no literal the
            predicates of all its literals count, of a comparison of numbers its functions.
    """
    return tuple(sorted({name for condition in conditions for name in _names(condition)}))


def _names(condition: str) -> Iterator[str]:
    try:
        yield from _literals(parse_condition(condition), positive=True)
    except PDDLError:
        # Another program may have written the record.
        return


def _literals(node: Node, *, positive: bool) -> Iterator[str]:
    match node:
        case Atom(predicate=name):
            yield name if positive else f"not {name}"
        case Equality():
            yield "=" if positive else "not ="
        case Comparison():
            # The functions of a comparison; whether it should have held says nothing about any one of them.
            yield from (fluent.name for fluent in walk(node) if isinstance(fluent, Fluent))
        case Not(body=body):
            yield from _literals(body, positive=not positive)
        case Imply(left=left, right=right):
            yield from _literals(left, positive=not positive)
            yield from _literals(right, positive=positive)
        case _:
            for child in children(node):
                yield from _literals(child, positive=positive)
