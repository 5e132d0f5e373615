"""The building, and runs of SayPlan in it with a model that answers by stage, or with the oracle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pddl2nl.baselines import PlanOracle
from pddl2nl.nl import load_wording
from pddl2nl.policies import Episode, RunEvent, Setting, make_policy
from pddl2nl.policies.events import Finished
from pddl2nl.systems.sayplan.events import PlanChecked, SceneSearched, SearchEnded
from pddl2nl.systems.sayplan.sayplan import LAYOUT
from pddl2nl.systems.sayplan.scene_graph import SceneGraph, load_roles, scene_graph
from pddl2nl.tasks import shipped_domain
from tests.policies.staged_model import Answer, Staged
from tests.settings import plain_setting

BUILDING = shipped_domain("building")
ROLES = load_roles(BUILDING.folder / "scene.json")
WORDING = load_wording(BUILDING.wording_path, BUILDING.domain)
TASKS = {reference.instance: reference for reference in BUILDING.references}
SEARCH, PLAN = LAYOUT.stages


def setting_of(instance: str, **changed: Any) -> Setting:
    """The setting of a shipped task, with its own text."""
    given = {"task_text": TASKS[instance].texts["goal"], "files": {"scene.json": ROLES}, **changed}
    return plain_setting(BUILDING.task(instance), WORDING, options={"names": "original"}, **given)


def graph_of(instance: str) -> SceneGraph:
    return scene_graph(BUILDING.task(instance), ROLES)


def command(text: str) -> str:
    """A reply with a command."""
    return json.dumps({"mode": "exploring", "command": text})


def plan(*calls: str) -> str:
    """A reply with a plan."""
    return json.dumps({"mode": "planning", "plan": calls})


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
    mistake: str = "",
    files: Mapping[str, Any] | None = None,
    **options: Any,
) -> SceneRun:
    """A run with these replies, or with the oracle, and other options of the policy than that feedback is terse."""
    events: list[RunEvent] = []
    model: Any = PlanOracle(BUILDING.domain, WORDING, mistake) if replies is None else Staged(replies, LAYOUT)
    setting = setting_of(instance, **({} if files is None else {"files": files}))
    made = make_policy(policy, {"signal": "terse", **options})
    return SceneRun(Episode(setting, model, emit=events.append).play(made), events, model)
