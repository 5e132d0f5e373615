"""``repair``: the valid plan that deviates least from the plan that a model proposes.

The AutoPlanBench paper (section 7) names plan repair among the ways to combine a language model with a planner. The
proposal is that of Basic, or with ``repair:POLICY`` that of another policy that gives a whole plan, which runs as it
does by itself. Lines that cannot be read are not in it. A valid proposal is the plan.

Else Fast Downward first plans without the proposal. Then the proposal is compiled into the task
(`pddl2nl.systems.hybrids.compiling`), and the plan of the smallest distance is looked for, for as much CPU time as
planning alone took (`pddl2nl.systems.hybrids.planning`). If no nearer plan is known by then, the plan is that of
planning alone.

With ``from_prefix`` the longest executable prefix is kept, and LAMA plans on from the state that it reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.errors import InputError
from pddl2nl.pddl import Task
from pddl2nl.policies.episode import Episode, Policy
from pddl2nl.systems.hybrids.compiling import compile_proposal
from pddl2nl.systems.hybrids.events import PlanRepaired
from pddl2nl.systems.hybrids.planning import Planners, best_plan, cheapest
from pddl2nl.tasks.costs import with_unit_costs
from pddlval import GroundAction, Simulator, State


@dataclass(frozen=True)
class RepairedPlan:
    """A plan made out of a proposal.

    Attributes:
        plan: None without one.
        planners: those that found it.
        proved: whether no valid plan is nearer to the proposal, proved.
        alone: how the task was solved without the proposal; None if that was not tried.
        fallback: whether the plan is the one of ``alone``, because the search for the nearest one ended at its limit.
    """

    plan: tuple[GroundAction, ...] | None
    planners: Planners
    proved: bool = False
    alone: Planners | None = None
    fallback: bool = False


class RepairPolicy:
    """Has a policy propose a plan, and repairs it.

    Args:
        proposing: the policy.
        name: its name.

    Raises:
        InputError: it gives no whole plan, or repairs plans itself.
    """

    one_shot = True

    def __init__(self, proposing: Policy, name: str = "basic"):
        if not proposing.one_shot:
            raise InputError(
                f"repair:{name}: {name} takes its actions one at a time, and a plan is repaired as a whole; name a "
                "policy that gives one: basic, cot, llm+p, hvr, brainbody-open, …"
            )
        if isinstance(proposing, RepairPolicy):
            raise InputError(f"repair:{name}: {name} repairs plans itself")
        self.name = "repair" if name == "basic" else f"repair:{name}"
        self.styles, self.prompt = proposing.styles, proposing.prompt
        self.thoughts, self.needs_model = proposing.thoughts, proposing.needs_model
        self.summary = "the valid plan nearest to one of Basic (repair:POLICY: of another policy), by Fast Downward"
        self._proposing = proposing

    def run(self, episode: Episode) -> None:
        """Has a plan proposed, repairs it, and ends the episode with the result, or with the proposal if there is none.

        Raises:
            UnsupportedError, MissingExtraError, InfrastructureError: as `pddl2nl.baselines.solve`.
        """
        verdict = episode.proposal_of(self._proposing)
        simulator = episode.setting.simulator
        proposal = tuple(verdict.trace.proposed)
        followed = simulator.follow(simulator.initial, proposal)
        prefix, state = len(followed.actions), followed.state
        if verdict.valid or (followed.complete and simulator.is_goal(state)):
            episode.note(_event(proposal, prefix, None))
            if not verdict.valid:
                # Lines that cannot be read stand between the actions.
                episode.propose_plan(proposal, round=verdict.round + 1)
            episode.conclude()
            return
        if episode.setting.from_prefix:
            repaired = plan_on(simulator.task, proposal, prefix, state)
            if repaired.plan is not None:
                repaired = replace(repaired, alone=best_plan(with_unit_costs(simulator.task), optimally=False))
        else:
            repaired = repair_plan(simulator, proposal)
        episode.note(_event(proposal, prefix, repaired))
        if repaired.plan is not None:
            episode.propose_plan(repaired.plan, round=verdict.round + 1)
        episode.conclude()


def _event(proposal: Sequence[GroundAction], prefix: int, repaired: RepairedPlan | None) -> PlanRepaired:
    """What is recorded of a repair; None for a proposal that is valid."""
    texts = tuple(map(str, proposal))
    if repaired is None:
        return PlanRepaired("", "solved", texts, prefix, texts, tuple(range(len(texts))), proved=True)
    plan, planners, alone = repaired.plan or (), repaired.planners, repaired.alone
    kept = common_actions(plan, proposal)
    same = sum(pair == (place, place) for place, pair in enumerate(kept))
    return PlanRepaired(
        planners.result.planner,
        planners.result.status,
        texts,
        prefix,
        tuple(map(str, plan)),
        tuple(place for place, _ in kept),
        0 if repaired.plan is None else distance(plan, proposal),
        0 if repaired.plan is None or same == max(len(plan), len(proposal)) else same + 1,
        planners.seconds,
        planners.expanded,
        None if alone is None else alone.expanded,
        repaired.proved,
        repaired.fallback,
    )


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
    own = alone.result.plan
    if not compiled.follows or alone.result.status == "unsolvable":
        return RepairedPlan(own, alone, alone.proved, alone)
    near = cheapest(compiled.task, alone)
    plan = None if near.result.plan is None else compiled.decode(near.result.plan)
    if own is not None and (plan is None or distance(own, proposal) < distance(plan, proposal)):
        seconds, expanded = near.seconds + alone.seconds, near.expanded + alone.expanded
        both = replace(near, result=alone.result, seconds=seconds, expanded=expanded)
        return RepairedPlan(own, both, False, alone, True)
    return RepairedPlan(plan, near, near.proved, alone)


def plan_on(task: Task, proposal: Sequence[GroundAction], prefix: int, state: State) -> RepairedPlan:
    """The first actions of a proposal, and LAMA's plan from the state that they reach; raises as `repair_plan`."""
    rest = Task(task.domain, problem_in_state(task.problem, state, state.values))
    planners = best_plan(rest, optimally=False)
    plan = planners.result.plan
    return RepairedPlan(None if plan is None else (*proposal[:prefix], *plan), planners)
