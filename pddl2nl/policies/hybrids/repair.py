"""``repair``: the valid plan that deviates least from the plan that a model proposes.

The AutoPlanBench paper (section 7) names plan repair among the ways to combine a language model with a planner. The
proposal is that of Basic, or with ``repair:POLICY`` that of another policy that gives a whole plan, which runs as it
does by itself. A valid proposal is the plan. Else it is compiled into the task
(`pddl2nl.policies.hybrids.compiling`), and Fast Downward finds the plan of the smallest distance, optimally if LM-cut
can. Lines that cannot be read are not in the proposal.

With ``from_prefix`` the longest executable prefix is kept, and LAMA plans on from the state that it reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.baselines.inputs import problem_in_state
from pddl2nl.errors import InputError
from pddl2nl.macros.planning import with_unit_costs
from pddl2nl.pddl import Task
from pddl2nl.policies.episode import Episode, Policy
from pddl2nl.policies.hybrids.compiling import compile_proposal
from pddl2nl.policies.hybrids.events import PlanRepaired
from pddl2nl.policies.hybrids.planning import Planners, best_plan
from pddlval import BadActionError, GroundAction, Simulator, State

__all__ = ["RepairPolicy", "RepairedPlan", "common_actions", "executable_prefix", "plan_on", "repair_plan"]


@dataclass(frozen=True)
class RepairedPlan:
    """A plan made out of a proposal, None without one, and the planners that were asked."""

    plan: tuple[GroundAction, ...] | None
    planners: Planners


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
        prefix, state = executable_prefix(simulator, proposal)
        if verdict.valid:
            episode.note(_event(proposal, prefix, proposal))
            episode.conclude()
            return
        if episode.setting.from_prefix:
            repaired = plan_on(simulator.task, proposal, prefix, state)
        else:
            repaired = repair_plan(simulator, proposal)
        alone = None
        if repaired.plan is not None:
            alone = best_plan(with_unit_costs(simulator.task), (repaired.planners.result.planner,)).result.expanded
        episode.note(_event(proposal, prefix, repaired.plan, repaired.planners, alone))
        if repaired.plan is not None:
            episode.propose_plan(repaired.plan, round=verdict.round + 1)
        episode.conclude()


def _event(
    proposal: Sequence[GroundAction],
    prefix: int,
    plan: Sequence[GroundAction] | None,
    planners: Planners | None = None,
    alone: int | None = None,
) -> PlanRepaired:
    kept = common_actions(plan or (), proposal)
    same = sum(pair == (place, place) for place, pair in enumerate(kept))
    longest = max(len(plan or ()), len(proposal))
    return PlanRepaired(
        "" if planners is None else planners.result.planner,
        "solved" if planners is None else planners.result.status,
        tuple(map(str, proposal)),
        prefix,
        tuple(map(str, plan or ())),
        tuple(place for place, _ in kept),
        0 if plan is None else len(plan) + len(proposal) - 2 * len(kept),
        0 if plan is None or same == longest else same + 1,
        0.0 if planners is None else planners.seconds,
        0 if planners is None else planners.expanded,
        alone,
    )


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


def executable_prefix(simulator: Simulator, proposal: Sequence[GroundAction]) -> tuple[int, State]:
    """How many actions of a proposal can be executed one after the other, and the state that they reach."""
    state = simulator.initial
    for place, action in enumerate(proposal):
        try:
            successor = simulator.step(state, action).successor
        except BadActionError:
            successor = None
        if successor is None:
            return place, state
        state = successor
    return len(proposal), state


def repair_plan(simulator: Simulator, proposal: Sequence[GroundAction]) -> RepairedPlan:
    """The valid plan with the smallest distance to a proposal; of small distance where LM-cut finds none in time.

    Raises:
        UnsupportedError, MissingExtraError, InfrastructureError: as `pddl2nl.baselines.solve`.
    """
    compiled = compile_proposal(simulator, proposal)
    planners = best_plan(compiled.task)
    plan = planners.result.plan
    return RepairedPlan(None if plan is None else compiled.decode(plan), planners)


def plan_on(task: Task, proposal: Sequence[GroundAction], prefix: int, state: State) -> RepairedPlan:
    """The first actions of a proposal, and LAMA's plan from the state that they reach; raises as `repair_plan`."""
    rest = Task(task.domain, problem_in_state(task.problem, state, state.values))
    planners = best_plan(rest, ("lama",))
    plan = planners.result.plan
    return RepairedPlan(None if plan is None else (*proposal[:prefix], *plan), planners)
