"""Runs of taskgraph in ALFRED's rooms with a model that answers by stage, or with the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from pddl2nl.llm import Completion, Request
from pddl2nl.macros.subtasks.building import graph_named
from pddl2nl.macros.subtasks.nodes import load_subtasks
from pddl2nl.nl import Reader, Teller, load_wording, make_names
from pddl2nl.pddl import Problem, Task, parse_problem
from pddl2nl.policies import POLICIES, Episode, Limits, RunEvent, Setting
from pddl2nl.policies.events import Finished
from pddl2nl.systems.taskgraph.events import GraphChecked, KeysChosen, PlanRevised, SubtaskDone
from pddl2nl.systems.taskgraph.oracle import oracle
from pddl2nl.systems.taskgraph.prompts import LAYOUT
from pddl2nl.systems.taskgraph.sets import SetTask
from pddl2nl.tasks import shipped_domain
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import read_faults
from pddlval import Simulator
from tests.policies.staged_model import Answer, Staged

ALFRED = shipped_domain("alfred")
WORDING = load_wording(ALFRED.wording_path, ALFRED.domain)
SUBTASKS = load_subtasks(ALFRED.folder / "subtasks.json", ALFRED.domain)
TASKS = {reference.instance: reference for reference in ALFRED.references}


class SubtaskPlanner:
    """The oracle as a model."""

    name = "oracle"

    def __init__(self, mistake: str | None):
        self._oracle = oracle(ALFRED.domain, WORDING, mistake)
        self.stages: list[str] = []

    def complete(self, request: Request) -> Completion:
        reply = self._oracle.reply(request.messages)
        assert reply is not None
        self.stages.append(LAYOUT.stage_of(request.messages) or "")
        return Completion(reply)


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
    mistake: str | None = None,
    faults: str = "",
    graph: str = "automaton",
    check: Literal["off", "proved"] = "off",
    steps: int = 400,
) -> GraphRun:
    """A run with these replies, or with the oracle."""
    model = SubtaskPlanner(mistake) if replies is None else Staged(replies, LAYOUT)
    return _played(ALFRED.task(instance), TASKS[instance].texts["goal"], model, policy, faults, graph, steps, check)


def play_set_task(made: SetTask, policy: str = "taskgraph") -> GraphRun:
    """A run on a generated task with the oracle."""
    task = Task(ALFRED.domain, parse_problem(made.text, ALFRED.domain))
    return _played(task, made.reference.texts["goal"], SubtaskPlanner(None), policy, "", "automaton", 400, "off")


def play_text(problem: Problem, text: str, replies: Mapping[str, Answer | Sequence[Answer]] | None = None) -> GraphRun:
    """A run on a problem of one's own, with these replies or with the oracle."""
    model = SubtaskPlanner(None) if replies is None else Staged(replies, LAYOUT)
    return _played(Task(ALFRED.domain, problem), text, model, "taskgraph", "", "automaton", 60, "off")


def _played(
    task: Task,
    text: str,
    model: Any,
    policy: str,
    faults: str,
    graph: str,
    steps: int,
    check: Literal["off", "proved"],
) -> GraphRun:
    simulator, names = Simulator(task), make_names(task, "original", WORDING)
    executor = FaultyExecutor(simulator, read_faults(faults), seed=1) if faults else None
    setting = Setting(
        simulator,
        Teller(task, WORDING, names),
        Reader(task, WORDING, names),
        task_text=text,
        executor=executor,
        subtasks=SUBTASKS,
        graph=graph_named(graph, SUBTASKS),
        check=check,
    )
    events: list[RunEvent] = []
    episode = Episode(setting, model, limits=Limits(steps=steps), emit=events.append)
    return GraphRun(episode.play(POLICIES[policy]()), events, model)


@pytest.fixture
def setting_of_blocks() -> Setting:
    """A setting in a domain without subtasks."""
    blocks = shipped_domain("blocksworld")
    task = blocks.task("p01")
    wording = load_wording(blocks.wording_path, blocks.domain)
    names = make_names(task, "original", wording)
    return Setting(Simulator(task), Teller(task, wording, names), Reader(task, wording, names))
