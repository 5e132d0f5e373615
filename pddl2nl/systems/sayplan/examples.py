"""The solved task in SayPlan's prompts: a search, a plan, and plans with a mistake that are mended.

What ``examples.toml`` says about the example task of a shipped domain is written by hand. In other domains it is made
from the example of the run: the search looks into one node in vain and then into those that the plan needs, and the
mistake is a step left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller, make_names
from pddl2nl.pddl import Domain, Task, parse_problem
from pddl2nl.policies.setting import Setting
from pddl2nl.systems.sayplan.plans import SceneActions, SceneCalled, read_calls, without_ways
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, SceneRoles, scene_graph
from pddl2nl.tasks import match_shipped
from pddl2nl.tasks.reference_files import TaskReference
from pddlval import GroundAction, Simulator, State


@dataclass(frozen=True)
class ShownMistake:
    """A plan that is refused, and what is thought when it is mended."""

    calls: tuple[SceneCalled, ...]
    thought: str
    reason: str


@dataclass(frozen=True)
class ShownTask:
    """A task with its graph, the commands of a search (each with a thought and a reason), a plan, and mistakes."""

    task: Task
    text: str
    graph: SceneGraph
    search: tuple[tuple[str, str, str], ...]
    calls: tuple[SceneCalled, ...]
    thought: str
    reason: str
    mistakes: tuple[ShownMistake, ...]

    @property
    def start(self) -> State:
        return Simulator(self.task).initial


def example_reference(domain: Domain) -> TaskReference | None:
    """The solved example of a shipped domain."""
    shipped = match_shipped(domain)
    return next((each for each in shipped.references if each.role == "example"), None) if shipped else None


def shown_task(setting: Setting, roles: SceneRoles) -> ShownTask | None:
    """The example of a run; None if it has none, or if it makes no scene graph with these roles."""
    domain, example = setting.simulator.task.domain, setting.example
    if example is not None and example.problem_pddl:
        task = Task(domain, parse_problem(example.problem_pddl, domain))
        teller = Teller(task, setting.teller.wording, make_names(task, "original", setting.teller.wording))
        return _made(task, teller.goal_text(), roles, tuple(map(GroundAction.parse, example.plan)))
    reference, shipped = example_reference(domain), match_shipped(domain)
    if setting.spec.example == "none" or reference is None or shipped is None:
        return None
    task, text = shipped.task(reference.instance), reference.texts["goal"]
    written = _written().get(shipped.name)
    if written is None:
        return _made(task, text, roles, tuple(map(GroundAction.parse, reference.ways[0].plan)))
    graph, plan = _graph(task, roles), written["plan"]
    if graph is None:
        return None
    calls = read_calls(plan["calls"])
    steps = tuple((each["command"], each["thought"], each["reason"]) for each in written["search"]["steps"])
    mistakes = tuple(
        ShownMistake(tuple(calls[number - 1] for number in each["steps"]), each["thought"], each["reason"])
        for each in written["mistakes"]
    )
    return ShownTask(task, text, graph, steps, calls, plan["thought"], plan["reason"], mistakes)


@lru_cache(maxsize=1)
def _written() -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "examples.toml").read_text(encoding="utf-8"))


def _graph(task: Task, roles: SceneRoles) -> SceneGraph | None:
    try:
        return scene_graph(task, roles)
    except InputError:  # the user's roles begin at floors, which the example task has not
        return None


def _made(task: Task, text: str, roles: SceneRoles, plan: Sequence[GroundAction]) -> ShownTask | None:
    graph = _graph(task, roles)
    if graph is None:
        return None
    calls = SceneActions(task, roles).calls(plan)
    steps = tuple(_searched(graph, calls))
    short = without_ways(calls, roles.moves)
    mistakes = tuple(
        ShownMistake(
            (*short[:place], *short[place + 1 :]), f"{short[place]} was missing, which a later step needs", why
        )
        for place in range(1, len(short))
        if short[place].name != roles.moves
        for why in ["The steps of the refused plan stay, and the missing one is added."]
    )
    return ShownTask(task, text, graph, steps, short, "first this, then that", "Its steps reach the goal.", mistakes)


def _searched(graph: SceneGraph, calls: Sequence[SceneCalled]) -> Iterator[tuple[str, str, str]]:
    """Commands that show what a plan needs, after one that shows nothing of it."""
    needed = graph.revealing(node for call in calls for node in call.nodes if node in graph.nodes)
    useless = [node.name for node in graph.collapsed().nodes if node.opens and node.name not in needed][:1]
    for name in (*useless, *sorted(needed, key=graph.places.__getitem__)):
        about = f"{name} is not expanded yet and may have what the task needs"
        yield f"expand({name})", about, f"What is in {name} must be seen to know."
        if name in useless:
            yield f"contract({name})", f"nothing in {name} is needed", "The graph stays small."
    yield "terminate", "each node that a plan needs is shown", "The graph shows all that the task needs."
