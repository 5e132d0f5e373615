"""The examples in BrainBody's prompts: each is right, and none is the task itself or a test task."""

from __future__ import annotations

import pytest
from tests.policies.brainbody.conftest import HOUSEHOLD, household

from pddl2nl.policies.setting import Setting
from pddl2nl.systems.brainbody.bodies import ReaderBody
from pddl2nl.systems.brainbody.examples import shots_for
from pddl2nl.systems.brainbody.prompts import LAYOUT
from pddl2nl.systems.brainbody.replies import ProgramReader, is_done, read_plan_reply

SETTING = household("v05")


def shots(setting: Setting, stage: str, program: bool = False) -> list[tuple[dict[str, str], str]]:
    assert setting.robot is not None
    return [(LAYOUT.read(asked), reply) for asked, reply in shots_for(setting, setting.robot, program)[stage]]


def test_plans_are_those_of_solved_tasks_that_are_no_test_tasks() -> None:
    tests = {reference.texts["goal"] for reference in HOUSEHOLD.references if reference.instance.startswith("v")}
    tasks = [asked["Task"] for asked, _ in shots(SETTING, "brainbody/plan")]
    assert tasks == ["Bring the magazine to the desk.", "Refrigerate the salmon.", "Turn off the table lamp."]
    assert tests.isdisjoint(tasks)
    # The task itself is never shown.
    others = [asked["Task"] for asked, _ in shots(household("train01"), "brainbody/plan")]
    assert "Refrigerate the salmon." not in others


@pytest.mark.parametrize("program", [False, True])
def test_a_new_plan_continues_what_was_executed(program: bool) -> None:
    # One step was left out: the new plan begins with it and repeats the rest.
    for asked, reply in shots(SETTING, "brainbody/feedback", program):
        start = int(asked["Error step"])
        old, read = read_plan_reply(asked["Plan"]), read_plan_reply(reply, start)
        assert not read.dropped
        assert read.explanation.startswith(asked["Message"])
        assert len(read.steps) == len(old.steps[start:]) + 1
        assert read.steps[1:] == old.steps[start:]
        assert is_done(read.steps[-1])


def test_each_primitive_of_the_examples_is_shown_once_and_a_pass() -> None:
    assert SETTING.robot is not None
    reader = ProgramReader(SETTING.robot, SETTING.simulator.task.domain, SETTING.teller.names)
    body = ReaderBody(SETTING.teller, SETTING.robot)
    read = {asked["Step"]: reader.read(reply) for asked, reply in shots(SETTING, "brainbody/act")}
    commands = [line.command for line in read.values() if line.command is not None]
    names = [command.primitive.name for command in commands]
    assert len({*names}) == len(names) == len(read) - 1
    assert [line.result for line in read.values()][-1] == "pass"
    # What is shown agrees with the reader of language.
    assert all(body.act(step).text == line.text for step, line in read.items())


def test_assertions_are_about_objects_of_their_command() -> None:
    reader = ProgramReader(SETTING.robot, SETTING.simulator.task.domain, SETTING.teller.names)  # type: ignore[arg-type]
    lines = [
        reader.read(step)
        for _, reply in shots(SETTING, "brainbody/progprompt")
        for step in read_plan_reply(reply).steps
        if not is_done(step)
    ]
    asserted = [(line.unless.atom, line.command.args) for line in lines if line.unless is not None and line.command]
    assert (("is-open", "fridge"), ("fridge",)) in asserted
    assert all(atom[1:] and {*atom[1:]} <= {*args} for atom, args in asserted)
