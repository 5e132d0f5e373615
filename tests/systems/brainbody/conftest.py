"""The household, and a model that answers the prompts of BrainBody by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pddl2nl.nl import Reader, Teller, choose_wording, make_names
from pddl2nl.policies import Episode, Setting
from pddl2nl.policies.budget import Limits, ModelCalls, PricedModel
from pddl2nl.policies.events import Finished, RunEvent
from pddl2nl.systems.brainbody.brainbody import BrainBody
from pddl2nl.systems.brainbody.primitives import load_robot
from pddl2nl.systems.brainbody.prompts import LAYOUT
from pddl2nl.tasks import ShippedDomain, shipped_domain
from pddl2nl.tasks.references import reference_of
from pddlval import Simulator
from tests.policies.staged_model import Answer, Staged

HOUSEHOLD = shipped_domain("household")
TABLE_3 = {
    "put toothpaste on toothbrush": "<char0> [putin] <toothpaste> <toothbrush>",
    "close the fridge": "<char0> [close] <fridge>",
    "wait for the toast": "<pass>",
}
"""The lines of the paper's table 3 on which its acting model is right, and matching by embeddings wrong."""


def household(instance: str, **changed: Any) -> Setting:
    """The setting of a task of the household, in its own words."""
    return setting_of(HOUSEHOLD, instance, **changed)


def setting_of(shipped: ShippedDomain, instance: str, **changed: Any) -> Setting:
    """The setting of a shipped task of a domain with a robot, in its own words."""
    task = shipped.task(instance)
    wording = choose_wording(None, task.domain)
    names = make_names(task, "typed", wording)
    reference = reference_of(task)
    assert reference is not None
    robot = load_robot(shipped.folder / "robot.json", task.domain)
    teller, reader = Teller(task, wording, names), Reader(task, wording, names)
    setting = Setting(Simulator(task), teller, reader, robot=robot, task_text=reference.texts["goal"])
    return replace(setting, **changed)


def steps(instance: str) -> list[str]:
    """The steps of the shipped plan of a task, in words."""
    reference = reference_of(HOUSEHOLD.task(instance))
    assert reference is not None
    return [block.macro for block in reference.ways[0].blocks]


def plan(*lines: str, start: int = 0) -> str:
    """A plan as a reply."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate((*lines, "Done."), start))


@dataclass
class BrainRun:
    """A run: its end, its events, and what each model was asked."""

    finished: Finished
    events: list[RunEvent]
    brain: Staged
    body: Staged
    episode: Episode

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.event == kind]


Run = Callable[..., BrainRun]


@pytest.fixture
def run() -> Run:
    """Plays a policy with one model for the plans and another for the steps."""

    def _run(
        replies: Mapping[str, Answer | Sequence[Answer]],
        act: Answer | Sequence[Answer] = "<pass>",
        *,
        policy: str = "brainbody",
        setting: Setting | None = None,
        instance: str = "v06",
        **changed: Any,
    ) -> BrainRun:
        brain, body = Staged(replies, LAYOUT), Staged({"brainbody/act": act}, LAYOUT)
        events: list[RunEvent] = []
        calls = ModelCalls({"planner": PricedModel(brain), "body": PricedModel(body)}, Limits())
        episode = Episode(setting or household(instance, **changed), calls, emit=events.append)
        return BrainRun(episode.play(BrainBody(policy)), events, brain, body, episode)

    return _run
