"""Stage 1 of SayPlan: the model expands and contracts nodes until the graph shows all that the task needs.

The search ends by the model; after twice as many steps as nodes can be expanded, and `MORE_STEPS`; after
`MOST_UNREADABLE`
unreadable replies in succession; or where the same impossible command comes `MOST_STUCK` times in succession.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pddl2nl.errors import InputError
from pddl2nl.llm.tokens import tokenizer_name
from pddl2nl.policies.episode import Episode
from pddl2nl.policies.staged import shortened
from pddl2nl.systems.sayplan.calls import node_names, plain_name, read_json
from pddl2nl.systems.sayplan.events import SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.prompts import SceneMechanism, ScenePrompter
from pddl2nl.worlds.scene_graph import SceneView

MORE_STEPS = 10
MOST_UNREADABLE = 3
MOST_STUCK = 3
_QUERIES = ("count", "without", "distance")
_COMMAND = re.compile(r"\s*(expand|contract|count|without|distance)(?:_node)?\s*\(([^()]*)\)\s*")
_UNREADABLE = "The reply is not one JSON object with a command, which is one of {} or terminate."
_MOST_TOLD = 1_000


def search(
    episode: Episode, view: SceneView, prompter: ScenePrompter, *, memory: list[str], feedback: str = ""
) -> tuple[SceneView, object]:
    """The view at the end of the search, and the plan if the last reply has one.

    Args:
        episode: asks the model and records the events.
        view: where the search begins.
        prompter: of the task.
        memory: the nodes that were ever expanded; those of the search are added.
        feedback: why an earlier search was not enough.
    """
    failures, answers = list[str](), dict[str, str]()
    most = 2 * sum(node.opens for node in view.graph.nodes.values()) + MORE_STEPS
    for step in range(1, most + 1):
        messages = prompter.search(view, memory, feedback, [*answers.values()])
        reply = episode.ask(messages, again=True, constraint=prompter.commands(view, episode.setting.constrain))
        data = read_json(reply) or {}
        reasoning = shortened(str(data.get("reasoning", "")), _MOST_TOLD)
        command, plan = data.get("command"), data.get("plan")
        if data.get("mode") == "planning" or (isinstance(command, str) and plain_name(command) == "terminate"):
            episode.note(ended("model", view, memory))
            return view, plan
        obeyed = _obey(command, view, prompter.mechanism, answers.values())
        if obeyed.answer:
            answers[obeyed.said] = obeyed.answer
        view, feedback, said = obeyed.view, obeyed.feedback, obeyed.said
        if said.startswith("expand(") and not feedback and obeyed.node not in memory:
            memory.append(obeyed.node)
        state = view.tokens, _ordered(view), tuple(memory)
        episode.note(SceneSearched(step, said, obeyed.node, not feedback, feedback, *state, reasoning, obeyed.answer))
        failures = [*failures, said] if feedback else []
        if failures[-MOST_UNREADABLE:] == [""] * MOST_UNREADABLE:
            episode.note(ended("unreadable", view, memory))
            return view, None
        if said and failures[-MOST_STUCK:] == [said] * MOST_STUCK:
            episode.note(ended("stuck", view, memory))
            return view, None
    episode.note(ended("limit", view, memory))
    return view, None


@dataclass(frozen=True)
class _Obeyed:
    """What came of a command: the view, the reason if it was impossible, the answer to a query."""

    view: SceneView
    said: str = ""
    node: str = ""
    feedback: str = ""
    answer: str = ""


def _obey(command: object, view: SceneView, mechanism: SceneMechanism, answers: Collection[str]) -> _Obeyed:
    match = _COMMAND.fullmatch(command) if isinstance(command, str) else None
    allowed = ["expand", *(["contract"] if mechanism.contraction else []), *(_QUERIES if mechanism.queries else [])]
    if match is None or match[1] not in allowed:
        return _Obeyed(view, feedback=_UNREADABLE.format(", ".join(allowed)))
    names, verb = node_names(view.graph), match[1]
    nodes = [names.get(each, each) for each in map(plain_name, match[2].split(","))]
    node = shortened(", ".join(nodes), 100)
    said = f"{verb}({node})"
    try:
        if verb not in _QUERIES:
            return _Obeyed(view.expand(node) if verb == "expand" else view.contract(node), said, node)
        answer = f"{said}: {_answered(verb, nodes, view)}"
    except InputError as error:
        return _Obeyed(view, said, node, str(error))
    if answer in answers:
        return _Obeyed(view, said, node, "Answers has this already.")
    return _Obeyed(view, said, node, answer=answer)


def _answered(verb: str, nodes: Sequence[str], view: SceneView) -> str:
    """The answer to a query about what is shown; raises `InputError` for a node that is not shown."""
    if len(nodes) != 1 + (verb == "distance"):
        raise InputError(f"expected {verb}({'node, node' if verb == 'distance' else 'word'})")
    if verb == "distance":
        links = view.distance(*nodes)
        return "no way" if links is None else f"{links} links"
    totals = view.count(nodes[0])
    if verb == "count":
        return ", ".join(f"{total} in {name}" for name, total in totals.items()) or "nothing is expanded"
    return ", ".join(name for name, total in totals.items() if not total) or "none of the expanded nodes"


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
        tuple(full.kind_tokens.items()),
        tokenizer_name(),
    )


def _ordered(view: SceneView) -> tuple[str, ...]:
    """The expanded nodes in the order of the graph."""
    return tuple(sorted(view.expanded, key=view.graph.places.__getitem__))
