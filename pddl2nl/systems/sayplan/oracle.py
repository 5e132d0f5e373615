"""Answers SayPlan's prompts with a planner in place of a model; what it needs to know stands in the prompt.

It knows what the texts of shipped tasks mean: of a search its answers, else the goal and the objects of the shipped
plan. It does not know where anything is. A search expands the rooms that the task names, then the others in the order
of the graph, and contracts those without anything that it needs. A plan is FF's for the task that the graph in the
prompt tells. If the graph lacks something, the plan is empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from pddl2nl.baselines.inputs import TaskTexts
from pddl2nl.baselines.planner import solve
from pddl2nl.baselines.told_task import ToldTaskError, among
from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import Message
from pddl2nl.nl import Wording
from pddl2nl.nl.reading.told import NLReadError, read_goal
from pddl2nl.pddl import (
    Condition,
    Domain,
    GroundAtom,
    Problem,
    TypedName,
    write_condition,
    write_domain,
    write_problem,
)
from pddl2nl.systems.sayplan.calls import SceneActions, SceneCalled, plain_name, without_ways
from pddl2nl.systems.sayplan.mistakes import NOWHERE, mistaken_plan
from pddl2nl.systems.sayplan.prompts import LAYOUT, SEARCH, STEP_BY_STEP, json_reply, shipped_roles
from pddl2nl.tasks.references import reference_task, told_references
from pddl2nl.worlds.scene_graph import SceneLevel, SceneRoles
from pddlval import GroundAction

_HELD = "inside_hand"


def oracle(domain: Domain, wording: Wording, mistake: str | None) -> SceneOracle:
    """The oracle for a domain, whose ``scene.json`` is that of the shipped domain."""
    return SceneOracle(domain, wording, mistake)


@dataclass(frozen=True)
class _Meaning:
    """What a task's text means: its goal, sets of nodes each of which suffices, rooms that must be expanded.

    ``calls`` are the shipped plan; None of a goal that was told, of which nothing else is known.
    """

    goal: Condition
    answers: tuple[frozenset[str], ...]
    searched: tuple[str, ...] = ()
    calls: tuple[SceneCalled, ...] | None = None


class SceneOracle:
    """Answers SayPlan's prompts.

    Args:
        domain: the domain of all tasks.
        wording: of told goals.
        mistake: the mistake that it makes, if any (`pddl2nl.systems.sayplan.mistakes`).
    """

    def __init__(self, domain: Domain, wording: Wording, mistake: str | None = None):
        self._domain = domain
        self._wording = wording
        self._mistake = mistake

    def reply(self, messages: Sequence[Message]) -> str | None:
        """The answer to a prompt; None if it is not one of SayPlan's.

        Raises:
            ToldTaskError: the task cannot be understood, or the domain has no scene graph.
            InfrastructureError: the planner failed or reached a limit.
        """
        stage = LAYOUT.stage_of(messages)
        if stage is None:
            return None
        roles = shipped_roles(self._domain)
        if roles is None:
            raise ToldTaskError(f"I know no scene graph of {self._domain.name}")
        sections = LAYOUT.read(messages[-1].content)
        seen = _Seen(json.loads(sections["Scene graph"]), roles, self._domain)
        meaning = self._meaning(sections["Task"], seen)
        answer = _SceneAnswer(self._domain, seen, meaning, sections, messages[0].content, self._mistake)
        return answer.search() if stage == SEARCH else answer.plan()

    def _meaning(self, text: str, seen: _Seen) -> _Meaning:
        for reference in told_references(text, self._domain):
            goal = reference_task(self._domain, reference).problem.goal
            actions = SceneActions(self._domain, seen.roles)
            calls = actions.calls(map(GroundAction.parse, reference.ways[0].plan))
            needs = tuple(map(frozenset, reference.answers)) or (
                frozenset(each for call in calls for each in call.nodes),
            )
            return _Meaning(goal, () if reference.searched else needs, reference.searched, calls)
        words = dict.fromkeys(text.replace(".", " ").split())
        # What is not shown yet may be of any level.
        kinds = tuple(level.type for level in seen.roles.levels)
        objects = {**{word: TypedName(word, kinds) for word in words}, **seen.objects}
        try:
            goal = read_goal(text, self._domain, self._wording, objects).condition
        except NLReadError as error:
            raise ToldTaskError(f"I do not understand the task ({str(error).splitlines()[0]})") from error
        named = {word for word in write_condition(goal).replace("(", " ").replace(")", " ").split() if word in words}
        return _Meaning(goal, (frozenset(named),))


class _Seen:
    """A graph as a prompt shows it, and the PDDL facts that it tells (the inverse of `SceneView.text`)."""

    def __init__(self, data: Mapping[str, Any], roles: SceneRoles, domain: Domain):
        self.roles = roles
        self.domain = domain
        self.nodes: Mapping[str, list[dict[str, Any]]] = data["nodes"]
        self.links = [tuple(link.split("↔")) for link in data["links"]]

    @cached_property
    def objects(self) -> Mapping[str, TypedName]:
        """The nodes as objects with their types."""
        types = {level.kind: level.type for level in self.roles.levels} | {"pose": self.roles.poses}
        nodes = [(each, types[kind]) for kind, shown in self.nodes.items() if kind in types for each in shown]
        of_types = {"object", *(each.name for each in self.domain.types)}
        return {
            node["id"]: TypedName(node["id"], (node.get("type", kind if kind in of_types else "object"),))
            for node, kind in nodes
        }

    @property
    def closed(self) -> list[str]:
        """The nodes that can be expanded, in the order of the graph."""
        kinds = [level.kind for level in self.roles.levels if level.opens]
        return [node["id"] for kind in kinds for node in self.nodes.get(kind, ())]

    def below(self, name: str) -> set[str]:
        """What is shown below a node."""
        children = self._children.get(name, set())
        return children.union(*map(self.below, children))

    @cached_property
    def _children(self) -> Mapping[str, set[str]]:
        below = {level.kind for level in self.roles.levels if level.kind != self.roles.top}
        things = {node["id"] for kind, nodes in self.nodes.items() if kind in below for node in nodes}
        children: dict[str, set[str]] = {}
        for one, other in self.links:
            if other in things:
                children.setdefault(one, set()).add(other)
        return children

    @property
    def atoms(self) -> tuple[GroundAtom, ...]:
        """The facts that the graph tells about what it shows."""
        return tuple(GroundAtom(fact) for fact in self._all_facts() if self.objects.keys() >= {*fact[1:]})

    def _all_facts(self) -> Iterator[tuple[str, ...]]:
        roles = self.roles
        yield from ((roles.agent, each["location"]) for each in self.nodes.get("agent", ()) if each["location"])
        places = {node["id"] for kind in (roles.top, "pose") for node in self.nodes.get(kind, ())}
        for one, other in self.links:
            if {one, other} <= places:
                yield from ((roles.links, one, other), (roles.links, other, one))
        for level in roles.levels:
            for node in self.nodes.get(level.kind, ()):
                yield from self._facts(level, node)
        states = [node.get("state", "") for nodes in self.nodes.values() for node in nodes]
        if roles.free and not any(state.startswith(_HELD) for state in states):
            yield (roles.free,)

    def _facts(self, level: SceneLevel, node: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
        name, state = node["id"], node.get("state", "")
        if level.type not in {"object", *(each.name for each in self.domain.types)}:
            yield (level.type, name)
        if level.parent and level.parent in node:
            yield (level.within[0], name, node[level.parent])
        allowed = {level.affordances[each] for each in node.get("affordances", ())} - {""}
        yield from ((predicate, name) for predicate in sorted(allowed))
        parts = state.split(", ")
        yield from ((each.predicate, name) for each in level.states if each.yes in parts)
        relation, _, other = state.removesuffix(")").partition("(")
        if relation == _HELD:
            yield (self.roles.held, *([other] if other else []), name)
        yield from ((each, name, other) for each in level.within if each.replace("-", "_") == relation)
        if state == "absent":
            yield (self.roles.absent, name)
        for attribute in node.get("attributes", ()):
            mark, _, other = attribute.removesuffix(")").partition("(")
            if mark in self.roles.marks:
                yield (mark, name, *([other] if other else []))


@dataclass
class _SceneAnswer:
    """The answers to one prompt."""

    domain: Domain
    seen: _Seen
    meaning: _Meaning
    sections: Mapping[str, str]
    instruction: str
    mistake: str | None

    @property
    def _feedback(self) -> str:
        return self.sections.get("Feedback", "")

    # ── search ───────────────────────────────────────────────────────────────────────────────────

    def search(self) -> str:
        """The next command."""
        memory = [name for name in self.sections.get("Memory", "").strip("[]").split(", ") if name]
        if self.mistake == "bad-json" and not self._feedback and not memory:
            return '{"mode": "exploring", "command": "expand('
        if self.mistake == "early-stop" and not memory and not self._feedback:
            return json_reply("this will do", command="terminate")
        if self.mistake == "revisit" and memory and not self._feedback:
            return json_reply("once more", command=f"expand({memory[-1]})")
        if self._complete(memory):
            return json_reply("the graph shows all that the task needs", command="terminate")
        wanted = frozenset[str]().union(*self.meaning.answers)
        opened = [name for name in self.seen.closed if self.seen.below(name)]
        useless = [name for name in opened if not wanted & self.seen.below(name)]
        if useless and "- contract(" in self.instruction and self.mistake != "no-contract":
            return json_reply(f"nothing in {useless[0]} matters", command=f"contract({useless[0]})")
        waiting = [name for name in self._order() if name not in memory and name not in opened]
        if not waiting:
            return json_reply("no node is left that can have it", command="terminate")
        return json_reply(f"{waiting[0]} may have what the task needs", command=f"expand({waiting[0]})")

    def _complete(self, memory: Sequence[str]) -> bool:
        if self.meaning.searched:
            return {*self.meaning.searched} <= {*memory}
        shown = any(answer <= self.seen.objects.keys() for answer in self.meaning.answers)
        return shown and (self.meaning.calls is not None or self._calls() is not None)

    def _order(self) -> list[str]:
        """The nodes that can be expanded: those that must be, those that the task names, the others."""
        task = plain_name(self.sections["Task"].replace("'", ""))
        named = [name for name in self.seen.closed if any(len(word) > 3 and word in task for word in _words(name))]
        return list(dict.fromkeys((*self.meaning.searched, *named, *self.seen.closed)))

    # ── plan ─────────────────────────────────────────────────────────────────────────────────────

    def plan(self) -> str:
        """The plan, or an empty one if the graph lacks something."""
        moves, calls = self.seen.roles.moves, self._calls() or ()
        if STEP_BY_STEP not in self.instruction or self.mistake == "missing-pose":
            calls = without_ways(calls, moves)
        told = self._feedback if self.mistake != "hallucinated-node" else NOWHERE in self._feedback
        if not told:
            calls = mistaken_plan(self.mistake, calls, moves)
        thought = "each step is possible after those before it" if calls else "nothing shown can do the task"
        return json_reply(thought, plan=calls)

    def _calls(self) -> tuple[SceneCalled, ...] | None:
        """The plan; None if the graph lacks something."""
        if self.mistake == "early-stop":
            return self.meaning.calls
        objects = self.seen.objects
        goal = among(self.meaning.goal, objects)
        shown = Problem("shown", self.domain.name, objects=tuple(objects.values()), init=self.seen.atoms, goal=goal)
        plan = _plan(write_domain(self.domain), write_problem(shown))
        return None if plan is None else SceneActions(self.domain, self.seen.roles).calls(plan)


def _words(name: str) -> list[str]:
    return name.rstrip("0123456789").split("_")


@lru_cache(maxsize=256)
def _plan(domain: str, problem: str) -> tuple[GroundAction, ...] | None:
    """FF's plan; None if there is none. Cached, because a correction asks for the same plan."""
    result = solve(TaskTexts(domain, problem), "ff")
    if result.plan is None and result.status != "unsolvable":
        raise InfrastructureError(f"the oracle has no plan: ff ended with {result.status}: {result.message}")
    return result.plan
