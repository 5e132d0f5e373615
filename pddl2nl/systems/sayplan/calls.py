"""Calls, ``pickup(apple)``: how models write actions, what they are in PDDL, and completed ways.

A reply is JSON. In a plan, calls stand in a list, one a line, or between ``>``. Names are compared without regard to
letter case, and a hyphen, an underscore and a blank are the same. Replies are cut at `MOST_READ` characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any

from pddl2nl.pddl import Domain
from pddl2nl.worlds.scene_graph import SceneGraph, SceneRoles
from pddlval import GroundAction, State

MOST_READ = 100_000
"""The most characters of a reply that are read."""
_MOST_STARTS = 50
"""The most braces at which a JSON object may begin."""
_CALL = re.compile(r"\s*([\w-]+)\s*\(([^()]*)\)\s*")
_BETWEEN = re.compile(r"[>→⇒\n;]|(?<=\)),")
_DONE = "done"


def plain_name(name: str) -> str:
    """A name in the form in which names are compared."""
    return re.sub(r"[\s_-]+", "_", name.strip().strip("\"'")).casefold()


@dataclass(frozen=True)
class SceneCalled:
    """A call; its text is ``goto(kitchen)``."""

    name: str
    nodes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.nodes)})"


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def read_json(reply: str) -> Mapping[str, Any] | None:
    """The first JSON object in a reply; None without one."""
    text = reply[:MOST_READ]
    decoder = json.JSONDecoder()
    for start in islice(re.finditer(r"\{", text), _MOST_STARTS):
        try:
            data, _ = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict):
            return data
    return None


def node_names(graph: SceneGraph) -> Mapping[str, str]:
    """The nodes by their names in the form in which names are compared."""
    return {plain_name(name): name for name in graph.nodes}


def read_calls(
    plan: object, names: Mapping[str, str] = MappingProxyType({})
) -> tuple[tuple[SceneCalled, ...], tuple[str, ...]]:
    """The calls of a plan up to ``done``, and the parts that are none.

    Args:
        plan: as the model wrote it.
        names: of nodes (`node_names`); others stay in the form in which names are compared.
    """
    parts = plan if isinstance(plan, list) else [plan]
    texts = (part if isinstance(part, str) else repr(part) for part in parts)
    lines = [line for text in texts for line in _BETWEEN.split(text)]
    calls: list[SceneCalled] = []
    unread: list[str] = []
    for line in filter(str.strip, (line.strip("[] \t") for line in lines)):
        match = _CALL.fullmatch(line)
        if plain_name(line.removesuffix("()")) == _DONE:
            break
        if match is None:
            unread.append(line)
        else:
            nodes = map(plain_name, match[2].split(","))
            calls.append(SceneCalled(plain_name(match[1]), tuple(names.get(node, node) for node in nodes)))
    return tuple(calls), tuple(unread)


# ── ways ─────────────────────────────────────────────────────────────────────────────────────────


def fill_ways(
    calls: Sequence[SceneCalled], graph: SceneGraph, moves: str
) -> tuple[tuple[SceneCalled, ...], tuple[int, ...]]:
    """The calls with the places on the way before each movement, and the indices of those inserted.

    A movement to the agent's own place is dropped. One to an unknown node, or without a way, stays as it is, and the
    agent's place is then that before it.

    Args:
        calls: a plan.
        graph: at the beginning of the plan.
        moves: the name of the call that moves the agent.
    """
    place, filled, inserted = graph.location or "", list[SceneCalled](), list[int]()
    for call in calls:
        end = call.nodes[-1]
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
    """The calls of a domain as its actions."""

    def __init__(self, domain: Domain, roles: SceneRoles):
        self._schemas = {action.name: [item.name for item in action.parameters] for action in domain.actions}
        self._roles = roles

    def ground(self, call: SceneCalled, state: State) -> tuple[GroundAction, ...]:
        """The actions that a call can stand for in a state; empty if it lacks an object, or the call is unknown."""
        said = self._roles.calls.get(call.name)
        if said is None or len(said.given) != len(call.nodes):
            return ()
        bindings = [dict(zip(said.given, call.nodes, strict=True))]
        for parameter, fact in said.state.items():
            bindings = [{**known, **more} for known in bindings for more in _matches(parameter, fact, known, state)]
        return tuple(
            GroundAction(name, tuple(values[parameter] for parameter in self._schemas[name]))
            for name in said.actions
            for values in bindings
            if all(parameter in values for parameter in self._schemas[name])
        )

    def calls(self, actions: Iterable[GroundAction]) -> tuple[SceneCalled, ...]:
        """Actions as calls, the inverse of `ground`."""
        named = {name: (call, said.given) for call, said in self._roles.calls.items() for name in said.actions}
        return tuple(
            SceneCalled(call, tuple(values[parameter] for parameter in given))
            for action in actions
            for call, given in [named[action.name]]
            for values in [dict(zip(self._schemas[action.name], action.args, strict=True))]
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
