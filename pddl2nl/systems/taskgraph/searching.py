"""Searches along the task graph (GraphPlan paper, table 7): scored by a model, and without one.

For each plan in the beam the model is told the subtasks that may follow, and rates them, with targets, from 0 to 10.
``END`` is a candidate, too: it ends a plan. A plan is as good as the mean of its scores, so that long plans are not
better for being long. Greedy search keeps one plan, beam search several; both end when the best one has ended, or after
`MOST_DEPTH` subtasks.

The exact search knows the goal. FF plans in actions. A best-first search over the simulator's states then looks for
subtasks along the task graph that do these actions: first the path with the fewest actions that are left, and few that
are none of FF's. Its subtasks name single objects, those of FF's plan, so that the search stays small. It begins anew
with another weight where it finds nothing, and is not complete: another plan of FF could have subtasks where this one
has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from statistics import fmean

from pddl2nl.baselines.planner import solve
from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Answer
from pddl2nl.pddl import Task
from pddl2nl.policies.episode import Episode
from pddl2nl.search.beam import beam_search
from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddl2nl.systems.taskgraph.automaton import PlanChecker
from pddl2nl.systems.taskgraph.doing import CarriedOut, ways_to_carry_out
from pddl2nl.systems.taskgraph.events import NextScored
from pddl2nl.systems.taskgraph.graph import AUTOMATON, TaskGraph
from pddl2nl.systems.taskgraph.prompting import NEXT, SubtaskPrompter
from pddl2nl.systems.taskgraph.replies import END, read_scores
from pddl2nl.systems.taskgraph.subtasks import PlannedSubtask, Subtasks, subtask_text
from pddlval import GroundAction, Simulator, State

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
    episode: Episode,
    prompter: SubtaskPrompter,
    checker: PlanChecker,
    scene: tuple[str, ...],
    width: int,
    scores: Callable[[Sequence[PlannedSubtask]], Answer],
) -> tuple[PlannedSubtask, ...]:
    """The best plan that the search ends with; empty if the model names no candidate that is possible.

    `width` plans are kept; `scene` is the state, where nothing is hidden; `scores` is the oracle's.
    """
    best = _ScoredPlan()
    for beam in beam_search(best, partial(_extended, episode, prompter, checker, scene, scores), _ranked, width):
        best = beam[0]
        if best.ended:
            break
    return best.steps


def _ranked(plans: Sequence[_ScoredPlan]) -> list[_ScoredPlan]:
    """The best first; of equals the one that ended first."""
    return sorted(plans, key=lambda plan: (-plan.value, len(plan.scores)))


def _extended(
    episode: Episode,
    prompter: SubtaskPrompter,
    checker: PlanChecker,
    scene: tuple[str, ...],
    scores: Callable[[Sequence[PlannedSubtask]], Answer],
    plan: _ScoredPlan,
) -> Iterator[_ScoredPlan]:
    """The plans with one more subtask, or at their end; a plan at its end stays."""
    if plan.ended:
        yield plan
        return
    full = len(plan.steps) == MOST_DEPTH
    after = (str(node) for node in checker.after(plan.steps) if node.name in prompter.usable)
    candidates = [END] if full else [*after, END]
    told = [subtask_text(step) for step in plan.steps]
    asked = prompter.messages(NEXT, plan=told, scene=scene, candidates=candidates)
    scored = read_scores(episode.ask(asked, again=True, answer=scores(plan.steps)))
    possible = [
        (step, score)
        for step, score in scored
        if step == (END,) or (not full and not _faults(checker, (*plan.steps, step), episode.state))
    ]
    names = tuple(subtask_text(step) if step != (END,) else END for step, _ in possible)
    episode.note(NextScored(tuple(told), names, tuple(score for _, score in possible), len(scored) - len(possible)))
    for step, score in possible:
        ended = step == (END,)
        yield _ScoredPlan(plan.steps if ended else (*plan.steps, step), (*plan.scores, score), ended)


def _faults(checker: PlanChecker, plan: Sequence[PlannedSubtask], state: State) -> bool:
    return any(fault.place == len(plan) - 1 for fault in checker.check(plan, state))


MOST_EXPANDED = 1_000
"""The states that the search expands at most with each weight."""
_WEIGHTS = (4, 1)
"""How many actions that are none of FF's count as one that is left. A search of weight 4 ends sooner where many others
are needed; one of weight 1 goes around edges that the graph lacks."""


@dataclass(frozen=True)
class ExactStep:
    """A subtask of the plan, and how it is carried out."""

    subtask: PlannedSubtask
    done: CarriedOut


@dataclass(frozen=True)
class _Reached:
    """A state and the last subtask before it (in a graph of pairs), which decide how a path can go on.

    With the actions of FF's plan that are `left`, how many `others` were done, and the number of subtasks.
    """

    state: State
    last: str
    left: Counter[GroundAction] = field(compare=False)
    others: int = field(default=0, compare=False)
    length: int = field(default=0, compare=False)


def exact_plan(
    simulator: Simulator, subtasks: Subtasks, graph: TaskGraph, state: State
) -> tuple[ExactStep, ...] | None:
    """Subtasks that reach the goal from a state; None if there are none or the search ends without them.

    Raises:
        InfrastructureError: FF ended without a plan and without the proof that there is none.
        MissingExtraError: Fast Downward is not installed.
    """
    task = simulator.task
    if state != simulator.initial:
        task = Task(task.domain, replace(task.problem, init=tuple(sorted(state.atoms))))
    result = solve(task, "ff")
    if result.plan is None:
        if result.status == "unsolvable":
            return None
        raise InfrastructureError(f"there is no plan for an exact search: ff ended with {result.status}")
    lifted = (_lifted(simulator, subtasks, graph, state, result.plan, weight) for weight in _WEIGHTS)
    return next((steps for steps in lifted if steps is not None), None)


def _lifted(
    simulator: Simulator, subtasks: Subtasks, graph: TaskGraph, state: State, plan: Sequence[GroundAction], weight: int
) -> tuple[ExactStep, ...] | None:
    moves = () if subtasks.sight is None else (subtasks.sight.move,)
    wanted = Counter(action for action in plan if action.name not in moves)
    objects = sorted({name for action in plan for name in action.args})

    def successors(node: _Reached) -> Iterator[tuple[ExactStep, _Reached]]:
        for step in _next_steps(simulator, subtasks, graph, node, objects):
            done = Counter(action for action in step.done.actions if action.name not in moves)
            others = node.others + (done - node.left).total()
            last = "" if graph.name == AUTOMATON else step.subtask[0]
            yield step, _Reached(step.done.state, last, node.left - done, others, node.length + 1)

    def rank(node: _Reached, _: _Reached | None) -> Rank:
        return weight * node.left.total() + node.others, node.length

    search = BestFirstSearch(successors, rank)
    search.start(_Reached(state, "", wanted))
    while not search.exhausted and search.expanded < MOST_EXPANDED:
        # The nearest way counts, not the first one that is found.
        if simulator.is_goal(search.next.state):
            return search.plan(search.next)[1]
        search.expand()
    return None


def _next_steps(
    simulator: Simulator, subtasks: Subtasks, graph: TaskGraph, reached: _Reached, objects: Sequence[str]
) -> Iterator[ExactStep]:
    """The possible subtasks after those that were done, with targets among some objects."""
    task = simulator.task
    allowed = graph.after(reached.last) if reached.last else [node.name for node in graph.nodes]
    for name in allowed:
        node = subtasks.by_name[name]
        targets = [{item.name: item.types for item in way.parameters} for way in node.ways]
        fitting = (
            [each for each in objects if any(task.is_a(each, types[target.variable]) for types in targets)]
            for target in node.targets
        )
        for chosen in product(*fitting):
            done = next(ways_to_carry_out(simulator, reached.state, node, [[each] for each in chosen]), None)
            if done is not None:
                yield ExactStep((name, *chosen), done)
