"""The six metrics of the HVR paper, as pure functions of a record's events; all in %.

Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification", section 4.1 and appendix B. Those that compare with a ground truth (PC, ES, LD) have a value for every
run, of whatever policy, whose record holds a reference (`pddl2nl.reports.ground_truth`); MPV and AABV are of
hierarchical policies alone.

**The plan that is measured** is the first one that goes to execution: the last expanded plan before anything is
executed. What a run plans anew because the world turned out other than expected says something of the world. A policy
without such events is measured by the plan that it proposed, else by the actions that it executed.

**The ground truth** of an open goal, which has several, is the one that the plan comes nearest to: that with the
greatest PC (skipping, then prefix), then that nearest in length, then the first. The paper's authors wrote one for each
run, by what the model seems to have had in mind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from pddl2nl.policies.events import Acted, Event, LookedAround, Rejected
from pddl2nl.policies.hvr.events import BlockExpanded, Discrepancy, MacroPlanned, MacrosVerified, PlanExpanded
from pddl2nl.policies.hvr.hvr import MECHANISMS
from pddl2nl.reports.ground_truth import Way
from pddl2nl.reports.plan_correctness import prefix_steps, skipping_steps
from pddl2nl.reports.records import Record, RunRecord

__all__ = [
    "VALUES",
    "VERIFYING",
    "GeneratedPlan",
    "blocks_verified",
    "blocks_verified_before",
    "execution_success",
    "expanded_plan_verified",
    "generated_plan",
    "length_discrepancy",
    "length_discrepancy_absolute",
    "macro_plan_verified",
    "macro_plan_verified_before",
    "nearest_way",
    "plan_correctness",
    "plan_correctness_prefix",
]

VERIFYING = tuple(name for name, mechanism in MECHANISMS.items() if mechanism.verification)
"""The hierarchical policies and ablations that correct what their validator refuses. In the records of the others what
was verified was measured alone: they have no value after correction."""


@dataclass(frozen=True)
class GeneratedPlan:
    """The plan of a run that is measured.

    Attributes:
        actions: in PDDL.
        verified: how many of them are applicable one after the other; None where the plan came about action by action.
        goal: whether the goal holds at its end, as far as it was looked at.
        attempt: the macro plan that it is of, counted from 1; 0 where there is none.
        executed: how many were executed as expected, up to the first failure: an action that was refused, or whose
            outcome was another than expected.
    """

    actions: tuple[str, ...]
    verified: int | None
    goal: bool
    attempt: int
    executed: tuple[str, ...]


def generated_plan(record: RunRecord) -> GeneratedPlan:
    """The plan that is measured (see above)."""
    before, after = _phases(record.counted)
    executed = _executed(after)
    for event in reversed(before):
        if isinstance(event, PlanExpanded):
            verified = max(0, min(event.verified, len(event.actions)))
            return GeneratedPlan(event.actions, verified, event.goal, event.attempt, executed)
    finished = record.finished
    if finished.proposed:
        return GeneratedPlan(finished.proposed, len(finished.plan), record.solved, 0, executed)
    return GeneratedPlan(finished.plan, None, record.solved, 0, executed)


def _phases(events: tuple[Event, ...]) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """The events before anything was executed, and those from then on."""
    for number, event in enumerate(events):
        if isinstance(event, Acted | Rejected | LookedAround | Discrepancy):
            return events[:number], events[number:]
    return events, ()


def _executed(events: tuple[Event, ...]) -> tuple[str, ...]:
    """The actions that were executed as expected up to the first failure."""
    found: list[tuple[int, str]] = []
    for event in events:
        if isinstance(event, Acted):
            found.append((event.step, event.action))
        elif isinstance(event, Rejected):
            break
        elif isinstance(event, Discrepancy):
            found = [(step, action) for step, action in found if step < event.step]
            break
    return tuple(action for _, action in found)


# ── against a ground truth ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Compared:
    """A plan beside one way: how many of the way's steps it is in line with, by both variants."""

    way: Way
    prefix: int
    skipping: int


def _compared(record: Record) -> tuple[_Compared, ...]:
    if not isinstance(record, RunRecord) or record.reference is None:
        return ()
    return _beside(generated_plan(record).actions, record.reference.ways)


@lru_cache(maxsize=64)
def _beside(plan: tuple[str, ...], ways: tuple[Way, ...]) -> tuple[_Compared, ...]:
    # Kept for a moment, since six metrics ask for the same.
    return tuple(_Compared(way, prefix_steps(plan, way), skipping_steps(plan, way)) for way in ways)


def nearest_way(record: Record) -> Way | None:
    """The ground truth that a run's plan comes nearest to; None where none is known."""
    compared = _compared(record)
    if not compared or not isinstance(record, RunRecord):
        return None
    steps = len(generated_plan(record).actions)

    def near(each: _Compared) -> tuple[float, float, int]:
        length = each.way.length
        return each.skipping / length, each.prefix / length, -abs(steps - length)

    return max(compared, key=near).way


def plan_correctness(record: Record) -> float | None:
    """PC, superfluous steps skipped: ``100 · (steps of the ground truth found in order) / (its steps)``.

    The greatest over linearizations and ways (`pddl2nl.reports.plan_correctness.skipping_steps`); None without a
    reference. A run without a plan has 0.

    Example: of a ground truth of 8 steps the plan holds the first 6, two superfluous ones among them, then another one
    than the seventh, which comes nowhere behind: 75.
    """
    compared = _compared(record)
    return max((100 * each.skipping / each.way.length for each in compared), default=None)


def plan_correctness_prefix(record: Record) -> float | None:
    """PC by prefix: ``100 · (steps up to the first that is not the ground truth's next one) / (its steps)``.

    The greatest over linearizations and ways (`pddl2nl.reports.plan_correctness.prefix_steps`); None without a
    reference.

    Example: the plan of the example of `plan_correctness`, whose first superfluous step is its third: 2 of 8, 25.
    """
    compared = _compared(record)
    return max((100 * each.prefix / each.way.length for each in compared), default=None)


def execution_success(record: Record) -> float | None:
    """ES: ``100 · (steps of the ground truth executed up to the first failure) / (its steps)``; of correct plans alone.

    None unless PC (skipping) is 100 %. Superfluous steps that were executed count nowhere. A failure is an action that
    was refused, or whose outcome was another than expected, whether the policy looks at outcomes or not.

    Example: a plan with all 29 steps of its ground truth, of which the action that is the 26th of them fails: 25 of 29,
    86.21.
    """
    if plan_correctness(record) != 100 or not isinstance(record, RunRecord):
        return None
    way = nearest_way(record)
    return None if way is None else 100 * skipping_steps(generated_plan(record).executed, way) / way.length


def length_discrepancy(record: Record) -> float | None:
    """LD, signed: ``100 · (steps of the plan - steps of the ground truth) / (steps of the ground truth)``.

    None without a reference or without a plan, and for tasks whose lengths are not compared (the paper's T12).

    Example: 12 steps where 9 do: 33.33; 6 steps: -33.33, which is shorter than any plan that reaches the goal.
    """
    way = nearest_way(record)
    if way is None or not isinstance(record, RunRecord):
        return None
    reference, steps = record.reference, len(generated_plan(record).actions)
    if not steps or reference is None or not reference.length_counted:
        return None
    return 100 * (steps - way.length) / way.length


def length_discrepancy_absolute(record: Record) -> float | None:
    """LD, absolute: the same without its sign, so that plans too short and too long do not make up for one another.

    Example: 33.33 and -33.33 have the mean 0, their absolutes the mean 33.33.
    """
    signed = length_discrepancy(record)
    return None if signed is None else abs(signed)


# ── by the validator ─────────────────────────────────────────────────────────────────────────────


def expanded_plan_verified(record: Record) -> float | None:
    """EPV: ``100 · (steps that are applicable one after the other) / (steps of the plan)``, after all corrections.

    None where the plan came about action by action, and of records with neither a reference nor macro-actions. A plan
    without steps has 0, unless the goal holds without any.

    Example: a plan of 55 steps, of which the 20th is not applicable: 19 of 55, 34.55.
    """
    if not isinstance(record, RunRecord) or not (record.hierarchical or record.reference):
        return None
    plan = generated_plan(record)
    if plan.actions and plan.verified is not None:
        return 100 * plan.verified / len(plan.actions)
    if not record.hierarchical:
        return None
    return 100.0 if plan.goal and not plan.actions else 0.0


def macro_plan_verified_before(record: Record) -> float | None:
    """MPV before correction: ``100 · (macro-actions that can be carried out on paper) / (macro-actions)``.

    Each is carried out as the one action that its conditions make it; the conditions are the first that the run's
    first macro plan was given. None without macro-actions.

    Example: of five macro-actions the fourth's precondition does not hold: 3 of 5, 60.
    """
    return next((_share(each.verified, each.total) for each in _verified(record)), None)


def macro_plan_verified(record: Record) -> float | None:
    """MPV after correction: the same of the last conditions of the macro plan that is measured.

    None without macro-actions, and of policies that correct nothing.

    Example: of the five above, the fourth's precondition was corrected: 100.
    """
    if not _corrects(record):
        return None
    found = [*_verified(record)]
    return _share(found[-1].verified, found[-1].total) if found else None


def blocks_verified_before(record: Record) -> float | None:
    """AABV before correction: ``100 · (macro-actions whose block was verified as first given) / (macro-actions)``.

    A block is verified where all of its actions are applicable one after the other, and what the macro-action claims
    to bring about holds then: after the deterministic repair, and before any correction by the model. Of the first
    macro plan; blocks that were never reached are not verified. None without macro-actions.

    Example: a macro plan of four, of which the first two blocks are verified at once, the third after a correction,
    and the fourth never: 2 of 4, 50.
    """
    macros = _macros(record, 1)
    return _share(_verified_blocks(record, 1, macros, last=False), macros)


def blocks_verified(record: Record) -> float | None:
    """AABV after correction: ``100 · (macro-actions whose block was verified in the end) / (macro-actions)``.

    Of the macro plan whose expanded plan is measured, with the verified blocks that were kept of macro plans given up
    before it. None without macro-actions, and of policies that correct nothing.

    Example: the macro plan of the example of `blocks_verified_before`: 3 of 4, 75. If a new macro plan of two took the
    fourth's place, of which the first is verified: 4 of 5, 80.
    """
    if not _corrects(record) or not isinstance(record, RunRecord):
        return None
    attempt = _attempt(record)
    macros = _macros(record, attempt)
    earlier = {each.attempt for each in _planned(record) if isinstance(each, MacroPlanned) and each.attempt < attempt}
    kept = sum(_verified_blocks(record, before, _macros(record, before), last=True) for before in earlier)
    return _share(kept + _verified_blocks(record, attempt, macros, last=True), kept + macros)


def _corrects(record: Record) -> bool:
    return isinstance(record, RunRecord) and record.started.policy in VERIFYING


def _planned(record: Record) -> tuple[Event, ...]:
    """The events of planning, before anything was executed."""
    return _phases(record.counted)[0] if isinstance(record, RunRecord) and record.hierarchical else ()


def _verified(record: Record) -> Iterator[MacrosVerified]:
    for event in _planned(record):
        if isinstance(event, MacrosVerified):
            yield event


def _attempt(record: RunRecord) -> int:
    """The macro plan that is measured; the last one where none was expanded to its end."""
    measured = generated_plan(record).attempt
    return measured or max((each.attempt for each in _planned(record) if isinstance(each, MacroPlanned)), default=1)


def _macros(record: Record, attempt: int) -> int:
    """How many macro-actions a macro plan has."""
    planned = (each for each in _planned(record) if isinstance(each, MacroPlanned) and each.attempt == attempt)
    return next((len(each.macros) for each in planned), 0)


def _verified_blocks(record: Record, attempt: int, macros: int, *, last: bool) -> int:
    """How many of a macro plan's blocks were verified as they were ``last``, or as they were first given."""
    holds: dict[int, bool] = {}
    for event in _planned(record):
        if isinstance(event, BlockExpanded) and event.attempt == attempt and (last or event.round == 0):
            holds[event.macro] = event.holds
    return sum(holds.get(number, False) for number in range(1, macros + 1))


def _share(part: int, whole: int) -> float | None:
    return 100 * max(0, min(part, whole)) / whole if whole > 0 else None


VALUES: Mapping[str, Callable[[Record], float | None]] = MappingProxyType(
    {
        "plan-correctness": plan_correctness,
        "plan-correctness-prefix": plan_correctness_prefix,
        "execution-success": execution_success,
        "length-discrepancy": length_discrepancy,
        "length-discrepancy-absolute": length_discrepancy_absolute,
        "expanded-plan-verified": expanded_plan_verified,
        "macro-plan-verified-before": macro_plan_verified_before,
        "macro-plan-verified": macro_plan_verified,
        "blocks-verified-before": blocks_verified_before,
        "blocks-verified": blocks_verified,
    }
)
"""All of them by the names that `pddl2nl.reports.metrics.METRICS` has them under."""
