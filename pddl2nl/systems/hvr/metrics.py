"""The six metrics of the HVR paper, as pure functions of a run's events, all in %; and ours on recovery and calls.

Petruzzellis, Cornelio and Liò, "Hierarchical Planning for Complex Tasks with Knowledge Graph-RAG and Symbolic
Verification", section 4.1 and appendix B. PC, ES and LD compare with a ground truth (`pddl2nl.systems.hvr.correctness`)
and exist for all policies; MPV and AABV exist for HVR and its ablations only.

**The measured plan** is the first one that is executed: the last expanded plan before the first executed action. Plans
made later, because the world differed, are not measured. For policies of other systems it is the proposed plan or, if
there is none, the executed actions.

**The ground truth** of an open goal with several ways is the one nearest to the plan: with the greatest PC (skipping,
then prefix), then the nearest length, then the first. The paper's authors wrote one for each run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pddl2nl.policies.events import Acted, LookedAround, Rejected, RunEvent
from pddl2nl.policies.reporting import RunMetric, ScoredRun, Way
from pddl2nl.systems.hvr.correctness import prefix_steps, skipping_steps
from pddl2nl.systems.hvr.events import (
    BlockExpanded,
    Discrepancy,
    Hierarchical,
    MacroPlanned,
    MacrosVerified,
    PlanExpanded,
    Recovered,
)


@dataclass(frozen=True)
class GeneratedPlan:
    """The measured plan of a run.

    `verified` of its actions are applicable one after the other (None if they were chosen one at a time), `goal` holds
    at its end as far as known, `attempt` is its macro plan, from 1, and `executed` are the actions executed as
    expected, up to the first that was refused or had another outcome.
    """

    actions: tuple[str, ...]
    verified: int | None
    goal: bool
    attempt: int
    executed: tuple[str, ...]


def generated_plan(run: ScoredRun) -> GeneratedPlan:
    before, after = _phases(run.counted)
    executed = _executed(after)
    for event in reversed(before):
        if isinstance(event, PlanExpanded):
            verified = min(event.verified, len(event.actions))
            return GeneratedPlan(event.actions, verified, event.goal, event.attempt, executed)
    finished = run.finished
    if finished.proposed:
        return GeneratedPlan(finished.proposed, len(finished.plan), run.solved, 0, executed)
    return GeneratedPlan(finished.plan, None, run.solved, 0, executed)


def _phases(events: tuple[RunEvent, ...]) -> tuple[tuple[RunEvent, ...], tuple[RunEvent, ...]]:
    executing = (isinstance(event, Acted | Rejected | LookedAround | Discrepancy) for event in events)
    first = next((number for number, executed in enumerate(executing) if executed), len(events))
    return events[:first], events[first:]


def _executed(events: tuple[RunEvent, ...]) -> tuple[str, ...]:
    """The actions executed as expected, up to the first failure."""
    acted: dict[int, str] = {}
    for event in events:
        if isinstance(event, Acted):
            acted[event.step] = event.action
        elif isinstance(event, Rejected):
            break
        elif isinstance(event, Discrepancy):
            return tuple(action for step, action in acted.items() if step < event.step)
    return tuple(acted.values())


# ── against a ground truth ───────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=64)
def _agreement(plan: tuple[str, ...], way: Way) -> tuple[float, float]:
    """The share of a way's steps that a plan agrees with, skipping superfluous ones, and by prefix; in %.

    Cached, because six metrics of a run need the same comparison.
    """
    return 100 * skipping_steps(plan, way) / way.length, 100 * prefix_steps(plan, way) / way.length


def nearest_way(run: ScoredRun) -> Way | None:
    """The ground truth nearest to a run's plan; None if no ground truth is known."""
    plan = generated_plan(run).actions
    ways = () if run.reference is None else run.reference.ways
    return max(ways, key=lambda way: (*_agreement(plan, way), -abs(len(plan) - way.length)), default=None)


def _pc(run: ScoredRun) -> float | None:
    """PC, skipping: ``100 · (steps of the ground truth found in order) / (its steps)``; 0 for a run without a plan."""
    way = nearest_way(run)
    return None if way is None else _agreement(generated_plan(run).actions, way)[0]


def _pc_prefix(run: ScoredRun) -> float | None:
    """PC by prefix: ``100 · (steps before the first that is not the ground truth's next one) / (its steps)``."""
    ways = () if run.reference is None else run.reference.ways
    plan = generated_plan(run).actions
    return max((_agreement(plan, way)[1] for way in ways), default=None)


def _es(run: ScoredRun) -> float | None:
    """ES: ``100 · (steps of the ground truth executed before the first failure) / (its steps)``, if PC is 100 %.

    Superfluous steps do not count. A failure is an action that was refused or had an unexpected outcome, whether or not
    the policy checks outcomes.
    """
    way = nearest_way(run)
    if way is None or _pc(run) != 100:
        return None
    return _agreement(generated_plan(run).executed, way)[0]


def _ld(run: ScoredRun) -> float | None:
    """LD: ``100 · (steps of the plan - steps of the ground truth) / (steps of the ground truth)``.

    None without a plan, and for tasks whose lengths are not compared (the paper's T12).
    """
    way, reference = nearest_way(run), run.reference
    steps = len(generated_plan(run).actions)
    if way is None or reference is None or not steps or not reference.length_counted:
        return None
    return 100 * (steps - way.length) / way.length


def _ld_absolute(run: ScoredRun) -> float | None:
    """LD, absolute: the same without sign, so that too short and too long plans do not cancel out in a mean."""
    signed = _ld(run)
    return None if signed is None else abs(signed)


# ── by the validator ─────────────────────────────────────────────────────────────────────────────


def _epv(run: ScoredRun) -> float | None:
    """EPV: ``100 · (applicable steps) / (steps of the plan)``, after all corrections.

    None if actions were chosen one at a time, and for runs of other policies without a reference. An empty plan has 0,
    or 100 if the goal holds at the beginning.
    """
    own, plan = _is_hierarchical(run), generated_plan(run)
    if plan.actions and plan.verified is not None and (own or run.reference):
        return 100 * plan.verified / len(plan.actions)
    if not own:
        return None
    return 100.0 if plan.goal and not plan.actions else 0.0


def _mpv_before(run: ScoredRun) -> float | None:
    """MPV before correction: ``100 · (applicable macro-actions) / (macro-actions)``, with the first conditions."""
    checks = [event for event in _planned(run) if isinstance(event, MacrosVerified)]
    return _share(checks[0].verified, checks[0].total) if checks else None


def _calls_saved(run: ScoredRun) -> float | None:
    """Calls saved: ``calls for blocks that were expanded from the library``, corrections not counted.

    None without a library.
    """
    if not (_is_hierarchical(run) and run.started.options.get("library")):
        return None
    return float(sum(event.saved for event in run.counted if isinstance(event, BlockExpanded)))


def _mpv(run: ScoredRun) -> float | None:
    """MPV after correction: the same with the last conditions of the measured macro plan."""
    checks = [event for event in _planned(run) if isinstance(event, MacrosVerified)]
    return _share(checks[-1].verified, checks[-1].total) if checks and _corrects(run) else None


def _aabv_before(run: ScoredRun) -> float | None:
    """AABV before correction: ``100 · (macro-actions whose first block is verified) / (macro-actions)``.

    A block is verified if its actions are applicable and have the effect that the macro-action claims; after the
    deterministic repair, before corrections by the model. Of the first macro plan; blocks that were never requested
    are not verified.
    """
    macros = _macros(run).get(1, 0)
    return _share(_verified_blocks(run, 1, macros, last=False), macros)


def _aabv(run: ScoredRun) -> float | None:
    """AABV after correction: ``100 · (macro-actions whose last block is verified) / (macro-actions)``.

    Of the macro plan that is measured, together with the verified blocks kept from earlier macro plans.
    """
    if not _corrects(run):
        return None
    attempts = _macros(run)
    measured = generated_plan(run).attempt or max(attempts, default=1)
    verified = {attempt: _verified_blocks(run, attempt, macros, last=True) for attempt, macros in attempts.items()}
    kept = sum(number for attempt, number in verified.items() if attempt < measured)
    return _share(kept + verified.get(measured, 0), kept + attempts.get(measured, 0))


def _recoveries(run: ScoredRun) -> float | None:
    """Recoveries: ``unexpected changes after which the plan went on without asking the model``.

    None in a world without faults.
    """
    if not (_is_hierarchical(run) and run.started.options.get("faults")):
        return None
    return float(sum(isinstance(event, Recovered) for event in run.counted))


def _is_hierarchical(run: ScoredRun) -> bool:
    # By its options, as a run can end before the first of its events.
    own = run.started.options.keys() >= {"hierarchy", "verification", "retrieval"}
    return own or any(isinstance(event, Hierarchical) for event in run.events)


def _corrects(run: ScoredRun) -> bool:
    """Whether the policy corrects what its validator refuses; otherwise there is no value after correction."""
    return bool(run.started.options.get("verification"))


def _planned(run: ScoredRun) -> tuple[RunEvent, ...]:
    return _phases(run.counted)[0] if _is_hierarchical(run) else ()


def _macros(run: ScoredRun) -> dict[int, int]:
    planned = (event for event in reversed(_planned(run)) if isinstance(event, MacroPlanned))
    return {event.attempt: len(event.macros) for event in planned}


def _verified_blocks(run: ScoredRun, attempt: int, macros: int, *, last: bool) -> int:
    """How many blocks of a macro plan are verified: as given last, or as given first."""
    holds = {
        event.macro: event.holds
        for event in _planned(run)
        if isinstance(event, BlockExpanded) and event.attempt == attempt and (last or event.round == 0)
    }
    return sum(holds.get(number, False) for number in range(1, macros + 1))


def _share(part: int, whole: int) -> float | None:
    return 100 * min(part, whole) / whole if whole > 0 else None


_OF: Mapping[str, tuple[Callable[[ScoredRun], float | None], str]] = {
    "plan-correctness": (_pc, "PC: steps in line with a ground-truth plan, superfluous ones skipped, of its steps"),
    "plan-correctness-prefix": (
        _pc_prefix,
        "PC by prefix: steps in line with a ground-truth plan up to the first other one",
    ),
    "execution-success": (_es, "ES: steps of a correct plan executed up to the first failure, of the ground truth's"),
    "length-discrepancy": (_ld, "LD: how much longer a plan is than the ground truth's, of the latter"),
    "length-discrepancy-absolute": (
        _ld_absolute,
        "LD, absolute: how much longer or shorter a plan is than the ground truth's",
    ),
    "expanded-plan-verified": (_epv, "EPV: steps of the expanded plan that are applicable, of its steps"),
    "macro-plan-verified-before": (
        _mpv_before,
        "MPV before correction: macro-actions that can be carried out on paper, of all",
    ),
    "macro-plan-verified": (_mpv, "MPV: macro-actions that can be carried out on paper after correction, of all"),
    "blocks-verified-before": (_aabv_before, "AABV before correction: macro-actions whose block was verified, of all"),
    "blocks-verified": (_aabv, "AABV: macro-actions whose block was verified after correction, of all"),
}
_SHORT = {
    "plan-correctness": "PC",
    "plan-correctness-prefix": "PC by prefix",
    "execution-success": "ES",
    "length-discrepancy": "LD",
}


def _metric(name: str) -> RunMetric:
    of, summary = _OF[name]
    better: Literal["higher", "lower"] = "lower" if name.startswith("length") else "higher"
    return RunMetric(name, summary, better, "mean", of, "%", "always", short=_SHORT.get(name, ""))


METRICS = (
    *map(_metric, _OF),
    RunMetric(
        "recoveries",
        "unexpected changes after which the plan went on without a call of the model",
        "lower",
        "mean",
        _recoveries,
        comparable="never",
    ),
    RunMetric(
        "calls-saved",
        "calls of the model for blocks that the library's proved macro-actions made unnecessary",
        "higher",
        "mean",
        _calls_saved,
        comparable="never",
    ),
)
"""The metrics of the paper, and ours on recovery and the library."""
