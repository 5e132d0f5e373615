"""Scene graphs: what a task's objects are to each other, level by level, and views that show a part of them.

The 3D scene graphs of Rana et al., *SayPlan* (CoRL 2023, section 3.2), made from any task whose domain has a
``scene.json`` beside it (`SceneRoles`): levels (floor, room, asset, object), places that join rooms (poses), links
between places, and an agent. A `SceneView` shows the top level and what is below its expanded nodes; its text is JSON:

    {"nodes":{"room":[{"id":"kitchen"}],"agent":[{"location":"kitchen","id":"agent"}],"asset":[{"room":"kitchen",
    "affordances":["open","close"],"state":"closed","id":"fridge"}]},"links":["kitchen↔fridge"]}

Nodes and links are in the order of the task, so that equal tasks have equal texts. Shortest ways need networkx (extra
``planners``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from pddl2nl.conversion import WrongValueError, convert
from pddl2nl.errors import InputError, MissingExtraError, did_you_mean
from pddl2nl.files import parse_json, read_text
from pddl2nl.pddl import Domain, GroundAtom, Task
from pddl2nl.systems.sayplan.other_graphs import scene_of
from pddl2nl.systems.sayplan.tokens import count_tokens
from pddlval import State

AGENT = "agent"
"""The name of the node for the agent, and of its kind."""

POSE = "pose"
"""The kind of places that only join others."""

LINK = "↔"
"""Between the nodes of a link."""

_LINKED = "{}" + LINK + "{}"


# ── scene.json ───────────────────────────────────────────────────────────────────────────────────


class SceneState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a node's state: of nodes for which ``of`` is true (empty: of all), ``yes`` where ``predicate`` holds,
    else ``no``."""

    of: str
    predicate: str
    yes: str
    no: str


class SceneLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One level of the graph.

    Attributes:
        kind: the name of its nodes' list in the JSON.
        type: the PDDL type of its objects, or in a domain without types a unary predicate.
        within: predicates ``(p ?x ?parent)`` that place a node below another one; none if its nodes are always shown.
        opens: whether its nodes can be expanded; what is below nodes that cannot is shown with them.
        reached: whether the agent can go to its nodes; they are linked to all nodes with the same place above them.
        parent: the key of the parent in a node's JSON; empty where the state says it, ``inside_of(fridge)``.
        affordances: what the agent can do with a node: the name, and the unary predicate that allows it (empty: all).
        states: the parts of a node's state; of a node without any it is ``free``.
    """

    kind: str
    type: str
    within: tuple[str, ...] = ()
    opens: bool = False
    reached: bool = False
    parent: str = ""
    affordances: Mapping[str, str] = {}
    states: tuple[SceneState, ...] = ()


class SceneCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action as models call it: ``pickup(apple)`` stands for some actions of the domain.

    The call names the `given` parameters. Other parameters have the fact that holds for their objects: ``{"?loc": "at
    ?truck ?loc"}``, or a unary predicate: ``{"?a": "accessed"}``. `about` says for models what it does, and `refused`
    what a terse simulator says if it fails; braces stand for the nodes.
    """

    actions: tuple[str, ...]
    given: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    about: str
    state: Mapping[str, str] = {}
    refused: str = "cannot do this with {}"

    def written(self, name: str) -> str:
        """How models write it, by its name: ``put(node, node)``."""
        return f"{name}({', '.join(['node'] * len(self.given))})"


class SceneRoles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the types and predicates of a domain are in its scene graph: the file ``scene.json``.

    Attributes:
        levels: from the top down.
        top: the kind of the level that a collapsed view shows; levels above it are left out.
        links: a predicate of two places, true in at least one direction; empty without any.
        agent: a unary predicate, where the agent is; empty without one agent.
        held: a predicate whose last argument the agent holds, of it alone or also of a hand; empty if it never holds
            anything.
        free: a predicate without arguments that is true while it holds nothing; empty without any.
        absent: a unary predicate of objects that do not exist yet; they are shown, below no other; empty without any.
        poses: the type of places that only join others; empty without any.
        attributes: a predicate of a node and an attribute; empty without any.
        marks: predicates of one or two arguments that are shown among the attributes of a node, as ``heats`` or
            ``controls(stove)``.
        calls: the actions of plans.
        moves: the call that goes to a linked place; empty without links.
        rules: what holds for all actions, for models.
    """

    format: Literal[1]
    levels: tuple[SceneLevel, ...]
    top: str
    links: str = ""
    agent: str = ""
    held: str = ""
    free: str = ""
    absent: str = ""
    poses: str = ""
    attributes: str = ""
    marks: tuple[str, ...] = ()
    calls: Mapping[str, SceneCall] = {}
    moves: str = ""
    rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        kinds = [level.kind for level in self.levels]
        if self.top not in kinds:
            raise ValueError(f"top is '{self.top}'; expected one of the levels {', '.join(kinds)}")
        if self.moves and self.moves not in self.calls:
            raise ValueError(f"moves is '{self.moves}'; expected one of the calls {', '.join(self.calls)}")

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode()

    def shown_from(self, top: str) -> SceneRoles:
        """The same roles with another top level; raises `InputError` for an unknown one."""
        kinds = [level.kind for level in self.levels]
        if top not in kinds:
            raise InputError(f"there is no level '{top}'; the levels are {', '.join(kinds)}")
        return msgspec.structs.replace(self, top=top)


def load_roles(path: str | Path) -> SceneRoles:
    """The roles of a ``scene.json``; raises `InputError`, with the place, for a file of another form."""
    return read_roles(read_text(path, "scene file"), None, str(path))


def read_roles(text: str, domain: Domain | None = None, name: str = "<scene>") -> SceneRoles:
    """The roles in a text of any domain; raises `InputError`, with the place, for a text of another form."""
    try:
        return convert(parse_json(text, name), SceneRoles)
    except WrongValueError as error:
        raise InputError(f"{name}: {error}") from None


# ── the graph ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class SceneNode:
    """A node of a level, or a ``pose``: below its parent if it has one, with what the JSON says of it before its name.

    The agent can go to a ``reached`` node although it is not linked.
    """

    name: str
    kind: str
    parent: str
    opens: bool
    fields: Mapping[str, str | tuple[str, ...]]
    reached: bool = False

    @property
    def words(self) -> Iterator[str]:
        """What it can be called: its name without a number at its end, its kind, type and attributes.

        A hyphen is an underscore.
        """
        said = [re.sub(r"[-_]?\d+$", "", self.name), self.kind]
        for key in ("type", "attributes"):
            values = self.fields.get(key, ())
            said += [values] if isinstance(values, str) else values
        yield from (each.replace("-", "_") for each in said)

    def to_json(self) -> dict[str, object]:
        return {**self.fields, "id": self.name}


@dataclass(frozen=True)
class SceneGraph:
    """The whole graph of a state.

    The nodes stand level by level from the top kind, poses behind the first; the agent is not one of them. Its location
    is empty if it is nowhere, None without an agent.
    """

    nodes: Mapping[str, SceneNode]
    links: tuple[tuple[str, str], ...]
    location: str | None
    held: frozenset[str]
    top: str

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """The nodes directly below each node that has some."""
        below: dict[str, list[str]] = {}
        for node in self.nodes.values():
            if node.parent:
                below.setdefault(node.parent, []).append(node.name)
        return {name: tuple(names) for name, names in below.items()}

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The nodes below no other: the top level, poses, and what the agent holds."""
        return tuple(name for name, node in self.nodes.items() if not node.parent)

    @cached_property
    def places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.nodes)}

    @cached_property
    def things(self) -> frozenset[str]:
        """The nodes that are no places and cannot be expanded: assets and objects."""
        kinds = {self.top, POSE}
        return frozenset(name for name, node in self.nodes.items() if not node.opens and node.kind not in kinds)

    def above(self, name: str) -> Iterator[str]:
        while parent := self.nodes[name].parent:
            yield parent
            name = parent

    def collapsed(self) -> SceneView:
        """The view of the top level, poses and the agent (the paper's ``collapse``)."""
        return SceneView(self)

    def full(self) -> SceneView:
        return SceneView(self, frozenset(name for name, node in self.nodes.items() if node.opens))

    def revealing(self, wanted: Iterable[str]) -> frozenset[str]:
        """The nodes to expand so that all wanted ones are shown; no smaller set does it, as the levels are a forest."""
        return frozenset(
            each for name in wanted if name not in self.held for each in self.above(name) if self.nodes[each].opens
        )

    def cheapest(self, answers: Iterable[Collection[str]]) -> frozenset[str]:
        """The fewest nodes to expand so that all nodes of one of the answers are shown; the first of equal ones."""
        return min(map(self.revealing, answers), key=len, default=frozenset())

    def way(self, start: str, end: str) -> tuple[str, ...] | None:
        """A shortest way along links, both ends included; of several the first in the order of the names; None without.

        Nodes that are reached without being linked are at the linked node above them.

        Raises:
            MissingExtraError: networkx is not installed.
        """
        if start == end:
            return (start,)
        here, there = self._linked(start), self._linked(end)
        if here is None or there is None:
            return None
        from networkx import single_source_shortest_path_length

        distances: Mapping[str, int] = single_source_shortest_path_length(self._network, there)
        if here not in distances:
            return None
        way = [here]
        while way[-1] != there:
            nearer = (name for name in self._network[way[-1]] if distances[name] < distances[way[-1]])
            way.append(min(nearer))
        return (start, *way[1:-1], end)

    def _linked(self, name: str) -> str | None:
        """The linked node where a place is; None for nodes to which nothing goes."""
        if name in self._network or name not in self.nodes or not self.nodes[name].reached:
            return name if name in self._network else None
        return next((each for each in self.above(name) if each in self._network), None)

    @cached_property
    def _network(self) -> Any:
        try:
            from networkx import Graph
        except ImportError as error:
            raise MissingExtraError("networkx", "planners", "finding ways in a scene graph") from error
        return Graph(self.links)


def scene_graph(task: Task, roles: SceneRoles, atoms: Iterable[GroundAtom] | None = None) -> SceneGraph:
    """The scene graph of a task in a state, by default the initial one.

    Raises:
        InputError: the roles name a type or predicate that the domain does not have, a node is below itself, or one of
            a lower level is below no other.
    """
    types = {"object", *(each.name for each in task.domain.types)}
    predicates = {each.name for each in task.domain.predicates}
    _refuse_unknown(task, "type", filter(None, (roles.poses,)), types)
    _refuse_unknown(task, "type or predicate", (level.type for level in roles.levels), types | predicates)
    _refuse_unknown(task, "predicate", _predicates(roles), predicates)
    facts = _SceneFacts(task.problem.init if atoms is None else atoms)
    start = [level.kind for level in roles.levels].index(roles.top)
    nodes: dict[str, SceneNode] = {}
    held = facts.held(roles.held)
    declared = {name: item.types[0] for name, item in task.objects.items()}
    for level in roles.levels[start:]:
        typed = level.type in types
        names = task.objects_of((level.type,)) if typed else [each for each in declared if each in facts.of(level.type)]
        for name in names:
            special = declared[name] if typed and declared[name] != level.type else ""
            nodes[name] = _node(name, level, roles, facts, held, special)
        if level.kind == roles.top and roles.poses:
            nodes |= {name: SceneNode(name, POSE, "", False, {}) for name in task.objects_of((roles.poses,))}
    location = next(iter(facts.of(roles.agent)), "") if roles.agent else None
    graph = SceneGraph(nodes, _links(facts, roles, nodes), location, frozenset(held), roles.top)
    _refuse_circles(graph)
    return graph


def _refuse_unknown(task: Task, what: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"scene.json: {task.domain.name} has no {what} '{name}'{did_you_mean(name, known)}")


def _refuse_circles(graph: SceneGraph) -> None:
    for name, node in graph.nodes.items():
        if node.parent and node.parent not in graph.nodes:
            raise InputError(f"{name} is below {node.parent}, which the scene graph does not have")
    for name in graph.nodes:
        seen = {name}
        for each in graph.above(name):
            if each in seen:
                raise InputError(f"the scene graph is no hierarchy: {each} is below itself")
            seen.add(each)


def _predicates(roles: SceneRoles) -> Iterator[str]:
    single = (roles.links, roles.agent, roles.held, roles.free, roles.absent, roles.attributes)
    yield from filter(None, (*single, *roles.marks))
    for level in roles.levels:
        yield from (*level.within, *filter(None, level.affordances.values()))
        for state in level.states:
            yield from filter(None, (state.of, state.predicate))


class _SceneFacts:
    """The atoms of a state, by predicate and first argument."""

    def __init__(self, atoms: Iterable[GroundAtom]):
        self._by: dict[str, dict[str, list[str]]] = {}
        for predicate, *args in sorted(atoms):
            if args:
                self._by.setdefault(predicate, {}).setdefault(args[0], []).extend(args[1:])

    def of(self, predicate: str) -> Collection[str]:
        return self._by.get(predicate, {})

    def seconds(self, predicate: str, first: str) -> list[str]:
        return self._by.get(predicate, {}).get(first, [])

    def held(self, predicate: str) -> Mapping[str, str]:
        """The objects that are last arguments, with the hand of each, if the predicate names it."""
        facts = self._by.get(predicate, {})
        return {each: hand if seconds else "" for hand, seconds in facts.items() for each in seconds or (hand,)}


def _node(
    name: str, level: SceneLevel, roles: SceneRoles, facts: _SceneFacts, held: Mapping[str, str], special: str
) -> SceneNode:
    absent = bool(roles.absent) and name in facts.of(roles.absent)
    root = level.kind == roles.top or not level.within or absent or name in held
    above = [(predicate, other) for predicate in level.within for other in facts.seconds(predicate, name)]
    if not root and not above:
        raise InputError(f"the {level.kind} {name} is nowhere: {' or '.join(level.within)} was expected of it")
    relation, parent = ("", "") if root else above[0]
    if name in held or absent:
        state = "absent" if absent else f"inside_hand({held[name]})" if held[name] else "inside_hand"
    elif level.states:
        parts = [each for each in level.states if not each.of or name in facts.of(each.of)]
        state = ", ".join(each.yes if name in facts.of(each.predicate) else each.no for each in parts) or "free"
    else:
        state = "" if root or level.parent else f"{relation.replace('-', '_')}({parent})"
    fields: dict[str, str | tuple[str, ...]] = {
        level.parent: parent,
        "type": special,
        "affordances": tuple(each for each, of in level.affordances.items() if not of or name in facts.of(of)),
        "state": state,
        "attributes": (*facts.seconds(roles.attributes, name), *_marks(name, roles, facts, (relation, parent))),
    }
    shown = {key: value for key, value in fields.items() if key and value}
    return SceneNode(name, level.kind, parent, level.opens, shown, level.reached)


def _marks(name: str, roles: SceneRoles, facts: _SceneFacts, placed: tuple[str, str]) -> Iterator[str]:
    """The marks of a node; the fact that places it below its parent is not repeated."""
    for mark in roles.marks:
        if name in facts.of(mark):
            others = facts.seconds(mark, name)
            yield from (f"{mark}({other})" for other in others if (mark, other) != placed) if others else (mark,)


def _links(facts: _SceneFacts, roles: SceneRoles, nodes: Collection[str]) -> tuple[tuple[str, str], ...]:
    order = {name: number for number, name in enumerate(nodes)}
    links = {
        (min(pair, key=order.__getitem__), max(pair, key=order.__getitem__)): None
        for first in facts.of(roles.links)
        for second in facts.seconds(roles.links, first)
        for pair in [(first, second)]
        if first in order and second in order
    }
    return tuple(sorted(links, key=lambda pair: (order[pair[0]], order[pair[1]])))


# ── views ────────────────────────────────────────────────────────────────────────────────────────


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class SceneView:
    """A part of a graph: the top level, poses, the agent with what it holds, and what is below expanded nodes."""

    graph: SceneGraph
    expanded: frozenset[str] = frozenset()

    def shows(self, name: str) -> bool:
        graph = self.graph
        return name in graph.nodes and all(
            not graph.nodes[each].opens or each in self.expanded for each in graph.above(name)
        )

    @cached_property
    def nodes(self) -> tuple[SceneNode, ...]:
        graph = self.graph
        names = list(graph.roots)
        for name in names:
            if not graph.nodes[name].opens or name in self.expanded:
                names += graph.children.get(name, ())
        return tuple(graph.nodes[name] for name in sorted(names, key=graph.places.__getitem__))

    @cached_property
    def links(self) -> tuple[tuple[str, str], ...]:
        """The links between nodes that are shown: those of places, then of each node with its parent."""
        shown = {node.name for node in self.nodes}
        between = (pair for pair in self.graph.links if shown.issuperset(pair))
        return (*between, *((node.parent, node.name) for node in self.nodes if node.parent))

    @cached_property
    def hidden(self) -> frozenset[str]:
        return frozenset(self.graph.nodes.keys() - {node.name for node in self.nodes})

    def task_of(self, task: Task, state: State) -> Task:
        """What is shown of the graph's task: it begins in a state and knows no hidden node, its goal apart."""
        objects = tuple(item for item in task.problem.objects if item.name not in self.hidden)
        init = tuple(atom for atom in sorted(state.atoms) if self.hidden.isdisjoint(atom[1:]))
        return Task(task.domain, replace(task.problem, objects=objects, init=init))

    def expand(self, name: str) -> SceneView:
        """The view that also shows what is below a node; raises `InputError` with the reason if that is impossible."""
        node = self.node(name)
        if not node.opens:
            raise InputError(f"{name} has nothing to expand")
        if name in self.expanded:
            raise InputError(f"{name} is expanded already")
        return replace(self, expanded=self.expanded | {name})

    def contract(self, name: str) -> SceneView:
        """The view without what is below a node; raises `InputError` with the reason if that is impossible."""
        self.node(name)
        if name not in self.expanded:
            raise InputError(f"{name} is not expanded")
        graph = self.graph
        return replace(self, expanded=frozenset(e for e in self.expanded if name not in (e, *graph.above(e))))

    def node(self, name: str) -> SceneNode:
        """A node that is shown; raises `InputError`, with a near name, for others.

        A node that is not shown is told like one that does not exist: otherwise a model could find out by guessing.
        """
        if not self.shows(name):
            shown = [node.name for node in self.nodes]
            raise InputError(f"there is no {name} in the graph{did_you_mean(name, shown)}")
        return self.graph.nodes[name]

    def count(self, word: str) -> Mapping[str, int]:
        """How many nodes below each expanded one have a word as name without its number, type, kind or attribute.

        A plural, ``chairs``, also counts each ``chair``.
        """
        graph, plain = self.graph, word.replace("-", "_")
        totals = {name: 0 for name in graph.nodes if name in self.expanded}
        for node in self.nodes:
            if {plain, plain.removesuffix("s")} & {*node.words}:
                for name in totals.keys() & {*graph.above(node.name)}:
                    totals[name] += 1
        return totals

    def distance(self, one: str, other: str) -> int | None:
        """The links between the places of two shown nodes, on a shortest way; None without one."""
        ends = [[name, *self.graph.above(name)][-1] for name in (self.node(one).name, self.node(other).name)]
        way = self.graph.way(*ends)
        return None if way is None else len(way) - 1

    @cached_property
    def text(self) -> str:
        """The JSON, one line: equal views have equal texts."""
        kinds: dict[str, list[dict[str, object]]] = {}
        for node in self.nodes:
            kinds.setdefault(node.kind, []).append(node.to_json())
        agent = {AGENT: [self._agent]} if self._agent else {}
        places = {kind: kinds.pop(kind) for kind in (self.graph.top, POSE) if kind in kinds}
        links = [_LINKED.format(*link) for link in self.links]
        whole = {"nodes": {**places, **agent, **kinds}, "links": links}
        return _compact(whole)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        kinds = [*([] if self.graph.location is None else [AGENT]), *(node.kind for node in self.nodes)]
        return {**{kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}, "links": len(self.links)}

    @cached_property
    def tokens(self) -> int:
        """The tokens of the JSON, by `pddl2nl.systems.sayplan.tokens.count_tokens`."""
        return count_tokens(self.text)

    @cached_property
    def kind_tokens(self) -> Mapping[str, int]:
        """The tokens of the nodes of each kind and of the links, each counted alone."""
        nodes = [(node.kind, _compact(node.to_json())) for node in self.nodes]
        links = [("links", _compact(_LINKED.format(*link))) for link in self.links]
        agent = [(AGENT, _compact(self._agent))] if self._agent else []
        totals: dict[str, int] = {}
        for kind, text in (*agent, *nodes, *links):
            totals[kind] = totals.get(kind, 0) + count_tokens(text)
        return totals

    @property
    def _agent(self) -> dict[str, str]:
        location = self.graph.location
        return {} if location is None else {"location": location, "id": AGENT}


# ── one's own scene ──────────────────────────────────────────────────────────────────────────────


def problem_of_scene(text: str, domain: Domain, name: str) -> str:
    """The problem of a file with a scene graph and its ``goal``, by the ``scene.json`` beside the domain."""
    data, roles = parse_json(text, name), roles_beside(Path("" if domain.source is None else domain.source.name))
    goal = data.get("goal") if isinstance(data, dict) else None
    if not isinstance(goal, str):
        raise InputError(f'{name}: expected a "goal" in PDDL beside "nodes", such as "(in-hand apple)"')
    return scene_problem(text, domain, roles, goal, Path(name).stem)


HOW_TO_WRITE = "docs/guides/scene-graphs.md says how to write one"


def roles_beside(domain: Path) -> SceneRoles:
    """The roles in the ``scene.json`` beside a domain's file; raises `InputError` without one."""
    path = domain.resolve().parent / "scene.json"
    if not path.is_file():
        raise InputError(
            f"{domain}: there is no scene.json beside it, which says what its predicates are in a graph "
            f"({HOW_TO_WRITE})"
        )
    return load_roles(path)


def scene_problem(text: str, domain: Domain, roles: SceneRoles, goal: str, name: str = "scene") -> str:
    """The PDDL problem that a scene graph in JSON tells, the inverse of `SceneView.text`.

    The JSON may be that of another program (`pddl2nl.systems.sayplan.other_graphs`), or written as in the paper: an
    attribute as a text, links among the nodes, a link with ``+``, ``-``, ``<->`` or as a list, and the affordance
    ``release`` alone, which puts things into what can be opened and onto all else. Names become names of PDDL:
    ``Bob's room`` is ``bob_s_room``. `name` is that of the problem.

    Raises:
        InputError: the JSON has another form, or the problem makes no sense in the domain; the message says where.
    """
    read = _SceneReader(scene_of(parse_json(text, name), name), domain, roles, name)
    objects = "\n    ".join(f"{each} - {kind}" for each, kind in read.objects.items())
    facts = "\n    ".join(f"({' '.join(fact)})" for fact in dict.fromkeys(read.facts()))
    return (
        f"(define (problem {_pddl_name(name)})\n  (:domain {domain.name})\n  (:objects\n    {objects})\n"
        f"  (:init\n    {facts})\n  (:goal {goal}))\n"
    )


def _pddl_name(name: object) -> str:
    plain = re.sub(r"[^\w-]+", "_", str(name).strip()).strip("_").lower()
    return plain if plain[:1].isalpha() else f"n{plain}"


class _SceneReader:
    """The objects and facts that a scene graph in JSON tells."""

    def __init__(self, data: object, domain: Domain, roles: SceneRoles, name: str):
        nodes = data.get("nodes") if isinstance(data, dict) else None
        if not isinstance(data, dict) or not isinstance(nodes, dict):
            raise InputError(f'{name}: expected {{"nodes": {{"{roles.top}": [...]}}, "links": [...]}}')
        self._roles = roles
        self._name = name
        self._types = {each.name for each in domain.types} | {"object"}
        links = data.get("links") or nodes.get("links") or []
        self._links = [tuple(map(_pddl_name, _ends(link))) for link in links]
        self._levels = {level.kind: level for level in roles.levels}
        known = [*self._levels, AGENT, *([POSE] if roles.poses else [])]
        for kind in nodes:
            if kind not in (*known, "links"):
                raise InputError(f"{name}: unknown kind of nodes '{kind}'{did_you_mean(kind, known)}")
        self._nodes = {kind: self._list(kind, nodes.get(kind) or []) for kind in known}
        if (roles.agent or roles.moves) and not self._nodes[AGENT]:
            raise InputError(f'{name}: expected "agent": [{{"location": a place}}]')
        self.objects: dict[str, str] = {}
        for kind, level in self._levels.items():
            default = level.type if level.type in self._types else "object"
            self._add(kind, default)
        if roles.poses:
            self._add(POSE, roles.poses)
        if roles.attributes:
            predicate = next(each for each in domain.predicates if each.name == roles.attributes)
            words = (word for level in self._levels for node in self._nodes[level] for word in self._words(node)[0])
            self.objects |= {word: predicate.parameters[1].types[0] for word in words if word not in self.objects}

    def _list(self, kind: str, nodes: object) -> list[dict[str, Any]]:
        if not isinstance(nodes, list) or not all(isinstance(node, dict) for node in nodes):
            raise InputError(f"{self._name}: '{kind}' is no list of nodes")
        for node in nodes:
            if kind != AGENT and not str(node.get("id", "")).strip():
                raise InputError(f"{self._name}: a node of '{kind}' has no id: {node}")
        return nodes

    def _add(self, kind: str, default: str) -> None:
        for node in self._nodes[kind]:
            name = _pddl_name(node["id"])
            if name in self.objects:
                raise InputError(f"{self._name}: two nodes are called {name}")
            said = node.get("type")
            self.objects[name] = said if isinstance(said, str) and said in self._types else default

    def facts(self) -> Iterator[tuple[str, ...]]:
        roles = self._roles
        for agent in (each for each in self._nodes[AGENT] if roles.agent and each.get("location") != ""):
            yield roles.agent, self._known(agent.get("location"), "the agent")
        nodes = [(level, node) for kind, level in self._levels.items() for node in self._nodes[kind]]
        told = [fact for level, node in nodes for fact in self._of(level, node)]
        # Links of things with what they are in say nothing new.
        kinds = {POSE, *(level.kind for level in roles.levels if level.opens or level.kind == roles.top)}
        places = {_pddl_name(node["id"]) for kind in kinds for node in self._nodes.get(kind, ())}
        within = {each for level in roles.levels for each in level.within}
        inside = {frozenset(fact[1:3]) for fact in told if fact[0] in within and fact[1] != fact[2]}
        for one, other in self._links if roles.links else ():
            if {one, other} <= places and frozenset((one, other)) not in inside:
                yield from ((roles.links, one, other), (roles.links, other, one))
        yield from told
        if roles.free and not any(str(node.get("state", "")).startswith("inside_hand") for _, node in nodes):
            yield (roles.free,)

    def _of(self, level: SceneLevel, node: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
        roles, name, state = self._roles, _pddl_name(node["id"]), str(node.get("state", ""))
        if level.type not in self._types:
            yield level.type, name
        relation, _, other = state.removesuffix(")").partition("(")
        if level.parent and (level.kind != roles.top or level.parent in node):
            above = [one for one, below in self._links if below == name and one in self.objects]
            parent = node.get(level.parent) or next(iter(above), None)
            yield level.within[0], name, self._known(parent, name)
        elif relation == "inside_hand" and roles.held:
            yield (roles.held, *([_pddl_name(other)] if other else []), name)
        elif state == "absent" and roles.absent:
            yield roles.absent, name
        elif level.within and level.kind != roles.top:
            said = {each.replace("-", "_"): each for each in level.within}
            short = {each.replace("_of", "").replace("_", ""): value for each, value in said.items()}
            predicate = said.get(relation) or short.get(relation.replace("_of", "").replace("_", ""))
            if predicate is None:
                raise InputError(f"{self._name}: {name} is '{state}'; expected {'(…) or '.join(said)}(…)")
            yield predicate, name, self._known(other, name)
        for predicate in dict.fromkeys(self._allowed(level, node, name)):
            yield predicate, name
        parts = state.split(", ")
        yield from ((each.predicate, name) for each in level.states if each.yes in parts)
        words, marks = self._words(node)
        yield from ((roles.attributes, name, word) for word in words if roles.attributes)
        yield from ((mark, name, *others) for mark, *others in marks)

    def _allowed(self, level: SceneLevel, node: Mapping[str, Any], name: str) -> Iterator[str]:
        given = node.get("affordances") or []
        for each in given:
            longer = [other for other in level.affordances if other.startswith(f"{each}_")]
            if each not in level.affordances and not longer:
                hint = did_you_mean(each, level.affordances)
                raise InputError(f"{self._name}: {name} has the unknown affordance '{each}'{hint}")
            inner = f"{each}_in" if "open" in given and f"{each}_in" in longer else None
            if predicate := level.affordances[each if each in level.affordances else inner or longer[0]]:
                yield predicate

    def _words(self, node: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, ...]]]:
        """A node's attributes, and its marks with the node that each names."""
        said = node.get("attributes") or []
        words, marks = list[str](), list[tuple[str, ...]]()
        for each in [said] if isinstance(said, str) else said:
            mark, _, other = str(each).removesuffix(")").partition("(")
            if mark in self._roles.marks:
                marks.append((mark, *([_pddl_name(other)] if other else [])))
            else:
                words.append(_pddl_name(each))
        return words, marks

    def _known(self, name: object, of: str) -> str:
        plain = "" if name is None else _pddl_name(name)
        if plain not in self.objects:
            hint = did_you_mean(plain, self.objects) if plain else ""
            raise InputError(f"{self._name}: {of} is {f'at {plain}, which is no node{hint}' if plain else 'nowhere'}")
        return plain


def _ends(link: object) -> tuple[str, str]:
    parts = link if isinstance(link, list) else re.split(rf"\s*(?:{LINK}|<->|\+| - )\s*", str(link))
    if len(parts) != 2:
        raise InputError(f"{link!r} is no link; expected node{LINK}node")
    return str(parts[0]), str(parts[1])
