"""How BrainBody reads plans and lines of program, hostile ones included, and steps without a model."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import write_condition
from pddl2nl.systems.brainbody.bodies import EmbeddingBody, ReaderBody
from pddl2nl.systems.brainbody.primitives import Command, ground, parse_robot, robot_of_actions
from pddl2nl.systems.brainbody.replies import ProgramReader, is_done, read_plan_reply
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.shipped import authored_domains
from pddlval import GroundAction, Simulator
from pddlval.formulas import names_in, predicates_in
from tests.systems.brainbody.conftest import HOUSEHOLD, TABLE_3, robot_of, setting_of

SETTING, ROBOT = setting_of("v02"), robot_of(HOUSEHOLD)
READER = ProgramReader(ROBOT, SETTING.teller)
READER_BODY, LETTERS = ReaderBody(SETTING.teller, ROBOT), EmbeddingBody(SETTING.teller, ROBOT, None)


# ── plans ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "reply",
    [
        "0: Walk to the sofa\n1: Sit",
        "0) Walk to the sofa\n1) Sit",
        "0 - Walk to the sofa\n1 - Sit",
        "1- Walk to the sofa\n2- Sit",
        "1. Walk to the sofa\n2. Sit",
        "• Walk to the sofa\n• Sit",
        "- 0: Walk to the sofa\n- 1: Sit",
        "**0:** Walk to the sofa\n**1:** Sit",
        "Step 0: Walk to the sofa\nStep 1: Sit",
        "0: Walk to the sofa\n0: Sit",
        "Here is the plan.\n\n0: Walk to the sofa\n\n1: Sit\n\nThat is all.",
        '["Walk to the sofa", "Sit"]',
        '```json\n{"plan": ["Walk to the sofa", "Sit"]}\n```',
        '{"0": "Walk to the sofa", "1": "Sit"}',
        '[{"step": 0, "text": "Walk to the sofa"}, {"step": 1, "text": "Sit"}]',
    ],
)
def test_plans_are_read_in_many_forms(reply: str) -> None:
    assert read_plan_reply(reply).steps == ("Walk to the sofa", "Sit")


@pytest.mark.parametrize(
    "reply", ["[" * 90_000, "-\n" * 45_000, "0: " + " " * 90_000 + "x", "<" * 90_000, "1" * 90_000]
)
def test_a_long_hostile_reply_is_read_at_once(reply: str) -> None:
    began = time.process_time()
    read_plan_reply(reply)
    READER.read(reply)
    # Quadratic time would be a minute.
    assert time.process_time() - began < 5


OLD = ("Walk to the table", "Grab the salmon", "Walk to the fridge")
"""The steps that were executed before the fourth one failed."""
NEW = ("Open the fridge", "Put the salmon into the fridge", "Done.")
WHOLE = (*OLD, *NEW)


def lines(steps: tuple[str, ...], start: int, sign: str = ":") -> str:
    return "\n".join(f"{number}{sign} {step}" for number, step in enumerate(steps, start))


@pytest.mark.parametrize("start", [3, 0, 1, 4, 7])
@pytest.mark.parametrize("sign", [":", ".", ")", "\\."])
def test_the_numbers_of_a_new_plan_lose_none_of_its_steps(start: int, sign: str) -> None:
    read = read_plan_reply(f"Explanation: It is shut.\nNew plan:\n{lines(NEW, start, sign)}", OLD)
    assert read == (NEW, "It is shut.", (), ())


@pytest.mark.parametrize(
    ("reply", "repeated"),
    [
        (lines(WHOLE, 0), 3),
        (lines(WHOLE, 1), 3),
        (lines(WHOLE[1:], 1), 2),
        (lines(WHOLE[2:], 3), 1),
        # In slightly other words.
        (lines(("walk to the table.", "Grab the salmon", "Walk to fridge", *NEW), 0), 3),
        ("\n".join(f"- {step}" for step in WHOLE), 3),
        (json.dumps(WHOLE), 3),
        (json.dumps({str(number): step for number, step in enumerate(WHOLE)}), 3),
    ],
)
def test_a_whole_plan_goes_on_behind_what_was_executed(reply: str, repeated: int) -> None:
    read = read_plan_reply(f"New plan:\n{reply}", OLD)
    if repeated == 1:
        # Numbered as asked for, all steps are new ones.
        assert (read.steps, read.repeated) == (WHOLE[2:], ())
    else:
        assert read.steps == NEW
        assert len(read.repeated) == repeated


@pytest.mark.parametrize(
    "reply",
    [
        "New plan: 3: Open the fridge\n4: Put the salmon into the fridge\n5: Done.",
        "New plan: 3: Open the fridge 4: Put the salmon into the fridge 5: Done.",
        "Explanation: It is shut. New plan: 3: Open the fridge 4: Put the salmon into the fridge 5: Done.",
        "Explanation: It is shut.\n\n**New plan:** 3. Open the fridge\n4. Put the salmon into the fridge\n5. Done.",
        "### Revised plan\n3) Open the fridge\n4) Put the salmon into the fridge\n5) Done.",
        "Here is the updated plan:\n- Open the fridge\n- Put the salmon into the fridge\n- Done.",
        "**Step 3:** Open the fridge\n**Step 4:** Put the salmon into the fridge\n**Step 5:** Done.",
        "(3) Open the fridge\n(4) Put the salmon into the fridge\n(5) Done.",
        "#3: Open the fridge\n#4: Put the salmon into the fridge\n#5: Done.",
        "`3: Open the fridge`\n`4: Put the salmon into the fridge`\n`5: Done.`",
        '```json\n["3: Open the fridge", "4: Put the salmon into the fridge", "5: Done."]\n```',
        "{'explanation': 'It is shut.', 'plan': ['Open the fridge', 'Put the salmon into the fridge', 'Done.',]}",
        '{"3": "Open the fridge", "4": "Put the salmon into the fridge", "5": "Done."',
    ],
)
def test_a_new_plan_is_read_in_many_forms(reply: str) -> None:
    assert read_plan_reply(reply, OLD).steps == NEW


def test_the_explanation_is_what_comes_before_the_new_plan() -> None:
    read = read_plan_reply(
        "Explanation: Two things are wrong:\n1. the door\n2. the hand\nNew plan:\n3: Sit\n4: Done.", OLD
    )
    assert read.explanation == "Two things are wrong: 1. the door 2. the hand"
    assert read.steps == ("Sit", "Done.")


@pytest.mark.parametrize("step", ["Done", "Done.", "done!", "Finished.", "The task is complete."])
def test_the_last_line_says_that_the_plan_ends(step: str) -> None:
    assert is_done(step)
    assert not is_done(f"Walk, then {step}")


# ── lines of program ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "reply",
    [
        "<char0> [putin] <toothpaste> <toothbrush>",
        "<char0>[putin]<toothpaste><toothbrush>",
        "<char0> [PUTIN] <toothpaste> (305) <toothbrush> (12)",
        "<rob0> [put in] <tooth paste>, <Tooth-Brush>",
        "[putin] <toothpaste> <toothbrush>",
        "Program: `<char0> [putin] <toothpaste> <toothbrush>`",
        "＜char0＞ 【putin】 〈toothpaste〉 〈toothbrush〉",
        "<char0> [putin] <toothpaste> <toothbrush> instead of <pass>",
        "I would not <pass>: <char0> [putin] <toothpaste> <toothbrush>",
        "Rather than <pass>\n<char0> [putin] <toothpaste> <toothbrush>",
        "Paste goes onto it.\n<char0> [putin] <toothpaste> <toothbrush>\nExplanation: [grab] <milk> is wrong.",
    ],
)
def test_a_line_of_program_is_read(reply: str) -> None:
    line = READER.read(reply)
    assert line.command is not None, line
    assert (line.result, line.command.primitive.name, line.command.args) == (
        "action",
        "putin",
        ("toothpaste", "toothbrush"),
    )


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "<pass>",
            "[pass]",
            "< PASS >",
            "pass",
            "Pass.",
            "I am not sure, so I <pass>.",
            "<pass>\nExplanation: [grab]",
        ),
        "<pass> instead of <char0> [grab] <salmon>",
        "I write <pass>, not <char0> [grab] <salmon>",
    ],
)
def test_a_step_can_be_passed(reply: str) -> None:
    assert READER.read(reply).result == "pass"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "there is no line of program"),
        ("grab the salmon", "there is no line of program"),
        ("<char1> [grab] <salmon>", "there is no <char1>"),
        ("<char0> [gravb] <salmon>", "did you mean 'grab'?"),
        ("<char0> [grab] <salmn>", "did you mean 'salmon'?"),
        ("<char0> [grab]", "[grab] <item> names 1 objects, and 0 are given"),
        ("<char0> [grab] <salmon> <milk>", "names 1 objects, and 2 are given"),
        ("<char0> [grab] <>", 'there is no object called ""'),
        ("assert salmon is cosy else <char0> [grab] <salmon>", 'there is no condition "salmon is cosy"'),
        ("assert salmon is on moon else <char0> [grab] <salmon>", 'there is no condition "salmon is on moon"'),
    ],
)
def test_whatever_is_no_command_is_unreadable_with_the_reason(reply: str, reason: str) -> None:
    line = READER.read(reply)
    assert line.result == "unreadable"
    assert reason in line.reason


def test_assertions_are_read_with_their_command() -> None:
    line = READER.read("assert that the salmon is not inside the fridge else <char0> [grab] <salmon>")
    assert line.unless == (("inside", "salmon", "fridge"), False)
    assert line.command is not None
    assert line.command.args == ("salmon",)


# ── bodies without a model ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("step", TABLE_3)
def test_the_reader_is_right_on_the_lines_of_table_3(step: str) -> None:
    assert READER_BODY.act(step).text == TABLE_3[step]


def test_letters_find_what_is_named_and_never_pass() -> None:
    said = {step: LETTERS.act(step).text for step in TABLE_3}
    assert said["close the fridge"] == TABLE_3["close the fridge"]
    assert said["wait for the toast"] != "<pass>"


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("I walk to the kitchen.", "<char0> [walk] <kitchen>"),
        ("Walk to the salmon", "<char0> [walk] <salmon>"),
        ("Take the salmon", "<char0> [grab] <salmon>"),
        ("put the salmon in the microwave", "<char0> [putin] <salmon> <microwave>"),
        ("put the mug on the desk", "<char0> [put] <mug> <desk>"),
        ("Turn on the microwave", "<char0> [switchon] <microwave>"),
        ("Stand up.", "<char0> [standup]"),
        ("Do something useful", "<pass>"),
        ("", "<pass>"),
    ],
)
def test_the_reader_reads_steps_in_words(step: str, line: str) -> None:
    assert READER_BODY.act(step).text == line


def test_an_embedding_model_is_asked_for_the_nearest_command() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float("tv" in text.split()), float("switchon" in text.split()), 0.1] for text in texts]

    body = EmbeddingBody(SETTING.teller, ROBOT, embed)  # type: ignore[arg-type]
    assert body.act("tv switchon please").text == "<char0> [switchon] <tv>"


# ── the commands of a robot ───────────────────────────────────────────────────────────────────────


DOMAIN = HOUSEHOLD.domain
SIMULATOR = Simulator(HOUSEHOLD.task("v05"))


def grounded(text: str, *before: str) -> GroundAction:
    """The action of a command, ``grab salmon``, after some actions."""
    state = SIMULATOR.initial
    for action in before:
        after = SIMULATOR.step(state, action).successor
        assert after is not None
        state = after
    word, *args = text.split()
    primitive = ROBOT.primitive(word)
    assert primitive is not None
    return ground(Command(primitive, tuple(args)), state, SIMULATOR)


AT_FRIDGE = "(walk fridge livingroom kitchen livingroom)"


@pytest.mark.parametrize(
    ("text", "before", "action"),
    [
        # Places, rooms and hands are those of the state.
        ("walk fridge", (), AT_FRIDGE),
        ("grab salmon", (AT_FRIDGE, "(open fridge right)"), "(take-out salmon fridge right)"),
        ("open fridge", (AT_FRIDGE,), "(open fridge right)"),
        # A thing stands for the place where it is.
        ("walk salmon", (), AT_FRIDGE),
        ("run mug", (), "(walk coffeetable livingroom livingroom livingroom)"),
        # Where nothing is applicable, the failure is that of the action that was meant.
        ("grab salmon", (AT_FRIDGE,), "(take-out salmon fridge right)"),
        ("grab novel", (), "(grab novel coffeetable right)"),
        ("grab milk", (), "(take-out milk fridge right)"),
        ("touch salmon", (), "(touch-item salmon right)"),
        # The types allow none: the simulator refuses the first.
        ("open salmon", (), "(open salmon right)"),
        ("putin fridge salmon", (), "(putin fridge salmon right)"),
    ],
)
def test_a_command_is_carried_out_by_the_action_that_fits_the_state(text: str, before: Any, action: str) -> None:
    assert str(grounded(text, *before)) == action


CLOSED = [
    (atom[1], atom[2])
    for atom in SIMULATOR.task.problem.init
    if atom[0] == "inside" and ("can-open", atom[2]) in SIMULATOR.task.problem.init
]


@pytest.mark.parametrize(("thing", "place"), CLOSED)
def test_what_is_in_a_closed_container_is_refused_because_it_is_closed(thing: str, place: str) -> None:
    """The action that was meant fails; in front of the container, only because it is closed."""
    shut = f"(or (not (can-open {place})) (is-open {place}))"
    walk, open_, grab = grounded(f"walk {place}"), f"open {place}", f"grab {thing}"
    far = SIMULATOR.step(SIMULATOR.initial, grounded(grab))
    assert {*map(write_condition, far.unmet)} == {f"(at {place})", shut}
    near = SIMULATOR.step(SIMULATOR.initial, walk).successor
    assert near is not None
    assert [*map(write_condition, SIMULATOR.step(near, grounded(grab, str(walk))).unmet)] == [shut]
    opened = SIMULATOR.step(near, grounded(open_, str(walk))).successor
    assert opened is not None
    assert SIMULATOR.step(opened, grounded(grab, str(walk), str(grounded(open_, str(walk))))).successor is not None


def test_a_wrong_order_is_refused_by_what_comes_too_early() -> None:
    """Of every shipped plan each step, one earlier: what is unmet is what the step before brings about."""
    for reference in HOUSEHOLD.references[::9]:
        simulator = Simulator(HOUSEHOLD.task(reference.instance))
        state = simulator.initial
        plan = [GroundAction.parse(action) for action in reference.ways[0].plan]
        for action, later in pairwise(plan):
            command = ROBOT.command_of(later, DOMAIN)
            assert command is not None
            early = simulator.step(state, ground(command, state, simulator))
            after = simulator.step(state, action)
            assert after.successor is not None
            if early.successor is None:
                changed = {name for atom in (*after.added, *after.deleted) for name in atom}
                assert any(changed & {*names_in(each), *predicates_in(each)} for each in early.unmet), (
                    later,
                    early.unmet,
                )
            state = after.successor


def test_every_action_of_the_shipped_plans_is_a_command() -> None:
    for reference in HOUSEHOLD.references[::9]:
        simulator = Simulator(HOUSEHOLD.task(reference.instance))
        state = simulator.initial
        for action in map(GroundAction.parse, reference.ways[0].plan):
            command = ROBOT.command_of(action, DOMAIN)
            assert command is not None
            after = simulator.step(state, ground(command, state, simulator)).successor
            assert after is not None
            state = after
        assert simulator.is_goal(state)


def test_a_domain_without_a_file_has_a_command_for_each_action() -> None:
    robot = robot_of_actions(shipped_domain("blocksworld").domain)
    assert [str(primitive) for primitive in robot.primitives] == [
        "[pick-up] <ob>",
        "[put-down] <ob>",
        "[stack] <ob> <underob>",
        "[unstack] <ob> <underob>",
    ]


def test_shipped_robots_fit_their_domains_and_are_written_as_they_are_read() -> None:
    shipped = [shipped_domain(name) for name in authored_domains()]
    shipped = [each for each in shipped if (each.folder / "robot.json").is_file()]
    assert shipped
    for each in shipped:
        assert parse_robot(robot_of(each).text, each.domain) == robot_of(each)


GRAB = {"name": "grab", "slots": ["x"], "actions": [{"action": "grab", "slots": {"x": "?x"}}]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": 2}, "format 2 is not known; this version reads format 1"),
        ({"hidden": ["opened"]}, "hidden: the domain has no predicate opened"),
        ({"negated": {"is-open": "openable"}}, "negated: the domain has no predicate openable"),
        ({"negated": {"is-open": "way"}}, "negated: is-open and way are about different numbers of objects"),
        ({"no-ops": ["grab"]}, "the word grab stands for more than one command"),
        ({"primitives": [{**GRAB, "actions": []}]}, "primitive grab: it names no action"),
        ({"primitives": [{**GRAB, "actions": [{"action": "grap"}]}]}, "no action grap; did you mean 'grab'?"),
        ({"primitives": [{**GRAB, "actions": [{"action": "grab"}]}]}, "action grab must map the slots x"),
        (
            {"primitives": [{**GRAB, "actions": [{"action": "grab", "slots": {"x": "?y"}}]}]},
            "action grab has no parameter ?y",
        ),
        (
            {"primitives": [{**GRAB, "actions": [{"action": "grab", "slots": {"x": "?x"}, "located": ["at"]}]}]},
            "located: at is no predicate of two objects",
        ),
        ({"primitives": [{**GRAB, "slots": "x"}]}, "primitives[0].slots"),
        ({"primitive": []}, "primitive"),
    ],
)
def test_an_error_in_the_file_is_named(changed: dict[str, Any], message: str) -> None:
    text = json.dumps({"format": 1, "primitives": [GRAB], **changed})
    with pytest.raises(InputError) as caught:
        parse_robot(text, DOMAIN, "mine/robot.json")
    assert str(caught.value).startswith("mine/robot.json: ")
    assert message in str(caught.value)
