"""Stage 2 of SayPlan: a plan of the model, completed and simulated, and corrected until it can be executed."""

from __future__ import annotations

from dataclasses import dataclass

from pddl2nl.baselines.planner import solve
from pddl2nl.errors import InfrastructureError
from pddl2nl.pddl import write_condition
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.refining import Attempt, Check, refine
from pddl2nl.policies.staged import shortened
from pddl2nl.systems.sayplan.calls import SceneCalled, fill_ways, node_names, read_calls, read_json, without_ways
from pddl2nl.systems.sayplan.checking import CheckedPlan, PlanSimulator
from pddl2nl.systems.sayplan.events import PlanChecked
from pddl2nl.systems.sayplan.prompts import SceneMechanism, ScenePrompter
from pddl2nl.systems.sayplan.searching import ended
from pddl2nl.worlds.scene_graph import SceneGraph, SceneView

MOST_CORRECTIONS = 5
"""As in the paper (section 5.2)."""
_MOST_CALLS = 2_000
_MOST_TOLD = 80


@dataclass(frozen=True)
class _Proposal:
    """A plan as it was said, and what came of it."""

    said: tuple[SceneCalled, ...]
    unread: tuple[str, ...]
    checked: CheckedPlan


def model_plan(
    episode: Episode,
    checker: PlanSimulator,
    prompter: ScenePrompter,
    view: SceneView,
    first: object,
    mechanism: SceneMechanism,
) -> CheckedPlan:
    """The model's plan after its corrections.

    Args:
        episode: asks the model and records the events.
        checker: simulates plans.
        prompter: of the task.
        view: what the model knows.
        first: a plan that the last reply of the search has, if any.
        mechanism: whether ways are completed, and plans corrected.
    """
    number = 0

    def propose(failed: Attempt[_Proposal] | None) -> _Proposal:
        nonlocal number
        number = 0 if failed is None else failed.number + 1
        plan = first
        if failed is not None or not first:
            lines = () if failed is None else (*failed.proposal.said, *failed.proposal.unread)
            feedback = "" if failed is None else failed.feedback
            constraint = prompter.calls(view, episode.setting.constrain)
            reply = episode.ask(prompter.plan(view, lines, feedback), again=True, constraint=constraint)
            plan = (read_json(reply) or {}).get("plan")
        said, unread = read_calls([] if plan is None else plan, node_names(view.graph))
        told = tuple(shortened(line, _MOST_TOLD) for line in unread)
        return _check(episode, checker, view, said[:_MOST_CALLS], told, number, mechanism)

    def feedback(proposal: _Proposal) -> str:
        return _feedback(episode, proposal, goal=episode.setting.goal_feedback)

    return refine(
        propose,
        [Check("simulator", feedback)],
        lambda proposal: MOST_CORRECTIONS if mechanism.verification else 0,
        same=None if episode.sampling else lambda proposal: (proposal.said, proposal.unread),
    ).proposal.checked


def _check(
    episode: Episode,
    checker: PlanSimulator,
    view: SceneView,
    said: tuple[SceneCalled, ...],
    unread: tuple[str, ...],
    number: int,
    mechanism: SceneMechanism,
) -> _Proposal:
    roles = episode.setting.scene
    assert roles is not None
    filled, inserted = fill_ways(said, view.graph, roles.moves) if mechanism.paths else (said, ())
    checked = checker.check(filled, view, episode.state)
    proposal = _Proposal(said, unread, checked)
    episode.note(
        PlanChecked(
            number,
            tuple(map(str, filled)),
            inserted,
            checked.verified,
            checked.executable,
            checked.goal,
            checked.cause,
            tuple(map(write_condition, checked.unmet)),
            _feedback(episode, proposal, goal=episode.setting.goal_feedback),
            unread,
        )
    )
    return proposal


def _feedback(episode: Episode, proposal: _Proposal, *, goal: bool) -> str:
    """What the model is told of a plan; empty if nothing is wrong."""
    if proposal.unread:
        return f"cannot read {proposal.unread[0]}"
    if not proposal.said:
        return "the plan has no actions"
    if not proposal.checked.executable:
        return proposal.checked.feedback
    return "the plan can be executed, but the task is not done at its end" if goal and not proposal.checked.goal else ""


def exact_plan(episode: Episode, checker: PlanSimulator, graph: SceneGraph) -> CheckedPlan:
    """The plan that FF finds in the whole graph, in the smallest view that shows its nodes; no model is asked.

    Raises:
        InfrastructureError: FF found no plan within its limits.
    """
    roles, task = episode.setting.scene, episode.setting.simulator.task
    assert roles is not None
    result = solve(task, "ff")
    if result.plan is None:
        raise InfrastructureError(f"there is no plan for an exact search: ff ended with {result.status}")
    calls = checker.actions.calls(result.plan)
    view = SceneView(graph, graph.revealing(node for call in calls for node in call.nodes))
    episode.note(ended("exact", view, ()))
    said = without_ways(calls, roles.moves)
    filled, inserted = fill_ways(said, graph, roles.moves)
    checked = checker.check(filled, view, episode.state)
    episode.note(PlanChecked(0, tuple(map(str, filled)), inserted, checked.verified, checked.executable, checked.goal))
    return checked


def execute(episode: Episode, plan: CheckedPlan) -> None:
    """Executes a plan up to its first failing action, and ends the episode."""
    episode.begin_plan(plan.actions)
    for action in plan.actions:
        turn = episode.move(action, ends=False)
        if turn.status != "executed":
            episode.end_plan(turn.status, turn.observation)
            return
    if plan.executable and plan.actions:
        episode.end_plan()
    else:
        episode.end_plan("unreadable", plan.feedback or "the plan has no actions that could be read")
