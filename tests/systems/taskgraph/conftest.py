"""Runs of GraphPlan in ALFRED's rooms with a model that answers by stage, or with the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pddl2nl.baselines.oracle import PlanOracle
from pddl2nl.llm import Completion, Request
from pddl2nl.nl import load_wording
from pddl2nl.pddl import Problem, Task
from pddl2nl.policies import Episode, Limits, RunEvent, Setting, make_policy
from pddl2nl.policies.events import Finished
from pddl2nl.policies.prompts import stage_of
from pddl2nl.systems.taskgraph.events import GraphChecked, KeysChosen, PlanRevised, SubtaskDone
from pddl2nl.systems.taskgraph.prompting import LAYOUT
from pddl2nl.systems.taskgraph.subtasks import Subtasks, load_subtasks
from pddl2nl.tasks import shipped_domain
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import read_faults
from pddlval import Simulator
from tests.policies.staged_model import Answer, Staged
from tests.settings import plain_setting

ALFRED = shipped_domain("alfred")
WORDING = load_wording(ALFRED.wording_path, ALFRED.domain)
SUBTASKS = load_subtasks(ALFRED.folder / "subtasks.json", ALFRED.domain)
TASKS = {reference.instance: reference for reference in ALFRED.references}


class SubtaskPlanner:
    """The oracle as a model."""

    name = "oracle"

    def __init__(self, mistake: str):
        self._oracle = PlanOracle(ALFRED.domain, WORDING, mistake)
        self.requests: list[Request] = []
        self.stages: list[str] = []

    def complete(self, request: Request) -> Completion:
        assert request.answer is not None
        self.requests.append(request)
        self.stages.append(stage_of(request.messages) or "")
        return self._oracle.complete(request)


@dataclass
class GraphRun:
    """A run: its end, its events, and the model that was asked."""

    finished: Finished
    events: list[RunEvent]
    model: Any

    @property
    def checks(self) -> list[GraphChecked]:
        return [event for event in self.events if isinstance(event, GraphChecked)]

    @property
    def keys(self) -> list[KeysChosen]:
        return [event for event in self.events if isinstance(event, KeysChosen)]

    @property
    def done(self) -> list[SubtaskDone]:
        return [event for event in self.events if isinstance(event, SubtaskDone)]

    @property
    def revisions(self) -> list[PlanRevised]:
        return [event for event in self.events if isinstance(event, PlanRevised)]


def play(
    instance: str,
    replies: Mapping[str, Answer | Sequence[Answer]] | None = None,
    *,
    policy: str = "taskgraph",
    mistake: str = "",
    faults: str = "",
    steps: int = 400,
    constrain: str = "off",
    **options: Any,
) -> GraphRun:
    """A run with these replies, or with the oracle; ``options`` are the policy's."""
    task, text = ALFRED.task(instance), TASKS[instance].texts["goal"]
    given = {"policy": policy, "mistake": mistake, "faults": faults, "steps": steps, "constrain": constrain}
    return play_task(task, text, replies, **given, **options)


def play_text(problem: Problem, text: str, replies: Mapping[str, Answer | Sequence[Answer]] | None = None) -> GraphRun:
    """A run on a problem of one's own, with these replies or with the oracle."""
    return play_task(Task(ALFRED.domain, problem), text, replies, steps=60)


def play_task(
    task: Task,
    text: str,
    replies: Mapping[str, Answer | Sequence[Answer]] | None = None,
    *,
    policy: str = "taskgraph",
    mistake: str = "",
    faults: str = "",
    steps: int = 400,
    constrain: str = "off",
    **options: Any,
) -> GraphRun:
    """A run on any task of the domain, with these replies or with the oracle."""
    model = SubtaskPlanner(mistake) if replies is None else Staged(replies, LAYOUT)
    setting = plain_setting(
        task,
        WORDING,
        options={"names": "original", "constrain": constrain},
        task_text=text,
        executor=FaultyExecutor(Simulator(task), read_faults(faults), seed=1) if faults else None,
        files={"subtasks.json": SUBTASKS},
    )
    events: list[RunEvent] = []
    episode = Episode(setting, model, limits=Limits(steps=steps), emit=events.append)
    return GraphRun(episode.play(make_policy(policy, options)), events, model)


@pytest.fixture(scope="session")
def alfred() -> Subtasks:
    """The subtasks that are shipped with the domain."""
    return SUBTASKS


@pytest.fixture
def setting_of_blocks() -> Setting:
    """A setting in a domain without subtasks."""
    blocks = shipped_domain("blocksworld")
    return plain_setting(blocks.task("p01"), load_wording(blocks.wording_path, blocks.domain))
