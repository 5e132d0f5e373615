"""The simulator that SayPlan asks (the paper's ``verify_plan``): whether a plan can be executed, and what is told.

The first failing call decides. It is told in one of the styles of `pddl2nl.policies.refining.Style`: ``terse``, as in
the paper, only names the call, "cannot pick up apple"; ``reason`` tells the unmet conditions. A node that is not shown
is told as if it did not exist, because the model cannot know it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pddl2nl.errors import did_you_mean
from pddl2nl.nl import Teller
from pddl2nl.pddl import Atom, Condition, Not, changed_predicates
from pddl2nl.policies.refining import Style
from pddl2nl.systems.sayplan.calls import SceneActions, SceneCalled
from pddl2nl.systems.sayplan.events import Cause
from pddl2nl.worlds.scene_graph import SceneCall, SceneRoles, SceneView
from pddlval import BadActionError, GroundAction, Simulator, State, StepResult


@dataclass(frozen=True)
class CheckedPlan:
    """A simulated plan.

    Attributes:
        actions: those of its calls up to the first that fails, and of this one if it is an action.
        verified: how many of its calls can be executed one after the other.
        executable: whether all can.
        goal: whether the goal holds at the end; of a plan that is not executable, if failing calls are skipped.
        cause: the kind of the first error.
        unmet: the conditions that the failing action lacks.
        feedback: what is told of it.
    """

    actions: tuple[GroundAction, ...]
    verified: int
    executable: bool
    goal: bool
    cause: Cause = ""
    unmet: tuple[Condition, ...] = ()
    feedback: str = ""


@dataclass(frozen=True)
class _Tried:
    """What came of a call: the action with the fewest unmet conditions, and its result if it is one of the task."""

    action: GroundAction | None = None
    result: StepResult | None = None

    @property
    def successor(self) -> State | None:
        return None if self.result is None else self.result.successor


class PlanSimulator:
    """Simulates plans of one task.

    Args:
        simulator: of the task.
        roles: of its scene graph.
        teller: tells reasons, with the names of the graph's nodes.
        style: of what is told.
    """

    def __init__(self, simulator: Simulator, roles: SceneRoles, teller: Teller, style: Style):
        self._simulator = simulator
        self._roles = roles
        self._teller = teller
        self._style = style
        self._changed = changed_predicates(simulator.task.domain)
        self.actions = SceneActions(simulator.task.domain, roles)

    def check(self, calls: Sequence[SceneCalled], view: SceneView, start: State) -> CheckedPlan:
        """A plan with completed ways, simulated from a state."""
        state, actions, failed = start, list[GroundAction](), CheckedPlan((), len(calls), True, False)
        for number, call in enumerate(calls):
            tried = self._try(call, state)
            unknown = not all(map(view.shows, call.nodes))
            if tried.successor is not None and not unknown:
                state = tried.successor
                actions += [] if tried.action is None or not failed.executable else [tried.action]
            elif failed.executable:
                actions += [] if tried.action is None or unknown else [tried.action]
                cause, feedback = self._cause(call, tried, view, state), self._told(call, tried, view, state, number)
                unmet = () if tried.result is None else tried.result.unmet
                failed = CheckedPlan((), number, False, False, cause, unmet, feedback)
        goal = self._simulator.is_goal(state)
        return CheckedPlan(
            tuple(actions), failed.verified, failed.executable, goal, failed.cause, failed.unmet, failed.feedback
        )

    def _try(self, call: SceneCalled, state: State) -> _Tried:
        tried = [self._step(action, state) for action in self.actions.ground(call, state)]
        possible = [each for each in tried if each.result is not None]
        fewest = min(possible, key=self._distance, default=None)
        return next((each for each in possible if each.successor is not None), fewest or _Tried())

    def _distance(self, tried: _Tried) -> tuple[int, int]:
        """How far an action is from being applicable: unmet conditions that nothing changes, and all."""
        unmet = () if tried.result is None else tried.result.unmet
        return sum(_predicate(each) not in self._changed for each in unmet), len(unmet)

    def _step(self, action: GroundAction, state: State) -> _Tried:
        try:
            return _Tried(action, self._simulator.step(state, action))
        except BadActionError:
            return _Tried()

    # ── what is wrong, and what is told of it ────────────────────────────────────────────────────

    def _cause(self, call: SceneCalled, tried: _Tried, view: SceneView, state: State) -> Cause:
        """The kind of an error, as in the paper's Table 3."""
        roles = self._roles
        if not view.graph.nodes.keys() >= {*call.nodes}:
            return "hallucinated-node"
        if not all(map(view.shows, call.nodes)):
            return "incomplete-search"
        located = (name for level in roles.levels if level.parent for name in level.within)
        about_places = {roles.links, roles.agent, *located} - {""}
        unmet = () if tried.result is None else tried.result.unmet
        said = roles.calls.get(call.name)
        if said is None:
            return "wrong-action"
        # An asset is accessed from a pose, where no room is given: this is no action at all.
        if about_places & ({*map(_predicate, unmet)} if tried.result else {*_needed(said)}):
            return "missing-pose"
        steps = (self._step(action, state) for action in self._simulator.applicable(state))
        repaired = any(step.successor and self._try(call, step.successor).successor for step in steps)
        return "missing-action" if repaired else "wrong-action"

    def _told(self, call: SceneCalled, tried: _Tried, view: SceneView, state: State, number: int) -> str:
        said = self._roles.calls.get(call.name)
        if self._style == "raw":
            return f"Action {number + 1} failed."
        if said is None:
            return f"there is no action {call.name}{did_you_mean(call.name, self._roles.calls)}"
        unknown = [node for node in call.nodes if not view.shows(node)]
        if unknown:
            return f"there is no {unknown[0]} in the graph"
        if len(call.nodes) != len(said.given):
            return f"cannot read {call}: expected {said.written(call.name)}"
        refused = said.refused.format(*call.nodes)
        if tried.result is None and self._style == "reason":
            true = {atom[0] for atom in state.atoms}
            missing = [predicate for predicate in _needed(said) if predicate not in true]
            return f"{refused}: nothing is {missing[0]}" if missing else refused
        if self._style == "terse" or tried.result is None:
            return refused
        return self._teller.refused(tried.result, state)


def _needed(said: SceneCall) -> list[str]:
    """The predicates of the facts by which a call's parameters are known."""
    return [fact.split()[0] for fact in said.state.values()]


def _predicate(condition: Condition) -> str:
    """The predicate of a literal; empty for other conditions."""
    body = condition.body if isinstance(condition, Not) else condition
    return body.predicate if isinstance(body, Atom) else ""
