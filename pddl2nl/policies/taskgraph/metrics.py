"""The metrics of the GraphPlan paper as pure functions of a run's events, in %, and ours on revisions.

SR is the goal, GC the share of its conditions that holds at the end; PLWSR and PLWGC weigh them by
``L* / max(L*, L)`` as in ALFRED, with the lengths of the shipped plan and of the run. The others are of the plan before
it is carried out. The paper counts a plan as right if it is legal and equals the ground truth or a model agrees; ours
counts it if it is legal and reaches the goal when the simulator carries it out. The paper gives no formulas for MSR,
ASR, WTR and AER: ours compare the plan with the ground truth by common subsequences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Literal

from pddl2nl.policies.brainbody.metrics import end_of, satisfied
from pddl2nl.policies.family import RunMetric, ScoredRun
from pddl2nl.policies.taskgraph.events import GraphChecked, PlanRevised, RevisionSpared, SubtaskDone
from pddl2nl.policies.taskgraph.prompts import MECHANISMS

__all__ = ["METRICS"]


def _goal(run: ScoredRun) -> float | None:
    """SR: 100 if the goal holds at the end."""
    end = end_of(run)
    return None if end is None else 100.0 * end[0].is_goal(end[1])


def _conditions(run: ScoredRun) -> float | None:
    """GC: ``100 · goal conditions that hold at the end / goal conditions``."""
    end = end_of(run)
    if end is None:
        return None
    met, conditions = satisfied(end[0].task.problem.goal, end[1])
    return 100 * met / conditions if conditions else 100.0


def _weighted(of: Callable[[ScoredRun], float | None]) -> Callable[[ScoredRun], float | None]:
    """A value times ``L* / max(L*, L)``; None without a ground truth."""

    def value(run: ScoredRun) -> float | None:
        plain, best = of(run), _reference_length(run)
        if plain is None or not best:
            return None
        return plain * best / max(best, run.finished.steps)

    return value


def _blocks(run: ScoredRun) -> Sequence[Mapping[str, Any]]:
    ways = run.started.reference.get("ways") or [{}]
    blocks: Sequence[Mapping[str, Any]] = ways[0].get("blocks", [])
    return blocks


def _reference_length(run: ScoredRun) -> int:
    return sum(len(block["actions"]) for block in _blocks(run))


def _final(run: ScoredRun) -> GraphChecked | None:
    """The last check of the plan of the task, before any revision."""
    first = [event for event in run.events if isinstance(event, GraphChecked) and not event.revision]
    return first[-1] if first else None


def _of_plan(value: Callable[[ScoredRun, GraphChecked], float | None]) -> Callable[[ScoredRun], float | None]:
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


def _common(run: ScoredRun, plan: GraphChecked) -> tuple[int, int, int] | None:
    """Steps that plan and ground truth have in common in one order, and the length of both; None without one."""
    truth = [str(block["macro"]) for block in _blocks(run)]
    matcher = SequenceMatcher(None, truth, plan.plan, autojunk=False)
    return (sum(block.size for block in matcher.get_matching_blocks()), len(truth), len(plan.plan)) if truth else None


def _missing(run: ScoredRun, plan: GraphChecked) -> float | None:
    """MSR: ``100 · steps of the ground truth that the plan lacks / its steps``."""
    counts = _common(run, plan)
    return None if counts is None else 100 * (counts[1] - counts[0]) / counts[1]


def _additional(run: ScoredRun, plan: GraphChecked) -> float | None:
    """ASR: ``100 · steps of the plan that the ground truth lacks / its steps``."""
    counts = _common(run, plan)
    return None if counts is None or not counts[2] else 100 * (counts[2] - counts[0]) / counts[2]


def _wrong_transitions(run: ScoredRun, plan: GraphChecked) -> float | None:
    """WTR: ``100 · steps that cannot come where they are / (steps - 1)``; None for plans of one step or none."""
    pairs = len(plan.plan) - 1
    return 100 * min(len(plan.transitions), pairs) / pairs if pairs > 0 else None


def _affordances(run: ScoredRun, plan: GraphChecked) -> float | None:
    """AER: ``100 · steps with wrong names or targets / steps``."""
    return 100 * len(plan.targets) / len(plan.plan) if plan.plan else None


def _revisions(trigger: str) -> Callable[[ScoredRun], float | None]:
    def of(run: ScoredRun) -> float:
        return float(sum(e.changed and e.trigger == trigger for e in run.events if isinstance(e, PlanRevised)))

    return of


def _useful(run: ScoredRun) -> float | None:
    """Useful revisions: ``100 · those whose new rest reaches the goal, and the old one does not / revisions``."""
    changed = [event for event in run.events if isinstance(event, PlanRevised) and event.changed]
    return 100 * sum(e.after and not e.before for e in changed) / len(changed) if changed else None


def _spared(run: ScoredRun) -> float:
    return float(sum(isinstance(event, RevisionSpared) for event in run.events))


def _failed(run: ScoredRun) -> float:
    return float(sum(bool(event.error) for event in run.events if isinstance(event, SubtaskDone)))


def _metric(
    name: str,
    of: Callable[[ScoredRun], float | None],
    summary: str,
    better: Literal["higher", "lower"] = "higher",
    unit: str = "%",
) -> RunMetric:
    return RunMetric(
        name, summary, better, "mean", lambda run: of(run) if run.started.policy in MECHANISMS else None, unit, "always"
    )


METRICS: tuple[RunMetric, ...] = (
    _metric("subtask-success", _goal, "SR of taskgraph: runs at whose end the goal holds"),
    _metric("subtask-conditions", _conditions, "GC of taskgraph: goal conditions that hold at the end"),
    _metric("subtask-weighted-success", _weighted(_goal), "PLWSR: SR weighted by the length of the run"),
    _metric("subtask-weighted-conditions", _weighted(_conditions), "PLWGC: GC weighted by the length of the run"),
    _metric("subtask-accuracy", _of_plan(_accurate), "plans of subtasks that are legal and reach the goal"),
    _metric("graph-pass", _of_plan(_legal), "GPR: plans of subtasks with which nothing is wrong"),
    _metric("missing-subtasks", _of_plan(_missing), "MSR: subtasks of the ground truth that the plan lacks", "lower"),
    _metric("additional-subtasks", _of_plan(_additional), "ASR: subtasks that the ground truth lacks", "lower"),
    _metric(
        "wrong-transitions", _of_plan(_wrong_transitions), "WTR: subtasks that cannot come where they are", "lower"
    ),
    _metric("affordance-errors", _of_plan(_affordances), "AER: subtasks with wrong names or targets", "lower"),
    _metric("revisions-error", _revisions("error"), "revisions of a plan of subtasks after errors", "lower", "plans"),
    _metric(
        "revisions-completed", _revisions("completed"), "revisions of a plan after completed subtasks", "lower", "plans"
    ),
    _metric("useful-revisions", _useful, "revisions with which the goal is reached, and without which it is not"),
    _metric("spared-revisions", _spared, "questions about a plan that a proof has saved", "higher", "calls"),
    _metric("failed-subtasks", _failed, "subtasks that failed", "lower", "subtasks"),
)
"""The metrics of the paper, and ours on revisions."""
