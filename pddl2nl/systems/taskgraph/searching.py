"""Search along the task graph, in which a model scores the subtasks that may come next (GraphPlan paper, table 7).

For each plan in the beam the model is told the subtasks that may follow, and rates them, with targets, from 0 to 10.
``END`` is a candidate, too: it ends a plan. A plan is as good as the mean of its scores, so that long plans are not
better for being long. Greedy search keeps one plan, beam search `BEAM`; both end when the best one has ended, or after
`MOST_DEPTH` subtasks. The paper gives no width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from pddl2nl.policies.episode import Episode
from pddl2nl.search.beam import beam_search
from pddl2nl.systems.taskgraph.checking import PlanChecker
from pddl2nl.systems.taskgraph.events import NextScored
from pddl2nl.systems.taskgraph.prompts import NEXT, SubtaskPrompter, subtask_text
from pddl2nl.systems.taskgraph.replies import END, PlannedSubtask, read_scores

BEAM = 3
MOST_DEPTH = 15


@dataclass(frozen=True)
class _ScoredPlan:
    steps: tuple[PlannedSubtask, ...] = ()
    scores: tuple[float, ...] = ()
    ended: bool = False

    @property
    def value(self) -> float:
        return fmean(self.scores) if self.scores else 0.0


def search_plan(
    episode: Episode, prompter: SubtaskPrompter, checker: PlanChecker, scene: tuple[str, ...], width: int
) -> tuple[PlannedSubtask, ...]:
    """The best plan that the search ends with; empty if the model names no candidate that is possible.

    Args:
        episode: asks the model.
        prompter: of the task.
        checker: says what may follow.
        scene: the state, where nothing is hidden.
        width: how many plans are kept.
    """
    best = _ScoredPlan()
    for beam in beam_search(best, partial(_extended, episode, prompter, checker, scene), _ranked, width):
        best = beam[0]
        if best.ended:
            break
    return best.steps


def _ranked(plans: Sequence[_ScoredPlan]) -> list[_ScoredPlan]:
    """The best first; of equals the one that ended first."""
    return sorted(plans, key=lambda plan: (-plan.value, len(plan.scores)))


def _extended(
    episode: Episode, prompter: SubtaskPrompter, checker: PlanChecker, scene: tuple[str, ...], plan: _ScoredPlan
) -> Iterator[_ScoredPlan]:
    """The plans with one more subtask, or at their end; a plan at its end stays."""
    if plan.ended:
        yield plan
        return
    full = len(plan.steps) == MOST_DEPTH
    candidates = [END] if full else [*map(str, checker.after(plan.steps)), END]
    told = [subtask_text(step) for step in plan.steps]
    asked = prompter.messages(NEXT, plan=told, scene=scene, candidates=candidates)
    scored = read_scores(episode.ask(asked, again=True))
    possible = [
        (step, score)
        for step, score in scored
        if step == (END,) or (not full and not checker.check((*plan.steps, step), len(plan.steps)))
    ]
    names = tuple(subtask_text(step) if step != (END,) else END for step, _ in possible)
    episode.note(NextScored(tuple(told), names, tuple(score for _, score in possible), len(scored) - len(possible)))
    for step, score in possible:
        ended = step == (END,)
        yield _ScoredPlan(plan.steps if ended else (*plan.steps, step), (*plan.scores, score), ended)
