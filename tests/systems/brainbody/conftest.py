"""The household, and a model that answers the prompts of BrainBody by stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.nl import choose_wording
from pddl2nl.policies import Episode, RunEvent, Setting, make_policy
from pddl2nl.policies.budget import Limits, ModelCalls, PricedModel
from pddl2nl.policies.events import Finished
from pddl2nl.systems.brainbody.primitives import Robot, parse_robot
from pddl2nl.systems.brainbody.prompts import LAYOUT
from pddl2nl.tasks import ShippedDomain, shipped_domain
from pddl2nl.tasks.references import reference_of
from tests.policies.conftest import world
from tests.policies.staged_model import Answer, Staged
from tests.settings import plain_setting

__all__ = ["world"]

HOUSEHOLD, TABLETOP = shipped_domain("household"), shipped_domain("tabletop")
TABLE_3 = {
    "put toothpaste on toothbrush": "<char0> [putin] <toothpaste> <toothbrush>",
    "close the fridge": "<char0> [close] <fridge>",
    "wait for the toast": "<pass>",
}
"""The lines of the paper's table 3 on which its acting model is right, and matching by embeddings wrong."""


def robot_of(shipped: ShippedDomain) -> Robot:
    """The robot of a shipped domain."""
    return parse_robot((shipped.folder / "robot.json").read_text(encoding="utf-8"), shipped.domain)


def setting_of(instance: str, shipped: ShippedDomain = HOUSEHOLD, **changed: Any) -> Setting:
    """The setting of a shipped task of a domain with a robot, in its own words."""
    task = shipped.task(instance)
    reference = reference_of(task)
    assert reference is not None
    given = {"files": {"robot.json": robot_of(shipped)}, "task_text": reference.texts["goal"], **changed}
    return plain_setting(task, choose_wording(None, task.domain), **given)


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
    brain: Any
    body: Any

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.events if event.event == kind]


Run = Callable[..., BrainRun]


@pytest.fixture
def run() -> Run:
    """Plays a policy with one model for the plans and another for the steps, or with the oracle."""

    def _run(
        replies: Mapping[str, Answer | Sequence[Answer]] | None,
        act: Answer | Sequence[Answer] = "<pass>",
        *,
        policy: str = "brainbody",
        setting: Setting | None = None,
        instance: str = "v06",
        mistake: str = "",
        **options: Any,
    ) -> BrainRun:
        setting = setting or setting_of(instance)
        if replies is None:
            teller = setting.teller
            brain: Any = PlanOracle(teller.task.domain, teller.wording, mistake)
            body: Any = brain
        else:
            brain, body = Staged(replies, LAYOUT), Staged({"brainbody/act": act}, LAYOUT)
        events: list[RunEvent] = []
        calls = ModelCalls({"planner": PricedModel(brain), "body": PricedModel(body)}, Limits())
        episode = Episode(setting, calls, emit=events.append)
        return BrainRun(episode.play(make_policy(policy, options)), events, brain, body)

    return _run
