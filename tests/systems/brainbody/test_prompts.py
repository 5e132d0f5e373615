"""The prompts of BrainBody word for word, and their examples: each is right, and none is the task or a test task.

Where a change is meant, ``PDDL2NL_WRITE_GOLDEN=1 pytest tests/systems/brainbody`` writes the golden files anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.llm import Message
from pddl2nl.policies import Setting
from pddl2nl.systems.brainbody.bodies import ReaderBody
from pddl2nl.systems.brainbody.examples import shots_for
from pddl2nl.systems.brainbody.prompts import LAYOUT
from pddl2nl.systems.brainbody.replies import ProgramReader, is_done, read_plan_reply
from pddl2nl.tasks import ShippedDomain
from tests.systems.brainbody.conftest import HOUSEHOLD, TABLETOP, Run, plan, robot_of, setting_of

GOLDEN = Path(__file__).parent / "golden"
SETTING, ROBOT = setting_of("v05"), robot_of(HOUSEHOLD)
PLAN = plan("Lift cup_0 from place_1", "Smash the shelf", "Put cup_0 on place_0")


def whole(messages: tuple[Message, ...]) -> str:
    return "\n\n".join(f"── {message.role}\n{message.content}" for message in messages) + "\n"


@pytest.mark.parametrize(
    ("name", "policy", "stage"),
    [
        ("plan", "brainbody", "brainbody/plan"),
        ("act", "brainbody", "brainbody/act"),
        ("feedback", "brainbody", "brainbody/feedback"),
        ("base", "base", "brainbody/plan"),
        ("progprompt", "progprompt", "brainbody/progprompt"),
        ("next", "huang", "brainbody/next"),
    ],
)
def test_a_prompt_is_as_in_its_file(run: Run, world: Any, name: str, policy: str, stage: str) -> None:
    acts = ["<char0> [lift] <cup_0> <place_1>", "<char0> [smash] <place_0>", "<pass>"]
    replies = {
        "brainbody/plan": PLAN,
        "brainbody/progprompt": PLAN,
        "brainbody/feedback": "1: Done.",
        "brainbody/next": "Done.",
    }
    played = run(replies, acts, policy=policy, setting=world.setting(shown=False))
    text = whole((played.brain if stage != "brainbody/act" else played.body).conversations(stage)[0])
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("PDDL2NL_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_house_is_told_in_sentences_with_what_is_closed(run: Run) -> None:
    played = run({"brainbody/plan": plan()}, instance="v06")
    told = played.brain.asked("brainbody/plan")[0]["Environment information"].split("\n")
    assert "- the robot is in livingroom" in told
    assert "- fridge is not open" in told
    assert "- tv is not switched on" in told
    assert not any("kitchen to kitchen" in line or "kitchen belongs" in line for line in told)
    assert "What is not listed is false." in played.brain.conversations("brainbody/plan")[0][0].content


# ── examples ─────────────────────────────────────────────────────────────────────────────────────


def shots(setting: Setting, stage: str, program: bool = False) -> list[tuple[dict[str, str], str]]:
    return [(LAYOUT.read(asked), reply) for asked, reply in shots_for(setting, ROBOT, program, "reason")[stage]]


def test_plans_are_those_of_solved_tasks_that_are_no_test_tasks() -> None:
    tests = {reference.texts["goal"] for reference in HOUSEHOLD.references if reference.instance.startswith("v")}
    tasks = [asked["Task"] for asked, _ in shots(SETTING, "brainbody/plan")]
    assert tasks == ["Bring the magazine to the desk.", "Refrigerate the salmon.", "Turn off the table lamp."]
    assert tests.isdisjoint(tasks)
    # The task itself is never shown.
    others = [asked["Task"] for asked, _ in shots(setting_of("train01"), "brainbody/plan")]
    assert "Refrigerate the salmon." not in others


@pytest.mark.parametrize("program", [False, True])
@pytest.mark.parametrize(
    ("shipped", "instance", "whys"),
    [
        (HOUSEHOLD, "v05", ["this comes first", "this comes first", "change places"]),
        (TABLETOP, "f05", ["this comes first", "this comes first", "change places", "serves as well"]),
    ],
)
def test_errors_of_different_kinds_are_mended_from_the_failed_step_on(
    shipped: ShippedDomain, instance: str, whys: list[str], program: bool
) -> None:
    setting = setting_of(instance, shipped)
    shown = shots_for(setting, robot_of(shipped), program, "reason")["brainbody/feedback"]
    assert len(shown) == len(whys)
    messages = []
    for (question, reply), why in zip(shown, whys, strict=True):
        asked = LAYOUT.read(question)
        start, old = int(asked["Error step"]), read_plan_reply(asked["Plan"])
        read = read_plan_reply(reply, old.steps[:start])
        messages.append(asked["Message"])
        assert read.explanation.startswith(asked["Message"])
        assert why in read.explanation
        assert read.steps != old.steps[start:]
        assert not read.repeated
        assert is_done(read.steps[-1])
    told = " ".join(messages)
    assert ("is not open" if shipped == HOUSEHOLD else "out of reach of the robot") in told


def test_each_primitive_of_the_examples_is_shown_once_and_a_pass() -> None:
    reader = ProgramReader(ROBOT, SETTING.teller)
    body = ReaderBody(SETTING.teller, ROBOT)
    read = {asked["Step"]: reader.read(reply) for asked, reply in shots(SETTING, "brainbody/act")}
    commands = [line.command for line in read.values() if line.command is not None]
    names = [command.primitive.name for command in commands]
    assert len({*names}) == len(names) == len(read) - 1
    assert [line.result for line in read.values()][-1] == "pass"
    # What is shown agrees with the reader of language.
    assert all(body.act(step).text == line.text for step, line in read.items())


def test_assertions_are_about_objects_of_their_command() -> None:
    reader = ProgramReader(ROBOT, SETTING.teller)
    lines = [
        reader.read(step)
        for _, reply in shots(SETTING, "brainbody/progprompt")
        for step in read_plan_reply(reply).steps
        if not is_done(step)
    ]
    asserted = [(line.unless.atom, line.command.args) for line in lines if line.unless is not None and line.command]
    assert (("is-open", "fridge"), ("fridge",)) in asserted
    assert all(atom[1:] and {*atom[1:]} <= {*args} for atom, args in asserted)
