"""Compact prompts: every stage of the paper's thirteen tasks fits the context window of its smaller model."""

from __future__ import annotations

import re

import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.llm import Completion, Request
from pddl2nl.nl import choose_wording
from pddl2nl.policies import Episode, Setting, make_policy
from pddl2nl.policies.prompts import stage_of
from pddl2nl.systems.hvr.ontology import read_ontology
from pddl2nl.systems.hvr.options import ONTOLOGY_FILE
from pddl2nl.systems.hvr.prompting import LAYOUT
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.references import reference_of
from tests.settings import plain_setting

pytestmark = pytest.mark.usefixtures("needs_planner")

KITCHEN = shipped_domain("kitchen")
LARGEST = "t12"
WINDOW = 4096
"""Of Phi-3-mini-4k-instruct."""
SHORTEST_REPLY = 200
"""A model may say more than the oracle: so many tokens are left to it in any case."""


class Counting:
    """The oracle, with the most tokens of each stage; without preconditions, claims are refuted after each block."""

    name = "counting"

    def __init__(self, setting: Setting, mistake: str, careless: bool):
        self._oracle = PlanOracle(setting.teller.task.domain, setting.teller.wording, mistake)
        self._careless = careless
        self.most: dict[str, int] = {}

    def complete(self, request: Request) -> Completion:
        stage, reply = stage_of(request.messages), self._oracle.complete(request).text
        assert stage is not None
        count = pytest.importorskip("rs_bpe.bpe").openai.cl100k_base().count
        used = sum(count(message.content) for message in request.messages) + max(count(reply), SHORTEST_REPLY)
        self.most[stage] = max(used, self.most.get(stage, 0))
        if self._careless and stage == "conditions":
            reply = re.sub(r"precondition: .*", "precondition: (and)", reply)
        return Completion(reply)


def setting(instance: str) -> Setting:
    task = KITCHEN.task(instance)
    reference = reference_of(task)
    assert reference is not None
    text = max(reference.texts.values(), key=len)
    ontology = read_ontology((KITCHEN.folder / ONTOLOGY_FILE).read_text(encoding="utf-8"))
    wording = choose_wording(str(KITCHEN.wording_path), task.domain)
    return plain_setting(task, wording, task_text=text, files={ONTOLOGY_FILE: ontology})


@pytest.mark.heavy
@pytest.mark.parametrize("instance", ["t01", "t05bis", "t09", "t12"])
def test_every_stage_fits_the_window(instance: str) -> None:
    most: dict[tuple[str, str], int] = {}
    every = (
        ("hvr", "missing-step", True),
        ("hvr", "wrong-precondition", False),
        ("hv", "missing-step", True),
        ("hv", "wrong-precondition", False),
        ("vr", "missing-step", False),
        ("llm", "", False),
    )
    # The whole system has every stage but that of `llm`; its ablations say less, and are tried on the largest task.
    for policy, mistake, careless in every if instance == LARGEST else (*every[:2], every[-1]):
        here = setting(instance)
        model = Counting(here, mistake, careless)
        finished = Episode(here, model).play(make_policy(policy, {"prompt_size": "compact"}))
        assert finished.outcome == "solved", finished
        for stage, used in model.most.items():
            most[policy, stage] = max(used, most.get((policy, stage), 0))
    assert instance != LARGEST or {stage for _, stage in most} == {*LAYOUT.stages}
    # Without retrieval the largest task's corrections are longer.
    assert {key for key, used in most.items() if used > WINDOW} <= {("hv", "conditions-correction")}
