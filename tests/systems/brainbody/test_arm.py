"""The arm tasks: hidden facts are in no prompt, errors reveal them, and the oracle needs the feedback of the table."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.policies.brainbody.conftest import setting_of

from pddl2nl.baselines import OracleModel
from pddl2nl.policies import Episode
from pddl2nl.policies.events import Finished, Prompted, RunEvent
from pddl2nl.policies.refining import Style
from pddl2nl.systems.brainbody.brainbody import BrainBody
from pddl2nl.systems.brainbody.events import BrainPlanned, ErrorSignal
from pddl2nl.systems.brainbody.oracle import oracle
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.references import reference_of

pytestmark = pytest.mark.usefixtures("needs_planner")

TABLETOP = shipped_domain("tabletop")


@dataclass(frozen=True)
class ArmRun:
    finished: Finished
    rounds: int
    errors: tuple[ErrorSignal, ...]
    prompts: tuple[Prompted, ...]


def arm(instance: str, signal: Style = "reason", policy: str = "brainbody") -> ArmRun:
    """A run of the oracle, with at most three rounds of feedback."""
    setting = setting_of(TABLETOP, instance, signal=signal)
    domain, wording = setting.teller.task.domain, setting.teller.wording
    events: list[RunEvent] = []
    model = OracleModel(domain, wording, staged=[oracle(domain, wording, None)])
    finished = Episode(setting, model, emit=events.append).play(BrainBody(policy))
    return ArmRun(
        finished,
        sum(isinstance(event, BrainPlanned) for event in events) - 1,
        tuple(event for event in events if isinstance(event, ErrorSignal)),
        tuple(event for event in events if isinstance(event, Prompted)),
    )


def assert_nothing_hidden_is_told(run: ArmRun) -> None:
    told = [message.content for prompt in run.prompts for message in prompt.messages]
    assert told
    for words in ("in-workspace", "reachable", "in the workspace", "within reach"):
        assert not any(words in text for text in told)
    # What failed is told to the planning model after an error, and in no other place.
    for text in told:
        before = text.partition("Message:\n")[0]
        assert "out of reach" not in before
        assert "out of the workspace" not in before


@pytest.mark.parametrize("instance", ["f01", pytest.param("f02", marks=pytest.mark.heavy)])
def test_a_task_without_hidden_facts_needs_no_feedback(instance: str) -> None:
    run = arm(instance)
    assert (run.finished.outcome, run.rounds, run.errors) == ("solved", 0, ())
    assert_nothing_hidden_is_told(run)


@pytest.mark.parametrize(
    "instance", ["f03", *(pytest.param(name, marks=pytest.mark.heavy) for name in ("f04", "f05", "f06", "f07"))]
)
def test_a_task_with_hidden_facts_needs_little_more_feedback_than_it_must(instance: str) -> None:
    reference = reference_of(TABLETOP.task(instance))
    assert reference is not None
    assert reference.difficulty is not None
    run = arm(instance)
    assert run.finished.outcome == "solved"
    assert 1 <= run.rounds <= reference.difficulty + 1
    # Each error is about a hidden fact, and none comes twice.
    unmet = [error.unmet for error in run.errors]
    assert all(literal.startswith(("(in-workspace ", "(reachable ")) for (literal,) in unmet)
    assert len(set(unmet)) == len(unmet)
    assert_nothing_hidden_is_told(run)


@pytest.mark.parametrize(
    "instance", ["f03", *(pytest.param(name, marks=pytest.mark.heavy) for name in ("f05", "f06", "f07"))]
)
def test_an_error_without_a_reason_reveals_nothing(instance: str) -> None:
    run = arm(instance, "raw")
    assert (run.finished.outcome, run.rounds) == ("goal-missed", 3)
    assert len({error.action for error in run.errors[:4]}) == 1
    assert_nothing_hidden_is_told(run)


@pytest.mark.parametrize("policy", ["brainbody-open", "base", "progprompt"])
def test_policies_without_feedback_are_told_nothing_hidden_either(policy: str) -> None:
    run = arm("f03", policy=policy)
    assert (run.finished.outcome, run.rounds) == ("goal-missed", 0)
    assert run.errors[0].unmet == ("(reachable location-2-5)",)
    assert_nothing_hidden_is_told(run)
