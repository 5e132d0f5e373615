"""Plans as models write them: calls such as ``pickup(apple)``, completed ways, and the simulator that judges them.

A reply is JSON. In a plan, calls stand in a list, one a line, or between ``>``. Names are compared without regard to
letter case, and a hyphen, an underscore and a blank are the same. No line of a plan is dropped: it is a call, or it
fails as one that cannot be read.

The simulator is the paper's ``verify_plan``: the first failing call decides. It is told in one of the styles of
`pddl2nl.policies.refining.Style`: ``terse``, as in the paper, only names the call, "cannot pick up apple"; ``reason``
tells the unmet conditions. A node that is not shown is told as if it did not exist, because the model cannot know it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import Any

from pddl2nl.errors import did_you_mean
from pddl2nl.nl import Teller
from pddl2nl.pddl import Atom, Condition, Not, Task, changed_predicates
from pddl2nl.policies.refining import Style, clearest
from pddl2nl.policies.structured import read_json
from pddl2nl.systems.sayplan.events import Cause
from pddl2nl.systems.sayplan.scene_graph import SceneCall, SceneGraph, SceneRoles, SceneView
from pddlval import BadActionError, GroundAction, Simulator, State, StepResult

_NUMBER = re.compile(r"^\s*(?:(?:step\s*)?\d+\s*[.):]|[-*•])\s*(?=\S)", re.IGNORECASE)
_CALL = re.compile(r"\s*([\w-]+)\s*\(([^()]*)\)\s*")
_WORDS = re.compile(r"\s*([\w-]+)\s*[\s:]\s*([^()]+)")
_BETWEEN = re.compile(r"-*>|[→⇒⟶➜\n;]|(?<=\)),")
_DONE = "done"
_NOTHING = ("none", "nothing")
_KEYS = frozenset(("command", "plan", "mode"))
_VERBS = ("command", "action", "call", "function", "name")


def plain_name(name: str) -> str:
    """A name in the form in which names are compared."""
    return re.sub(r"[\s_-]+", "_", name.strip().strip("\"'`<>[]")).casefold()


@dataclass(frozen=True)
class SceneCalled:
    """A call; its text is ``goto(kitchen)``. A line of a plan that is no call has only its text, ``unread``."""

    name: str
    nodes: tuple[str, ...]
    unread: str = ""

    def __str__(self) -> str:
        return self.unread or f"{self.name}({', '.join(self.nodes)})"


# ── replies ──────────────────────────────────────────────────────────────────────────────────────


def read_reply(reply: str) -> Mapping[str, Any]:
    """The object in a reply, or the one in it that has a command, a plan or a mode; empty without one."""
    return _unwrapped(read_json(reply, whole=True) or {})


def _unwrapped(data: dict[str, Any]) -> dict[str, Any]:
    inner = [value for value in data.values() if isinstance(value, dict)]
    return _unwrapped(inner[0]) if len(inner) == 1 and not _KEYS & data.keys() else data


def call_text(item: object) -> str:
    """A call or command as a text: ``{"command": "expand", "node_name": "kitchen"}`` and ``{"expand": "kitchen"}`` are
    ``expand(kitchen)``."""
    if not isinstance(item, Mapping):
        return item if isinstance(item, str) else repr(item)
    key = next((key for key in _VERBS if isinstance(item.get(key), str)), None)
    if key is None and len(item) != 1:
        return repr(item)
    verb, values = next(iter(item.items()))
    if key is not None:
        verb, values = item[key], [item[each] for each in item if _names_nodes(each)]
    if "(" in verb:
        return str(verb)
    nodes = [str(each) for each in _flat(values)]
    return f"{verb}({', '.join(nodes)})" if nodes else str(verb)


def _names_nodes(key: str) -> bool:
    return re.fullmatch(r"(node|object|target|arg|argument|parameter|param|input)s?(_?(name|id)s?)?", key) is not None


def _flat(values: object) -> Iterator[object]:
    if isinstance(values, Mapping | list):
        for each in values.values() if isinstance(values, Mapping) else values:
            yield from _flat(each)
    elif values is not None:
        yield values


def node_names(graph: SceneGraph) -> Mapping[str, str]:
    return {plain_name(name): name for name in graph.nodes}


def read_calls(
    plan: object, names: Mapping[str, str] = MappingProxyType({}), verbs: Collection[str] = ()
) -> tuple[SceneCalled, ...]:
    """The calls of a plan up to ``done``; lines that are none stand where they are.

    Names of nodes (`node_names`) that are unknown stay in the form in which names are compared. Only the calls in
    `verbs` may be written without brackets, ``goto kitchen``.
    """
    while isinstance(plan, Mapping) and len(plan) == 1 and isinstance(inner := next(iter(plan.values())), list | dict):
        plan = inner
    parts = plan if isinstance(plan, list) else [*plan.values()] if isinstance(plan, Mapping) else [plan]
    lines = [line for part in parts for line in _BETWEEN.split(call_text(part))]
    calls: list[SceneCalled] = []
    # Blanks are joined, because several patterns would try many ways to divide them.
    plain = (_NUMBER.sub("", " ".join(line.split()), count=1).strip("[]\"'` .,") for line in lines)
    for line in filter(None, plain):
        if plain_name(line.removesuffix("()")) == _DONE:
            break
        match = _CALL.fullmatch(line)
        if match is None and (match := _WORDS.fullmatch(line)) is not None and plain_name(match[1]) not in verbs:
            match = None
        if match is None:
            calls.append(SceneCalled("", (), line))
        else:
            nodes = filter(None, map(plain_name, match[2].split(",")))
            calls.append(SceneCalled(plain_name(match[1]), tuple(names.get(node, node) for node in nodes)))
    return tuple(calls)


def read_answer(said: object, names: Mapping[str, str]) -> tuple[str, ...] | None:
    """What a model answers to the task: nodes and numbers, none if there is no such thing; None without an answer.

    It is a list, or a text with commas; an empty text is no answer.
    """
    parts = said if isinstance(said, list) else [] if said is None else str(said).split(",")
    words = [word for word in (plain_name(str(part)) for part in parts) if word]
    if not words and not isinstance(said, list):
        return None
    return tuple(dict.fromkeys(names.get(word, word) for word in words if word not in _NOTHING))


def json_reply(thought: str, reason: str = "", *, command: str = "", plan: Sequence[SceneCalled] | None = None) -> str:
    """A reply: a command of the search, or a plan."""
    mode = "exploring" if command and not command.startswith("terminate") else "planning"
    content = {"command": command} if plan is None else {"plan": [*map(str, plan), "done()"]}
    return json.dumps(
        {"chain_of_thought": thought, "reasoning": reason or thought, "mode": mode, **content}, ensure_ascii=False
    )


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────


def fill_ways(
    calls: Sequence[SceneCalled], graph: SceneGraph, moves: str
) -> tuple[tuple[SceneCalled, ...], tuple[int, ...]]:
    """The calls with the places on the way before each movement, and the indices of those inserted.

    A movement to the agent's own place is dropped. One to an unknown node, or without a way, stays as it is, and the
    agent's place is then that before it. `moves` is the name of the call that moves the agent.
    """
    place, filled, inserted = graph.location or "", list[SceneCalled](), list[int]()
    for call in calls:
        end = call.nodes[-1] if call.nodes else ""
        way = graph.way(place, end) if call.name == moves and end in graph.nodes else None
        if way is None:
            filled.append(call)
            continue
        for node in way[1:]:
            if node != end:
                inserted.append(len(filled))
            filled.append(SceneCalled(moves, (node,)))
        place = end
    return tuple(filled), tuple(inserted)


def without_ways(calls: Iterable[SceneCalled], moves: str) -> tuple[SceneCalled, ...]:
    """The calls with only the last of successive movements, the inverse of `fill_ways` for shortest ways."""
    kept: list[SceneCalled] = []
    for call in calls:
        if kept and call.name == kept[-1].name == moves:
            kept.pop()
        kept.append(call)
    return tuple(kept)


# ── calls and actions ────────────────────────────────────────────────────────────────────────────


class SceneActions:
    """The calls of a task as its actions."""

    def __init__(self, task: Task, roles: SceneRoles):
        self._task = task
        self._schemas = {action.name: action.parameters for action in task.domain.actions}
        self._roles = roles

    def ground(self, call: SceneCalled, state: State) -> Iterator[GroundAction]:
        """The actions that a call can stand for in a state.

        Objects that the call does not name are those for which its facts hold in the state. If a fact about another
        object never holds (no hand holds the milk), all objects of the type stand for it; if one about the object
        alone never does (nothing is accessed), there is no action. There is none of an unknown call, either.
        """
        said = self._roles.calls.get(call.name)
        if said is None or len(said.given) != len(call.nodes):
            return
        bindings = [dict(zip(said.given, call.nodes, strict=True))]
        for parameter, fact in said.state.items():
            bindings = [{**known, **more} for known in bindings for more in _matches(parameter, fact, known, state)]
        for name in said.actions:
            for values in bindings:
                lacking = [each for each in self._schemas[name] if each.name not in values]
                if all(" " in said.state.get(each.name, "") for each in lacking):
                    for others in product(*(self._task.objects_of(each.types) for each in lacking)):
                        known = values | dict(zip((each.name for each in lacking), others, strict=True))
                        yield GroundAction(name, tuple(known[each.name] for each in self._schemas[name]))

    def calls(self, actions: Iterable[GroundAction]) -> tuple[SceneCalled, ...]:
        """Actions as calls, the inverse of `ground`."""
        named = {name: (call, said.given) for call, said in self._roles.calls.items() for name in said.actions}
        return tuple(
            SceneCalled(call, tuple(values[parameter] for parameter in given))
            for action in actions
            for call, given in [named[action.name]]
            for values in [dict(zip((each.name for each in self._schemas[action.name]), action.args, strict=True))]
        )


def _matches(parameter: str, fact: str, known: Mapping[str, str], state: State) -> list[Mapping[str, str]]:
    """The values of the parameters in a fact ``at ?truck ?loc`` for which it holds; no values at all if it never does.

    A predicate alone is a fact about the parameter.
    """
    predicate, *arguments = fact.split()
    arguments = arguments or [parameter]
    matches: list[Mapping[str, str]] = []
    for atom in sorted(state.atoms):
        if atom[0] == predicate and len(atom) == len(arguments) + 1:
            values = dict(zip(arguments, atom[1:], strict=True))
            if all(known.get(name, value) == value for name, value in values.items()):
                matches.append(values)
    return matches or [{}]


# ── the simulator ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class CheckedPlan:
    """A simulated plan.

    Attributes:
        actions: those of its calls up to the first that fails, and of this one if it is an action.
        verified: how many of its calls can be executed one after the other; it is ``executable`` if all can.
        goal: whether the goal holds at the end; of a plan that is not executable, if failing calls are skipped.
        cause, unmet: the kind of the first error, and the conditions that the failing action lacks.
        feedback: what is told of it.
        unread: whether the failing call could not be read.
    """

    actions: tuple[GroundAction, ...]
    verified: int
    executable: bool
    goal: bool
    cause: Cause = ""
    unmet: tuple[Condition, ...] = ()
    feedback: str = ""
    unread: bool = False


class PlanSimulator:
    """Simulates plans of one task; reasons are told with the names of the graph's nodes."""

    def __init__(self, simulator: Simulator, roles: SceneRoles, teller: Teller, style: Style):
        self._simulator = simulator
        self._roles = roles
        self._teller = teller
        self._style = style
        self._changed = changed_predicates(simulator.task.domain)
        self.actions = SceneActions(simulator.task, roles)

    def check(self, calls: Sequence[SceneCalled], view: SceneView, start: State) -> CheckedPlan:
        """A plan with completed ways, simulated from a state."""
        state, actions = start, list[GroundAction]()
        failed: CheckedPlan | None = None
        for number, call in enumerate(calls):
            if call.name == self._roles.moves and (self._roles.agent, *call.nodes) in state.atoms:
                # Who goes where they are stays there: the paper's plans begin so, and no planner is needed to see it.
                continue
            result = self._try(call, state)
            known = all(map(view.shows, call.nodes))
            if failed is None and known and result is not None:
                actions.append(result.action)
            if known and result is not None and result.successor is not None:
                state = result.successor
            elif failed is None:
                cause, feedback = self._cause(call, result, view, state), self._told(call, result, view, state, number)
                unmet, unread = result.unmet if result else (), bool(call.unread)
                failed = CheckedPlan((), number, False, False, cause, unmet, feedback, unread)
        checked = failed or CheckedPlan((), len(calls), True, False)
        return replace(checked, actions=tuple(actions), goal=self._simulator.is_goal(state))

    def _try(self, call: SceneCalled, state: State) -> StepResult | None:
        results = (self._step(action, state) for action in self.actions.ground(call, state))
        return clearest((each for each in results if each is not None), call.nodes, self._changed)

    def _step(self, action: GroundAction, state: State) -> StepResult | None:
        try:
            return self._simulator.step(state, action)
        except BadActionError:
            return None

    # ── what is wrong, and what is told of it ────────────────────────────────────────────────────

    def _cause(self, call: SceneCalled, result: StepResult | None, view: SceneView, state: State) -> Cause:
        """The kind of an error, as in the paper's Table 3."""
        roles = self._roles
        if not view.graph.nodes.keys() >= {*call.nodes}:
            return "hallucinated-node"
        if not all(map(view.shows, call.nodes)):
            return "incomplete-search"
        said = roles.calls.get(call.name)
        if said is None:
            return "wrong-action"
        located = (name for level in roles.levels if level.parent for name in level.within)
        about_places = {roles.links, roles.agent, *located} - {""}
        # An asset is accessed from a pose, where no room is given: this is no action at all.
        lacking = map(_predicate, result.unmet) if result else _needed(said)
        if not about_places.isdisjoint(lacking):
            return "missing-pose"
        steps = (self._step(action, state) for action in self._simulator.applicable(state))
        after = (self._try(call, step.successor) for step in steps if step is not None and step.successor is not None)
        repaired = any(each is not None and each.successor is not None for each in after)
        return "missing-action" if repaired else "wrong-action"

    def _told(self, call: SceneCalled, result: StepResult | None, view: SceneView, state: State, number: int) -> str:
        said = self._roles.calls.get(call.name)
        if call.unread:
            return f"cannot read {call.unread}"
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
        if self._style == "terse":
            return refused
        if result is not None:
            return self._teller.refused(result, state)
        true = {atom[0] for atom in state.atoms}
        missing = [predicate for predicate in _needed(said) if predicate not in true]
        return f"{refused}: nothing is {missing[0]}" if missing else refused


def _needed(said: SceneCall) -> list[str]:
    return [fact.split()[0] for fact in said.state.values()]


def _predicate(condition: Condition) -> str:
    body = condition.body if isinstance(condition, Not) else condition
    return body.predicate if isinstance(body, Atom) else ""
