"""Runs with the oracle: it solves the tasks, makes each mistake on request, and learns what is hidden from errors."""

from __future__ import annotations

import msgspec
import pytest

from pddl2nl.baselines import PlanOracle
from pddl2nl.nl import choose_wording
from pddl2nl.pddl import Task, parse_problem, write_problem
from pddl2nl.policies.setting import Setting
from pddl2nl.systems.brainbody.answers import MISTAKES, BrainAnswers
from pddl2nl.systems.brainbody.prompts import StepPrompter
from pddl2nl.tasks.references import reference_of
from tests.settings import plain_setting
from tests.systems.brainbody.conftest import HOUSEHOLD, TABLE_3, TABLETOP, BrainRun, Run, plan, robot_of, setting_of

pytestmark = pytest.mark.usefixtures("needs_planner")

TESTS = ("v01", "v05", "v09")


@pytest.mark.parametrize("instance", ["v06", *(pytest.param(name, marks=pytest.mark.heavy) for name in TESTS)])
def test_it_solves_the_test_tasks_without_an_error(run: Run, instance: str) -> None:
    played = run(None, instance=instance)
    assert played.finished.outcome == "solved"
    assert not played.of("error-signal")


ROUNDS = {
    # The rounds of feedback on putting the salmon into the fridge, with three allowed, and whether it gets there.
    "forgotten-open": (1, True),
    "forgotten-walk": (0, True),
    "wrong-object": (1, True),
    "compound-step": (1, True),
    "hands-full": (1, True),
    "restart-numbering": (1, True),
    "same-again": (3, False),
    "too-short": (1, False),
    "body-hallucinates": (0, True),
    "body-syntax": (1, True),
}


def test_every_mistake_is_tried() -> None:
    assert tuple(ROUNDS) == MISTAKES


@pytest.mark.parametrize(
    "mistake", [pytest.param(each, marks=() if each == "wrong-object" else pytest.mark.heavy) for each in ROUNDS]
)
def test_a_mistake_takes_its_rounds(run: Run, mistake: str) -> None:
    played = run(None, mistake=mistake)
    rounds, solved = ROUNDS[mistake]
    assert (len(played.of("brain-planned")) - 1, played.finished.outcome == "solved") == (rounds, solved)


@pytest.mark.parametrize(("policy", "calls"), [("progprompt", 1), ("huang", 3)])
def test_it_writes_programs_or_plans_one_step_at_a_time(run: Run, policy: str, calls: int) -> None:
    played = run(None, instance="v08", policy=policy)
    assert (played.finished.outcome, played.finished.calls) == ("solved", calls)


@pytest.mark.parametrize("step", TABLE_3)
def test_it_is_right_on_the_lines_of_the_papers_table_3(step: str) -> None:
    setting = setting_of("v02")
    prompter = StepPrompter(setting.teller, robot_of(HOUSEHOLD), False, {})
    oracle = PlanOracle(HOUSEHOLD.domain, setting.teller.wording)
    assert BrainAnswers(prompter, setting.simulator.task).command(oracle, step=step) == TABLE_3[step]


# ── hidden facts ─────────────────────────────────────────────────────────────────────────────────


def prompts(played: BrainRun) -> list[str]:
    """The instructions and questions of all prompts, without their examples, whose tasks are others."""
    asked = [prompt.messages for prompt in played.of("prompted") if prompt.messages]
    return [message.content for messages in asked for message in (messages[0], messages[-1])]


def hiding(predicate: str, *changes: tuple[str, str]) -> Setting:
    """V10 with a hidden predicate and changes of its problem's text."""
    text = write_problem(HOUSEHOLD.task("v10").problem)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    robot = msgspec.structs.replace(robot_of(HOUSEHOLD), hidden=frozenset({predicate}))
    task = Task(HOUSEHOLD.domain, parse_problem(text, HOUSEHOLD.domain))
    return plain_setting(task, choose_wording(None, task.domain), files={"robot.json": robot}, task_text="Watch TV.")


def test_an_error_tells_nothing_hidden_from_afar(run: Run) -> None:
    replies = {"brainbody/plan": plan("Switch on the TV", "Walk to the TV", "Switch on the TV")}
    setting = hiding(
        "unplugged", ("(:init", "(:init (unplugged tv)"), ("(stands-in tv livingroom)", "(stands-in tv bedroom)")
    )
    played = run(replies, setting=setting, body="reader", feedback_loops=0)
    far, near = played.of("error-signal")
    assert far.unmet == ("(at tv)", "(not (unplugged tv))")
    assert "plug" not in far.text
    assert near.unmet == ("(not (unplugged tv))",)
    assert "plug" in near.text


# ── the arm ──────────────────────────────────────────────────────────────────────────────────────


def assert_nothing_hidden_is_told(played: BrainRun) -> None:
    assert prompts(played)
    for text in prompts(played):
        assert not any(words in text for words in ("in-workspace", "reachable", "in the workspace", "within reach"))
        # What failed is told to the planning model after an error, and in no other place.
        before = text.partition("Message:\n")[0]
        assert "out of reach" not in before
        assert "out of the workspace" not in before


def rounds(played: BrainRun) -> int:
    return len(played.of("brain-planned")) - 1


def test_a_task_without_hidden_facts_needs_no_feedback(run: Run) -> None:
    played = run(None, setting=setting_of("f01", TABLETOP))
    assert (played.finished.outcome, rounds(played), played.of("error-signal")) == ("solved", 0, [])
    assert_nothing_hidden_is_told(played)


@pytest.mark.parametrize("instance", ["f03", pytest.param("f06", marks=pytest.mark.heavy)])
def test_a_task_with_hidden_facts_needs_little_more_feedback_than_it_must(run: Run, instance: str) -> None:
    reference = reference_of(TABLETOP.task(instance))
    assert reference is not None
    assert reference.difficulty is not None
    played = run(None, setting=setting_of(instance, TABLETOP))
    assert played.finished.outcome == "solved"
    assert 1 <= rounds(played) <= reference.difficulty + 1
    # Each error is about a hidden fact, and none comes twice.
    unmet = [error.unmet for error in played.of("error-signal")]
    assert all(literal.startswith(("(in-workspace ", "(reachable ")) for (literal,) in unmet)
    assert len(set(unmet)) == len(unmet)
    assert_nothing_hidden_is_told(played)


def test_an_error_without_a_reason_reveals_nothing(run: Run) -> None:
    played = run(None, setting=setting_of("f03", TABLETOP), signal="raw")
    assert (played.finished.outcome, rounds(played)) == ("goal-missed", 3)
    assert len({error.action for error in played.of("error-signal")[:4]}) == 1
    assert_nothing_hidden_is_told(played)


def test_policies_without_feedback_are_told_nothing_hidden_either(run: Run) -> None:
    played = run(None, setting=setting_of("f03", TABLETOP), policy="progprompt")
    assert (played.finished.outcome, rounds(played)) == ("goal-missed", 0)
    assert played.of("error-signal")[0].unmet == ("(reachable location-2-5)",)
    assert_nothing_hidden_is_told(played)
