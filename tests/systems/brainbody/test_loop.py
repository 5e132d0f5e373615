"""Algorithm 1 of BrainBody-LLM: planning, acting, errors and revised plans."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pddl2nl.llm import Message
from pddl2nl.pddl import And, Task, parse_task
from pddl2nl.policies import Setting
from pddl2nl.systems.brainbody import brainbody
from pddl2nl.systems.brainbody.bodies import ReaderBody
from pddl2nl.systems.brainbody.examples import shots_for
from pddl2nl.systems.brainbody.prompts import LAYOUT
from pddl2nl.systems.brainbody.replies import MAX_STEPS, ProgramReader, is_done, read_plan_reply
from pddl2nl.tasks import ShippedDomain
from pddl2nl.worlds.executor import FaultyExecutor
from pddl2nl.worlds.faults import parse_faults
from pddlval import Simulator, State
from tests.settings import plain_setting
from tests.systems.brainbody.conftest import HOUSEHOLD, TABLETOP, Run, plan, robot_of, setting_of, steps

FEEDBACK = "Explanation: The fridge is shut.\nNew plan:\n"
OPENED = ["Open the fridge", "Put the salmon into the fridge", "Close the fridge"]
FORGOTTEN = [step for step in steps("v06") if step != "Open the fridge"]


def test_a_forgotten_step_is_mended_in_one_round_and_what_was_done_stays(run: Run) -> None:
    replies = {"brainbody/plan": plan(*FORGOTTEN), "brainbody/feedback": FEEDBACK + plan(*OPENED, start=3)}
    played = run(replies, body="reader")
    assert played.finished.outcome == "solved"
    (error,), (first, second) = played.of("error-signal"), played.of("brain-planned")
    assert (error.step, error.status, error.unmet) == (
        3,
        "inapplicable",
        ("(or (not (can-open fridge)) (is-open fridge))",),
    )
    assert (second.number, second.start, second.explanation) == (1, 3, "The fridge is shut.")
    assert second.plan == (*first.plan[:3], *OPENED, "Done.")
    (question,) = played.brain.asked("brainbody/feedback")
    assert question["Plan"] == plan(*FORGOTTEN)
    assert question["Error step"] == "3"
    assert question["Message"] == error.text
    # The state is the present one: the salmon has left the counter.
    assert "right_hand holds salmon" in question["Environment information"]


def test_without_feedback_the_failed_step_is_skipped(run: Run) -> None:
    played = run({"brainbody/plan": plan(*FORGOTTEN)}, policy="brainbody-open", body="reader")
    assert played.finished.outcome == "goal-missed"
    assert played.brain.stages == ["brainbody/plan"]
    assert len(played.of("error-signal")) == 2
    assert [event.step for event in played.of("body-acted")] == [0, 1, 2, 3, 4]


def test_the_same_plan_again_takes_all_rounds_and_then_goes_on(run: Run) -> None:
    replies = {"brainbody/plan": plan(*FORGOTTEN), "brainbody/feedback": plan(*FORGOTTEN)}
    played = run(replies, body="reader")
    assert played.finished.outcome == "goal-missed"
    assert played.brain.stages == ["brainbody/plan"] + ["brainbody/feedback"] * 3
    errors = [event for event in played.of("error-signal") if event.step == 3]
    assert [event.repeated for event in errors] == [0, 1, 2, 3]
    again = ["The same action has failed" in asked["Message"] for asked in played.brain.asked("brainbody/feedback")]
    assert again == [False, True, True]
    # Every new plan repeats the three steps that were done, and these lines are dropped.
    assert {event.dropped for event in played.of("brain-planned")[1:]} == {tuple(plan(*FORGOTTEN[:3]).split("\n")[:3])}


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("terse", "Step 0 failed: inapplicable, <char0> [open] <fridge>."),
        ("reason", "I cannot open fridge with right_hand because the robot is not at fridge."),
    ],
)
def test_the_style_of_errors_decides_how_much_is_told(run: Run, style: Any, text: str) -> None:
    played = run(
        {"brainbody/plan": plan("Open the fridge"), "brainbody/feedback": "1: Done."}, body="reader", signal=style
    )
    (error,) = played.of("error-signal")
    assert (error.style, error.text, error.unmet) == (style, text, ("(at fridge)",))
    assert played.brain.asked("brainbody/feedback")[0]["Message"] == text
    # The examples tell their errors in the same style.
    shown = [message.content for message in played.brain.conversations("brainbody/feedback")[0][1:-1:2]]
    assert len(shown) == 3
    assert all(("because" in question) == (style == "reason") for question in shown)


def test_two_models_have_accounts_of_their_own_and_the_acting_model_sees_no_state(run: Run) -> None:
    acts = ["<char0> [walk] <kitchentable>", "<pass>", "<char0> [grap] <salmon>", "<pass>"]
    replies = {"brainbody/plan": plan("Walk to the table", "Wait", "Grab the salmon"), "brainbody/feedback": "2: Done."}
    played = run(replies, acts)
    assert {role: account["calls"] for role, account in played.finished.used.items()} == {"planner": 2, "body": 3}
    assert [event.result for event in played.of("body-acted")] == ["action", "pass", "unreadable"]
    assert played.of("error-signal")[0].text == (
        "Nothing was done, because there is no action called \"grap\"; did you mean 'grab'?"
    )
    assert {request.purpose for request in played.body.requests} == {"body"}
    for question in played.body.asked("brainbody/act"):
        assert question.keys() == {"Objects", "Actions", "Step"}


def test_a_goal_that_is_reached_on_the_way_and_destroyed_is_missed(run: Run) -> None:
    there_and_back = [*steps("v06")[:-1], "Close the fridge", "Open the fridge"]
    played = run({"brainbody/plan": plan(*there_and_back)}, body="reader")
    assert not played.of("error-signal")
    assert played.finished.outcome == "goal-missed"


def test_no_model_is_asked_where_the_goal_holds_from_the_beginning(run: Run) -> None:
    setting = setting_of("v06")
    task = setting.simulator.task
    easy = Task(task.domain, replace(task.problem, goal=And()))
    played = run({}, setting=replace(setting, simulator=Simulator(easy)))
    assert played.finished.outcome == "solved"
    assert not played.brain.requests


@pytest.mark.parametrize("reply", ["", "I would open the fridge first.", "Explanation: none.\nNew plan:\n"])
def test_a_reply_without_steps_is_an_unreadable_plan(run: Run, reply: str) -> None:
    played = run({"brainbody/plan": reply})
    assert (played.finished.outcome, played.body.requests) == ("unreadable", [])


def test_a_reply_that_cannot_be_read_is_told_and_uses_a_round(run: Run) -> None:
    feedback = ["I would open it first.", FEEDBACK + plan(*OPENED, start=3)]
    played = run({"brainbody/plan": plan(*FORGOTTEN), "brainbody/feedback": feedback}, body="reader")
    assert played.finished.outcome == "solved"
    _, asked = played.brain.asked("brainbody/feedback")
    assert asked["Message"].startswith("No step was read in the reply.")
    assert [event.number for event in played.of("brain-planned")] == [0, 1, 2]


# ── baselines ────────────────────────────────────────────────────────────────────────────────────


def test_the_base_model_writes_a_program_in_one_call(run: Run) -> None:
    lines = ["walk] <kitchentable>", "grab] <salmon>", "walk] <fridge>", "open] <fridge>", "putin] <salmon> <fridge>"]
    program = plan(*(f"<char0> [{line}" for line in (*lines, "close] <fridge>")))
    played = run({"brainbody/plan": program}, policy="base")
    assert (played.finished.outcome, played.finished.calls) == ("solved", 1)
    (conversation,) = played.brain.conversations("brainbody/plan")
    assert "<char0> [action] <object>" in conversation[0].content
    assert "0: <char0> [walk] <sofa>" in conversation[2].content


def test_a_plan_can_be_asked_for_one_step_at_a_time(run: Run) -> None:
    said = ["1. Walk over to the lightswitch", "Switch off the light now", "Done."]
    played = run({"brainbody/next": said}, policy="huang", instance="v08", body="reader")
    asked = played.brain.asked("brainbody/next")
    assert asked[0].keys() == {"Task"}
    # The plan goes on with the commands that were taken.
    assert asked[1]["Plan"] == "0: Walk to lightswitch"
    (planned,) = played.of("brain-planned")
    assert planned.plan == ("Walk over to the lightswitch", "Switch off the light now")
    # The example is the task that is most like it.
    example = played.brain.conversations("brainbody/next")[0][1].content
    assert "Turn off the table lamp." in example


def test_a_model_that_never_says_done_is_asked_for_so_many_steps(run: Run) -> None:
    played = run({"brainbody/next": "Look at the tv"}, policy="huang")
    assert len(played.brain.requests) == len(played.of("body-acted")) == MAX_STEPS


def test_assertions_are_answered_by_the_simulator(run: Run) -> None:
    program = plan(
        "assert the robot is at kitchentable else <char0> [walk] <kitchentable>",
        "<char0> [grab] <salmon>",
        "assert the robot is at the fridge else <char0> [walk] <fridge>",
        "assert fridge is not open else <char0> [close] <fridge>",
        "assert (fridge is open), else: <char0> [open] <fridge>",
        "<char0> [putin] <salmon> <fridge>",
        "assert fridge is melted else <char0> [close] <fridge>",
        "<char0> [close] <fridge>",
    )
    played = run({"brainbody/progprompt": program}, policy="progprompt")
    assert (played.finished.outcome, played.finished.calls) == ("solved", 1)
    results = [event.result for event in played.of("body-acted")]
    assert results == ["action", "action", "action", "pass", "action", "action", "unreadable", "action"]
    (error,) = played.of("error-signal")
    assert "fridge is melted" in error.text


# ── previews and dead ends ───────────────────────────────────────────────────────────────────────


def test_with_a_preview_a_failing_step_never_reaches_the_world(run: Run) -> None:
    played = run({"brainbody/plan": plan(*FORGOTTEN)}, body="reader", preview=True, feedback_loops=0)
    errors = played.of("error-signal")
    assert [(event.step, event.preview) for event in errors] == [(3, True), (4, True)]
    assert not played.of("rejected")


SMASHED = plan("lift cup_0 from place_1", "smash cup_0", "put cup_0 on place_0")
"""Cups have no robot.json: each action is a command that names all its objects."""


@pytest.mark.parametrize(
    ("dead_ends", "preview", "outcome", "told", "proved"),
    [
        ("ignore", False, "goal-missed", False, []),
        ("tell", False, "goal-missed", True, [(2, "(smash red)", False)]),
        ("end", False, "gave-up", False, [(2, "(smash red)", False)]),
        ("tell", True, "goal-missed", False, [(1, "(smash red)", True)]),
    ],
)
def test_a_dead_end_is_told_or_ends_the_run_or_is_never_entered(
    run: Run,
    world: Any,
    monkeypatch: pytest.MonkeyPatch,
    dead_ends: Any,
    preview: bool,
    outcome: str,
    told: bool,
    proved: list[Any],
) -> None:
    def gone(simulator: Simulator, state: State) -> bool:
        return not any("red" in atom for atom in state)

    monkeypatch.setattr(brainbody, "is_dead_end", gone)
    replies = {"brainbody/plan": SMASHED, "brainbody/feedback": "2: Done."}
    options = {"body": "reader", "dead_ends": dead_ends, "preview": preview}
    played = run(replies, setting=world.setting(shown=False), **options)
    asked = played.brain.asked("brainbody/feedback")
    assert played.finished.outcome == outcome
    assert any("cannot be undone" in question["Message"] for question in asked) == told
    assert [(each.step, each.action, each.preview) for each in played.of("dead-end-proved")] == proved


def test_a_dead_end_is_a_state_from_which_the_planner_proves_that_there_is_no_plan(world: Any) -> None:
    pytest.importorskip("up_fast_downward", reason="Fast Downward is absent: pip install 'pddl2nl[planners]'")
    simulator = world.setting(shown=False).simulator
    lifted = simulator.step(simulator.initial, "(lift red table)").successor
    assert lifted is not None
    smashed = simulator.step(lifted, "(smash red)").successor
    assert [brainbody.is_dead_end(simulator, state) for state in (lifted, smashed)] == [False, True]


# ── termination ──────────────────────────────────────────────────────────────────────────────────

LINES = st.sampled_from(
    ["Walk to the fridge", "Open the fridge", "Done.", "Grab the moon", "<char0> [grab] <salmon>", "3: 3: 3:", ""]
)
REPLIES = st.lists(st.tuples(st.integers(0, 70), st.lists(LINES, max_size=80)), min_size=1, max_size=4)
ACTS = st.lists(
    st.sampled_from(["<pass>", "<char0> [open] <fridge>", "<char0> [walk] <fridge>", "<char0> [fly]", ""]), min_size=1
)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(replies=REPLIES, acts=ACTS, loops=st.integers(0, 4))
def test_every_run_ends_within_the_bound_on_calls(
    run: Run, replies: list[tuple[int, list[str]]], acts: Sequence[str], loops: int
) -> None:
    said = [plan(*lines, start=start) for start, lines in replies]
    played = run({"brainbody/plan": said[0], "brainbody/feedback": said}, list(acts), feedback_loops=loops)
    assert played.finished.calls <= 1 + loops + (loops + 1) * MAX_STEPS
    assert len(played.of("brain-planned")) <= 1 + loops


def test_a_plan_of_a_thousand_steps_is_cut(run: Run) -> None:
    played = run({"brainbody/plan": plan(*["Wait"] * 1000)}, feedback_loops=10**6)
    planned, again, last = played.of("brain-planned")
    assert (len(planned.plan), len(planned.dropped)) == (MAX_STEPS, 941)
    assert len(played.body.requests) == MAX_STEPS
    # What was not carried out is told, once, and so is that nothing was read in the reply to it.
    assert again.plan == last.plan == planned.plan
    told = [question["Message"] for question in played.brain.asked("brainbody/feedback")]
    assert "only 60 steps" in told[0]
    assert told[1:] == [
        "No step was read in the reply. Write each step on a line of its own, and number the first one 60."
    ]


# ── hostile texts ────────────────────────────────────────────────────────────────────────────────


def test_a_task_without_objects_can_be_played(run: Run) -> None:
    task = parse_task(
        "(define (domain bell) (:predicates (rung)) (:action ring :parameters () :effect (rung)))",
        "(define (problem p) (:domain bell) (:init) (:goal (rung)))",
    )
    played = run(
        {"brainbody/plan": plan("Ring the bell")}, "<char0> [ring]", setting=plain_setting(task, task_text="Ring.")
    )
    assert played.finished.outcome == "solved"
    assert played.body.asked("brainbody/act") == [{"Actions": "- [ring]", "Step": "Ring the bell"}]


def test_an_error_that_the_world_reports_is_told_and_is_no_mistake_of_the_model(run: Run) -> None:
    setting = setting_of("v06")
    faults = parse_faults('refuse (open fridge *) "the door is frozen" once')
    world = FaultyExecutor(setting.simulator, faults)
    replies = {"brainbody/plan": plan(*steps("v06")), "brainbody/feedback": FEEDBACK + plan(*OPENED, start=3)}
    played = run(replies, body="reader", setting=replace(setting, executor=world))
    (error,) = played.of("error-signal")
    assert (error.status, error.unmet) == ("world-error", ())
    assert error.text == "I cannot open fridge with left_hand: the door is frozen."
    (rejected,) = played.of("rejected")
    assert rejected.status == "world-error"
    assert (played.finished.outcome, played.finished.mistakes) == ("solved", 0)


# ── prompts ───────────────────────────────────────────────────────────────────────────────────────


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
