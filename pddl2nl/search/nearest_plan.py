"""The valid plan nearest to a proposal: the proposal is compiled into its task, and Fast Downward plans.

The compiled task knows how much of the proposal is behind. To follow its next action costs nothing; to skip that
action, and every action that is not the proposal's next one, costs 1. All of the proposal must be followed or skipped.
The cost of a plan is thus its distance: the actions it adds to the proposal and those it leaves out, as in an edit
script of insertions and deletions. Between two followed actions skips come first, because their order among the other
actions changes nothing: this keeps the search space small.

An action that can never be applied (an unknown object, a wrong type, a static condition that is false) is skipped from
the start. A proposal of nothing else leaves the task itself with unit costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pddl2nl.baselines import PLANNERS, PlannerResult, solve
from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.baselines.planner import cheapest_plan
from pddl2nl.pddl import ActionSchema, And, Atom, GroundAtom, Not, Predicate, Task
from pddl2nl.pddl.rewriting import substitute
from pddl2nl.tasks.costs import with_unit_costs
from pddlval import BadActionError, GroundAction, Simulator, State

OPTIMAL_SECONDS = 10
"""CPU seconds for LM-cut."""
SECONDS = 300
"""CPU seconds for LAMA's first plan."""
LEAST_SECONDS = 10
"""CPU seconds of searches on a compiled task at least, because small tasks need most of it for the translation."""


@dataclass(frozen=True)
class RepairedPlan:
    """A plan made out of a proposal.

    Attributes:
        plan: None without one.
        result: of the last planner, with the effort of all that were tried.
        proved: whether no valid plan is nearer to the proposal, proved.
        alone: how the task was solved without the proposal; None if that was not tried.
        fallback: whether the plan is the one of ``alone``, because the search for the nearest one ended at its limit.
    """

    plan: tuple[GroundAction, ...] | None
    result: PlannerResult
    proved: bool = False
    alone: PlannerResult | None = None
    fallback: bool = False


def distance(plan: Sequence[GroundAction], proposal: Sequence[GroundAction]) -> int:
    """The actions that a plan adds to a proposal, and those that it leaves out."""
    return len(plan) + len(proposal) - 2 * len(common_actions(plan, proposal))


def common_actions(plan: Sequence[GroundAction], proposal: Sequence[GroundAction]) -> list[tuple[int, int]]:
    """A longest common subsequence of two plans: the indices of each common action in both.

    Common beginnings are taken first, so that the plans part as late as possible.
    """
    longest = [[0] * (len(proposal) + 1) for _ in range(len(plan) + 1)]
    for i in reversed(range(len(plan))):
        for j in reversed(range(len(proposal))):
            same = plan[i] == proposal[j]
            longest[i][j] = longest[i + 1][j + 1] + 1 if same else max(longest[i + 1][j], longest[i][j + 1])
    pairs, i, j = list[tuple[int, int]](), 0, 0
    while i < len(plan) and j < len(proposal):
        if plan[i] == proposal[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def repair_plan(simulator: Simulator, proposal: Sequence[GroundAction]) -> RepairedPlan:
    """The valid plan with the smallest distance to a proposal, or the nearest one that was found within the limits.

    Raises:
        UnsupportedError, MissingExtraError, InfrastructureError: as `pddl2nl.baselines.solve`.
    """
    alone = best_plan(with_unit_costs(simulator.task))
    compiled = compile_proposal(simulator, proposal)
    own = alone.plan
    if not compiled.follows or alone.status == "unsolvable":
        return RepairedPlan(own, alone, _proved(alone), alone)
    near = cheapest(compiled.task, alone)
    plan = None if near.plan is None else compiled.decode(near.plan)
    if own is not None and (plan is None or distance(own, proposal) < distance(plan, proposal)):
        return RepairedPlan(own, _together([near, alone]), False, alone, True)
    return RepairedPlan(plan, near, _proved(near), alone)


def plan_on(task: Task, proposal: Sequence[GroundAction], prefix: int, state: State) -> RepairedPlan:
    """The first actions of a proposal, and LAMA's plan from the state that they reach; raises as `repair_plan`."""
    rest = Task(task.domain, problem_in_state(task.problem, state, state.values))
    result = best_plan(rest, optimally=False)
    return RepairedPlan(None if result.plan is None else (*proposal[:prefix], *result.plan), result)


# ── Fast Downward ────────────────────────────────────────────────────────────────────────────────


def best_plan(task: Task, *, optimally: bool = True) -> PlannerResult:
    """A plan by LM-cut, else LAMA's first one.

    LM-cut plans optimally, and takes neither conditional effects nor axioms; LAMA takes both.

    Raises:
        UnsupportedError: the validator cannot judge plans for the task.
        MissingExtraError: Fast Downward is not installed.
        InfrastructureError: it cannot be started, or its plan is not valid.
    """
    optimal = [lambda: solve(task, "lmcut", time_limit=OPTIMAL_SECONDS)] if optimally else []
    return _first([*optimal, lambda: solve(task, "lama", time_limit=SECONDS)])


def cheapest(task: Task, alone: PlannerResult) -> PlannerResult:
    """The cheapest plan of a compiled task, by searches that get as much CPU time as planning alone took.

    LM-cut gets half of it, also if it did not solve the task alone: with a good proposal the compiled task is easier.
    LAMA gets the other half, and improves its plan until it is proved the cheapest or the time is up.

    Args:
        task: the compiled task.
        alone: how the task itself was solved.

    Raises:
        UnsupportedError, MissingExtraError, InfrastructureError: see `best_plan`.
    """
    half = max(LEAST_SECONDS, math.ceil(alone.seconds)) // 2
    return _first([lambda: solve(task, "lmcut", time_limit=half), lambda: cheapest_plan(task, half)])


def _first(searches: Sequence[Callable[[], PlannerResult]]) -> PlannerResult:
    """The result of the first search that finds a plan, or proves that there is none."""
    results: list[PlannerResult] = []
    for search in searches:
        results.append(search())
        if results[-1].status in ("solved", "unsolvable"):
            break
    return _together(results)


def _together(results: Sequence[PlannerResult]) -> PlannerResult:
    """The last result, with the effort of all."""
    seconds, wall_seconds = sum(each.seconds for each in results), sum(each.wall_seconds for each in results)
    expanded = sum(each.expanded or 0 for each in results)
    return replace(results[-1], seconds=seconds, wall_seconds=wall_seconds, expanded=expanded)


def _proved(result: PlannerResult) -> bool:
    return result.solved and not result.message and result.search != " ".join(PLANNERS["lama"])


# ── the compiled task ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CompiledProposal:
    """A task that prices the distance to a proposal.

    Attributes:
        task: the compiled task.
        follows: the proposal's action behind the name of each action that follows it.
        skips: the names of the actions that skip one.
    """

    task: Task
    follows: Mapping[str, GroundAction]
    skips: frozenset[str]

    def decode(self, plan: Sequence[GroundAction]) -> tuple[GroundAction, ...]:
        """A plan of the compiled task as a plan of the task."""
        kept = [action for action in plan if action.name not in self.skips]
        return tuple(self.follows.get(action.name, action) for action in kept)


def compile_proposal(simulator: Simulator, proposal: Sequence[GroundAction]) -> CompiledProposal:
    """The task of a simulator, compiled with a proposal."""
    task = simulator.task
    possible = [action for action in proposal if _possible(simulator, action)]
    if not possible:
        return CompiledProposal(with_unit_costs(task), {}, frozenset())
    taken = [*(each.name for each in task.domain.predicates), *(each.name for each in task.domain.actions)]
    prefix = "proposal"
    while any(name.startswith(f"{prefix}-") for name in taken):
        prefix += "x"
    behind = [Atom(f"{prefix}-behind-{number}") for number in range(len(possible) + 1)]
    may_skip = Atom(f"{prefix}-may-skip")
    follows, skips = dict[str, GroundAction](), list[str]()
    actions = [replace(each, effect=And((each.effect, Not(may_skip)))) for each in task.domain.actions]
    for number, action in enumerate(possible):
        advance = (Not(behind[number]), behind[number + 1])
        follow, skip = f"{prefix}-follow-{number}", f"{prefix}-skip-{number}"
        schema = task.domain.action(action.name)
        assert schema is not None
        binding = dict(zip((item.name for item in schema.parameters), action.args, strict=True))
        condition = And((behind[number], substitute(schema.precondition, binding)))
        effect = And((substitute(schema.effect, binding), *advance, may_skip))
        actions.append(ActionSchema(follow, (), condition, effect))
        actions.append(ActionSchema(skip, (), And((behind[number], may_skip)), And(advance)))
        follows[follow] = action
        skips.append(skip)
    named = {term for action in possible for term in action.args}
    problem = task.problem
    domain = replace(
        task.domain,
        constants=(*task.domain.constants, *(item for item in problem.objects if item.name in named)),
        predicates=(*task.domain.predicates, *(Predicate(atom.predicate) for atom in (*behind, may_skip))),
        actions=tuple(actions),
        source=None,
    )
    problem = replace(
        problem,
        objects=tuple(item for item in problem.objects if item.name not in named),
        init=(*problem.init, *(GroundAtom((atom.predicate,)) for atom in (behind[0], may_skip))),
        goal=And((problem.goal, behind[-1])),
        source=None,
    )
    made = with_unit_costs(Task(domain, problem), dict.fromkeys(follows, 0))
    return CompiledProposal(made, follows, frozenset(skips))


def _possible(simulator: Simulator, action: GroundAction) -> bool:
    try:
        return simulator.ground(action).possible
    except BadActionError:
        return False
