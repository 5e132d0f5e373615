"""The oracle answers every prompt of BrainBody from the prompts alone, and makes each mistake on request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from tests.policies.brainbody.conftest import TABLE_3, household

from pddl2nl.baselines import OracleModel
from pddl2nl.llm import Message
from pddl2nl.pddl import GroundAtom, Task
from pddl2nl.policies import Episode
from pddl2nl.policies.events import Prompted, RunEvent
from pddl2nl.policies.setting import Setting
from pddl2nl.systems.brainbody.brainbody import BrainBody
from pddl2nl.systems.brainbody.events import ErrorSignal
from pddl2nl.systems.brainbody.mistakes import MISTAKES
from pddl2nl.systems.brainbody.oracle import BrainOracle, oracle
from pddl2nl.systems.brainbody.prompts import LAYOUT, StepPrompter
from pddlval import Simulator

pytestmark = pytest.mark.usefixtures("needs_planner")

TESTS = [f"v{number:02}" for number in range(1, 11)]
Answered = tuple[str, dict[str, list[Any]]]


@pytest.fixture(scope="module")
def answered() -> Callable[..., Answered]:
    """The outcome of a run with the oracle, and its events by kind."""

    def _answered(setting: Setting, mistake: str | None = None, policy: str = "brainbody") -> Answered:
        events: list[RunEvent] = []
        teller = setting.teller
        staged = oracle(teller.task.domain, teller.wording, mistake)
        model = OracleModel(teller.task.domain, teller.wording, staged=[staged])
        finished = Episode(setting, model, emit=events.append).play(BrainBody(policy))
        kinds: dict[str, list[Any]] = {}
        for event in events:
            kinds.setdefault(event.event, []).append(event)
        return finished.outcome, kinds

    return _answered


@pytest.mark.parametrize("instance", ["v06", *(pytest.param(name, marks=pytest.mark.heavy) for name in TESTS)])
def test_it_solves_the_test_tasks_without_an_error(answered: Any, instance: str) -> None:
    outcome, events = answered(household(instance))
    assert outcome == "solved"
    assert "error-signal" not in events


@pytest.mark.heavy
@pytest.mark.parametrize("instance", ["v05", "v06", "v07"])
def test_what_it_forgets_to_open_is_mended_in_one_round_of_feedback(answered: Any, instance: str) -> None:
    for loops in (0, 1, 3):
        outcome, events = answered(household(instance, feedback_loops=loops), "forgotten-open")
        assert outcome == ("solved" if loops else "goal-missed")
        assert len(events["brain-planned"]) == min(1, loops) + 1


ROUNDS = {
    # The rounds of feedback on putting the salmon into the fridge, with three allowed, and whether it gets there.
    "forgotten-open": (1, True),
    "forgotten-walk": (0, True),
    "wrong-object": (1, True),
    "compound-step": (1, True),
    "hands-full": (1, True),
    "restart-numbering": (3, False),
    "same-again": (3, False),
    "too-short": (1, False),
    "body-hallucinates": (0, True),
    "body-syntax": (1, True),
}


def test_every_mistake_is_tried() -> None:
    assert tuple(ROUNDS) == MISTAKES


@pytest.mark.parametrize(
    "mistake",
    [name if name == "body-syntax" else pytest.param(name, marks=pytest.mark.heavy) for name in ROUNDS],
)
def test_a_mistake_takes_its_rounds(answered: Any, mistake: str) -> None:
    outcome, events = answered(household("v06"), mistake)
    rounds, solved = ROUNDS[mistake]
    assert (len(events["brain-planned"]) - 1, outcome == "solved") == (rounds, solved)


@pytest.mark.parametrize("policy", ["base", pytest.param("progprompt", marks=pytest.mark.heavy)])
def test_it_writes_programs(answered: Any, policy: str) -> None:
    outcome, events = answered(household("v08"), policy=policy)
    assert (outcome, len(events["prompted"])) == ("solved", 1)


@pytest.mark.heavy
def test_a_hidden_fact_is_in_no_prompt_and_decides_all_the_same(answered: Any) -> None:
    setting = household("v10")
    task, robot = setting.simulator.task, setting.robot
    assert robot is not None
    hidden = msgspec.structs.replace(robot, hidden=frozenset({"unplugged"}))
    problem = replace(task.problem, init=(*task.problem.init, GroundAtom(("unplugged", "tv"))))
    simulator = Simulator(Task(task.domain, problem))
    staged = BrainOracle(task.domain, setting.teller.wording, hidden, None)
    events: list[RunEvent] = []
    changed = replace(setting, simulator=simulator, robot=hidden, signal="raw", feedback_loops=1)
    model = OracleModel(task.domain, setting.teller.wording, staged=[staged])
    finished = Episode(changed, model, emit=events.append).play(BrainBody())
    assert finished.outcome == "goal-missed"
    errors = [event for event in events if isinstance(event, ErrorSignal)]
    assert {event.unmet for event in errors} == {("(not (unplugged tv))",)}
    prompts = [event for event in events if isinstance(event, Prompted)]
    assert len(prompts) > 3
    assert not any("plugged" in message.content for event in prompts for message in event.messages)


def test_it_learns_what_is_hidden_from_the_message(answered: Any) -> None:
    setting = household("v10")
    task, robot = setting.simulator.task, setting.robot
    assert robot is not None
    hidden = msgspec.structs.replace(robot, hidden=frozenset({"has-switch"}))
    staged = BrainOracle(task.domain, setting.teller.wording, hidden, None)
    sections = {
        "Objects": ["tv (furniture)", "radio (furniture)", "livingroom (room)"],
        "Actions": list(map(str, robot.primitives)),
        "Environment information": [
            *("(tv, is, at)", "(livingroom, is, robot-in)", "(livingroom, stands-in, livingroom)"),
            *("(tv, stands-in, livingroom)", "(radio, stands-in, livingroom)", "(livingroom, way, livingroom)"),
        ],
        "Task": "My goal is that in the end ((tv is switched on) or (radio is switched on)).",
        "Plan": "0: Switch on tv\n1: Done.",
        "Error step": "0",
        "Message": "I cannot switch on tv because tv does not have a switch.",
    }
    system = Message("system", LAYOUT.system("brainbody/feedback", "Mend it."))
    reply = staged.reply([system, Message("user", LAYOUT.question(sections))])
    assert reply is not None
    new = reply.partition("New plan:\n")[2].split("\n")
    assert (new[0].lower(), new[1].lower(), new[2]) == ("0: walk to radio", "1: now switch on radio", "2: Done.")


@pytest.mark.parametrize("step", TABLE_3)
def test_it_is_right_on_the_lines_of_the_papers_table_3(step: str) -> None:
    setting = household("v02")
    assert setting.robot is not None
    answering = oracle(setting.simulator.task.domain, setting.teller.wording, None)
    prompter = StepPrompter(setting.teller, setting.robot, program=False, shots={})
    assert answering.reply(prompter.messages("brainbody/act", {"Step": step})) == TABLE_3[step]
