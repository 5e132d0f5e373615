"""The building, and runs of SayPlan in it with a model that answers by stage, or with the oracle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pddl2nl.llm import Completion, Request
from pddl2nl.nl import Reader, Teller, load_wording, make_names
from pddl2nl.policies import POLICIES, Episode, RunEvent, Setting
from pddl2nl.policies.events import Finished
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.oracle import oracle
from pddl2nl.systems.sayplan.prompts import LAYOUT
from pddl2nl.tasks import shipped_domain
from pddl2nl.worlds.scene_graph import SceneGraph, load_roles, scene_graph
from pddlval import Simulator
from tests.policies.staged_model import Answer, Staged

BUILDING = shipped_domain("building")
ROLES = load_roles(BUILDING.folder / "scene.json")
WORDING = load_wording(BUILDING.wording_path, BUILDING.domain)
TASKS = {reference.instance: reference for reference in BUILDING.references}
SEARCH, PLAN = LAYOUT.stages


def setting_of(instance: str, **changed: Any) -> Setting:
    """The setting of a shipped task, with its own text."""
    task = BUILDING.task(instance)
    names = make_names(task, "original", WORDING)
    teller, reader = Teller(task, WORDING, names), Reader(task, WORDING, names)
    options = {"task_text": TASKS[instance].texts["goal"], "scene": ROLES, "signal": "terse", **changed}
    return Setting(Simulator(task), teller, reader, **options)


def graph_of(instance: str) -> SceneGraph:
    return scene_graph(BUILDING.task(instance), ROLES)


def command(text: str) -> str:
    """A reply with a command."""
    return json.dumps({"mode": "exploring", "command": text})


def plan(*calls: str) -> str:
    """A reply with a plan."""
    return json.dumps({"mode": "planning", "plan": calls})


class Planner:
    """The oracle as a model."""

    name = "oracle"

    def __init__(self, mistake: str | None):
        self._oracle = oracle(BUILDING.domain, WORDING, mistake)

    def complete(self, request: Request) -> Completion:
        reply = self._oracle.reply(request.messages)
        assert reply is not None
        return Completion(reply)


@dataclass
class SceneRun:
    """A run: its end, its events, and the model that was asked."""

    finished: Finished
    events: list[RunEvent]
    model: Any

    @property
    def steps(self) -> list[SceneSearched]:
        return [event for event in self.events if isinstance(event, SceneSearched)]

    @property
    def end(self) -> SearchEnded:
        [end] = [event for event in self.events if isinstance(event, SearchEnded)]
        return end

    @property
    def plans(self) -> list[PlanChecked]:
        return [event for event in self.events if isinstance(event, PlanChecked)]


def play(
    instance: str,
    replies: Mapping[str, Answer | Sequence[Answer]] | None = None,
    *,
    policy: str = "sayplan",
    mistake: str | None = None,
    **changed: Any,
) -> SceneRun:
    """A run with these replies, or with the oracle."""
    events: list[RunEvent] = []
    model = Planner(mistake) if replies is None else Staged(replies, LAYOUT)
    episode = Episode(setting_of(instance, **changed), model, emit=events.append)
    return SceneRun(episode.play(POLICIES[policy]()), events, model)
