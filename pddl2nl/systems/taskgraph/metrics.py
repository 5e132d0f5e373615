"""The metrics of the GraphPlan paper as pure functions of a run's events, in %, and ours on revisions.

SR is the goal, GC the share of its conditions that holds at the end; PLWSR and PLWGC weigh them by
``L* / max(L*, L)`` as in ALFRED, with the lengths of the shipped plan and of the run. The others are of the plan before
it is carried out. The paper counts a plan as right if it is legal and equals the ground truth or a model agrees; ours
counts it if it is legal and reaches the goal when the simulator carries it out. The paper gives no formulas for MSR,
ASR, WTR and AER: ours align the plan with the nearest ground truth, by the fewest insertions and deletions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from pddl2nl.policies.events import Replied
from pddl2nl.policies.reporting import ScoredRun, Value, conditions_met, events_of, goal_reached, mean_metric, share
from pddl2nl.systems.taskgraph.events import GraphChecked, PlanRevised, RevisionSpared, SubtaskDone


def _weighted(of: Value) -> Value:
    """A value times ``L* / max(L*, L)``; None without a ground truth."""

    def value(run: ScoredRun) -> float | None:
        plain, best = of(run), _reference_length(run)
        if plain is None or not best:
            return None
        return plain * best / max(best, run.finished.steps)

    return value


def _ways(run: ScoredRun) -> Sequence[Sequence[Mapping[str, Any]]]:
    return [way.get("blocks", []) for way in run.started.reference.get("ways") or []]


def _reference_length(run: ScoredRun) -> int:
    return sum(len(block["actions"]) for blocks in _ways(run)[:1] for block in blocks)


def _final(run: ScoredRun) -> GraphChecked | None:
    """The last check of the plan of the task, before any revision."""
    first = [event for event in events_of(run, GraphChecked) if not event.revision]
    return first[-1] if first else None


def _of_plan(value: Callable[[ScoredRun, GraphChecked], float | None]) -> Value:
    def of(run: ScoredRun) -> float | None:
        plan = _final(run)
        return None if plan is None else value(run, plan)

    return of


def _legal(run: ScoredRun, plan: GraphChecked) -> float:
    """GPR: 100 if nothing is wrong with the plan's names and transitions."""
    return 100.0 * (bool(plan.plan) and not plan.targets and not plan.transitions)


def _accurate(run: ScoredRun, plan: GraphChecked) -> float:
    """Accuracy: 100 if the plan is legal and reaches the goal."""
    return _legal(run, plan) * plan.reaches


def _aligned(run: ScoredRun, plan: GraphChecked) -> tuple[float, float] | None:
    """Of the nearest ground truth's steps the share that the plan lacks, and of its own those beyond it, in %.

    Nearest is the ground truth that the fewest insertions and deletions make of the plan, the first of several. None
    without one.
    """
    truths = [[str(block["macro"]) for block in blocks] for blocks in _ways(run) if blocks]
    if not truths:
        return None
    # Every report imports this module, and only those of this system need it.
    from rapidfuzz.distance import Indel

    truth = min(truths, key=lambda steps: Indel.distance(steps, plan.plan))
    common = (len(truth) + len(plan.plan) - Indel.distance(truth, plan.plan)) // 2
    return share(len(truth) - common, len(truth)), share(len(plan.plan) - common, len(plan.plan))


def _missing(run: ScoredRun, plan: GraphChecked) -> float | None:
    """MSR: ``100 · steps of the nearest ground truth that the plan lacks / its steps``."""
    shares = _aligned(run, plan)
    return shares and shares[0]


def _additional(run: ScoredRun, plan: GraphChecked) -> float | None:
    """ASR: ``100 · steps of the plan that the nearest ground truth lacks / its steps``; 0 for an empty plan."""
    shares = _aligned(run, plan)
    return shares and shares[1]


def _wrong_transitions(run: ScoredRun, plan: GraphChecked) -> float | None:
    """WTR: ``100 · steps that cannot come where they are / (steps - 1)``; None for plans of one step or none."""
    pairs = len(plan.plan) - 1
    return 100 * min(len(plan.transitions), pairs) / pairs if pairs > 0 else None


def _affordances(run: ScoredRun, plan: GraphChecked) -> float | None:
    """AER: ``100 · wrong names and targets / targets of all steps``."""
    mentions = sum(step.count(",") + 1 for step in plan.plan)
    return 100 * min(len(plan.targets), mentions) / mentions if mentions else None


def _revisions(trigger: str) -> Value:
    def of(run: ScoredRun) -> float:
        return float(sum(event.changed and event.trigger == trigger for event in events_of(run, PlanRevised)))

    return of


def _useful(run: ScoredRun) -> float | None:
    """Useful revisions: ``100 · those whose new rest reaches the goal, and the old one does not / revisions``."""
    changed = [event for event in events_of(run, PlanRevised) if event.changed]
    return 100 * sum(e.after and not e.before for e in changed) / len(changed) if changed else None


def _plan_calls(run: ScoredRun) -> float | None:
    """The calls until the plan of the task was checked last."""
    places = [place for place, event in enumerate(run.events) if event is _final(run)]
    return float(sum(isinstance(event, Replied) for event in run.events[: places[0]])) if places else None


_metric = partial(mean_metric, package=__package__)

METRICS = (
    _metric("subtask-success", goal_reached, "SR of taskgraph: runs at whose end the goal holds"),
    _metric("subtask-conditions", conditions_met, "GC of taskgraph: goal conditions that hold at the end"),
    _metric("subtask-weighted-success", _weighted(goal_reached), "PLWSR: SR weighted by the length of the run"),
    _metric("subtask-weighted-conditions", _weighted(conditions_met), "PLWGC: GC weighted by the length of the run"),
    _metric("subtask-accuracy", _of_plan(_accurate), "plans of subtasks that are legal and reach the goal"),
    _metric("graph-pass", _of_plan(_legal), "GPR: plans of subtasks with which nothing is wrong"),
    _metric(
        "missing-subtasks", _of_plan(_missing), "MSR: subtasks of the nearest ground truth that the plan lacks", "lower"
    ),
    _metric("additional-subtasks", _of_plan(_additional), "ASR: subtasks that the nearest ground truth lacks", "lower"),
    _metric(
        "wrong-transitions", _of_plan(_wrong_transitions), "WTR: subtasks that cannot come where they are", "lower"
    ),
    _metric("affordance-errors", _of_plan(_affordances), "AER: wrong names and targets of subtasks", "lower"),
    _metric("plan-calls", _plan_calls, "calls for the plan of subtasks, before any revision", "lower", "calls"),
    _metric("revisions-error", _revisions("error"), "revisions of a plan of subtasks after errors", "lower", "plans"),
    _metric(
        "revisions-completed", _revisions("completed"), "revisions of a plan after completed subtasks", "lower", "plans"
    ),
    _metric("useful-revisions", _useful, "revisions with which the goal is reached, and without which it is not"),
    _metric(
        "spared-revisions",
        lambda run: float(len(events_of(run, RevisionSpared))),
        "questions about a plan that a proof has saved",
        unit="calls",
    ),
    _metric(
        "failed-subtasks",
        lambda run: float(sum(bool(event.error) for event in events_of(run, SubtaskDone))),
        "subtasks that failed",
        "lower",
        "subtasks",
    ),
)
"""The metrics of the paper, and ours on revisions."""
