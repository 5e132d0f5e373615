"""Stage 1 of SayPlan: the model expands and contracts nodes until the graph shows all that the task needs.

The search ends by the model; after twice as many steps as nodes can be expanded, and `MORE_STEPS`; after
`MOST_UNREADABLE`
unreadable replies in succession; or where the same impossible command comes `MOST_STUCK` times in succession.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pddl2nl.errors import InputError
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.sayplan.calls import node_names, plain_name, read_json
from pddl2nl.policies.sayplan.events import SceneSearched, SearchEnded
from pddl2nl.policies.sayplan.prompts import ScenePrompter
from pddl2nl.policies.staged import shortened
from pddl2nl.worlds.scene_graph import SceneView

__all__ = ["MORE_STEPS", "MOST_STUCK", "MOST_UNREADABLE", "ended", "search"]

MORE_STEPS = 10
MOST_UNREADABLE = 3
MOST_STUCK = 3
_COMMAND = re.compile(r"\s*(expand|contract)(?:_node)?\s*\(([^()]*)\)\s*")
_UNREADABLE = "The reply is not one JSON object with a command, expand(node){}, or terminate."
_MOST_TOLD = 1_000


def search(
    episode: Episode,
    view: SceneView,
    prompter: ScenePrompter,
    *,
    contraction: bool,
    memory: list[str],
    feedback: str = "",
) -> tuple[SceneView, object]:
    """The view at the end of the search, and the plan if the last reply has one.

    Args:
        episode: asks the model and records the events.
        view: where the search begins.
        prompter: of the task.
        contraction: whether nodes can be contracted.
        memory: the nodes that were ever expanded; those of the search are added.
        feedback: why an earlier search was not enough.
    """
    failures, names = list[str](), node_names(view.graph)
    most = 2 * sum(node.opens for node in view.graph.nodes.values()) + MORE_STEPS
    for step in range(1, most + 1):
        reply = episode.ask(prompter.search(view, memory, feedback), again=True)
        data = read_json(reply) or {}
        reasoning = shortened(str(data.get("reasoning", "")), _MOST_TOLD)
        command, plan = data.get("command"), data.get("plan")
        if data.get("mode") == "planning" or (isinstance(command, str) and plain_name(command) == "terminate"):
            episode.note(ended("model", view, memory))
            return view, plan
        match = _COMMAND.fullmatch(command) if isinstance(command, str) else None
        verb, node, feedback = "", "", ""
        if match is None or (match[1] == "contract" and not contraction):
            feedback = _UNREADABLE.format(" or contract(node)" if contraction else "")
        else:
            node = plain_name(match[2])
            verb, node = match[1], shortened(names.get(node, node), 100)
            try:
                view = view.expand(node) if verb == "expand" else view.contract(node)
            except InputError as error:
                feedback = str(error)
        if verb == "expand" and not feedback and node not in memory:
            memory.append(node)
        said = f"{verb}({node})" if verb else ""
        state = view.tokens, _ordered(view), tuple(memory)
        episode.note(SceneSearched(step, said, node, not feedback, feedback, *state, reasoning))
        failures = [*failures, said] if feedback else []
        if failures[-MOST_UNREADABLE:] == [""] * MOST_UNREADABLE:
            episode.note(ended("unreadable", view, memory))
            return view, None
        if said and failures[-MOST_STUCK:] == [said] * MOST_STUCK:
            episode.note(ended("stuck", view, memory))
            return view, None
    episode.note(ended("limit", view, memory))
    return view, None


def ended(by: str, view: SceneView, memory: Sequence[str]) -> SearchEnded:
    """The event at the end of a search."""
    graph = view.graph
    collapsed, full = graph.collapsed(), graph.full()
    return SearchEnded(
        by,
        tuple(node.name for node in view.nodes if node.name in graph.things),
        _ordered(view),
        tuple(memory),
        view.tokens,
        collapsed.tokens,
        full.tokens,
        tuple(full.counts.items()),
        tuple(collapsed.counts.items()),
    )


def _ordered(view: SceneView) -> tuple[str, ...]:
    """The expanded nodes in the order of the graph."""
    return tuple(sorted(view.expanded, key=view.graph.places.__getitem__))
