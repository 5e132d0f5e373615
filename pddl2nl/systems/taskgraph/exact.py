"""The subtasks of a task whose goal is known, searched without a model.

FF plans in actions. A best-first search over the simulator's states then looks for subtasks along the task graph that
do these actions: first the path with the fewest actions that are left, and few that are none of FF's. Its subtasks name
single objects, those of FF's plan, so that the search stays small. It begins anew with another weight where it finds
nothing, and is not complete: another plan of FF could have subtasks where this one has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from pddl2nl.baselines.planner import solve
from pddl2nl.errors import InfrastructureError
from pddl2nl.macros.subtasks.building import AUTOMATON
from pddl2nl.macros.subtasks.carrying import CarriedOut, ways_to_carry_out
from pddl2nl.macros.subtasks.graph import TaskGraph
from pddl2nl.macros.subtasks.nodes import Subtasks
from pddl2nl.pddl import Task
from pddl2nl.search.best_first import BestFirstSearch, Rank
from pddl2nl.systems.taskgraph.replies import PlannedSubtask
from pddlval import GroundAction, Simulator, State

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

    Attributes:
        left: the actions of FF's plan that are left.
        others: how many actions were done that are none of it.
        length: the number of subtasks.
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
