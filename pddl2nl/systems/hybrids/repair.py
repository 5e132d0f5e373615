"""``repair``: the valid plan that deviates least from the plan that a model proposes.

The AutoPlanBench paper (section 7) names plan repair among the ways to combine a language model with a planner. The
proposal is that of Basic, or with ``repair:POLICY`` that of another policy that gives a whole plan, which runs as it
does by itself. Lines that cannot be read are not in it. A valid proposal is the plan.

Else Fast Downward first plans without the proposal. Then the plan of the smallest distance is looked for, for as much
CPU time as planning alone took (`pddl2nl.search.nearest_plan`). If no nearer plan is known by then, the plan is that of
planning alone.

With ``from_prefix`` the longest executable prefix is kept, and LAMA plans on from the state that it reaches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta

from pddl2nl.pddl import Task
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.policy import Effort, Policy, make_policy
from pddl2nl.search.nearest_plan import RepairedPlan, best_plan, common_actions, distance, plan_on, repair_plan
from pddl2nl.systems.hybrids.events import PlanRepaired
from pddl2nl.tasks.costs import with_unit_costs
from pddlval import GroundAction


def _proposers(member: str) -> Any:
    """A member that is that of the policy that proposes."""
    return property(lambda repair: getattr(repair.proposing, member))


class Repair(Policy):
    """Has a policy propose a plan, and repairs it; it is told the task, asked and recorded as that policy is."""

    summary = "the valid plan nearest to one of Basic (repair:POLICY: of another policy), by Fast Downward"
    one_shot = True
    works_on = "basic"

    from_prefix: Annotated[
        bool,
        Meta(
            description="Whether to keep the longest executable prefix of the proposal and plan on from there, instead "
            "of looking for the nearest valid plan."
        ),
    ] = False
    proposer: Annotated[str, Meta(description="The policy that proposes the plan, named by repair:POLICY.")] = "basic"
    proposer_options: Annotated[
        dict[str, Any], Meta(description="Its options; -P NAME=VALUE gives them as if they were those of repair.")
    ] = msgspec.field(default_factory=dict)

    @property
    def proposing(self) -> Policy:
        """The policy that proposes the plan."""
        return make_policy(self.proposer, self.proposer_options)

    styles = _proposers("styles")
    thoughts = _proposers("thoughts")
    needs_model = _proposers("needs_model")
    uses = _proposers("uses")
    levels = _proposers("levels")
    roles = _proposers("roles")
    files = _proposers("files")
    mistakes = _proposers("mistakes")
    prompts = _proposers("prompts")
    prompt_names = _proposers("prompt_names")

    def effort(self, actions: int) -> Effort | None:
        return self.proposing.effort(actions)

    def snapshot(self, task: Task) -> Mapping[str, Any]:
        return self.proposing.snapshot(task)

    def restored(self, snapshot: Mapping[str, Any], task: Task, folder: Path) -> Self:
        """With the policy that proposes as it was."""
        made = self.proposing.restored(snapshot, task, folder)
        return msgspec.structs.replace(self, proposer_options=msgspec.to_builtins(made))

    def run(self, episode: Episode) -> None:
        """Has a plan proposed, repairs it, and ends the episode with the result, or else with the proposal.

        Raises:
            UnsupportedError, MissingExtraError, InfrastructureError: as `pddl2nl.baselines.solve`.
        """
        verdict = episode.proposal_of(self.proposing)
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
        if self.from_prefix:
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
    plan, result, alone = repaired.plan or (), repaired.result, repaired.alone
    kept = common_actions(plan, proposal)
    same = sum(pair == (place, place) for place, pair in enumerate(kept))
    return PlanRepaired(
        result.planner,
        result.status,
        texts,
        prefix,
        tuple(map(str, plan)),
        tuple(place for place, _ in kept),
        0 if repaired.plan is None else distance(plan, proposal),
        0 if repaired.plan is None or same == max(len(plan), len(proposal)) else same + 1,
        result.seconds,
        result.expanded or 0,
        None if alone is None else alone.expanded,
        repaired.proved,
        repaired.fallback,
    )
