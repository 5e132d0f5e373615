"""Manners of models, each read as its writer meant it: numbering, JSON, calls, tables, judgements and offers."""

from __future__ import annotations

import json

import pytest

from pddl2nl.nl.reading.reader import Reader

STEPS = ("unstack a from b", "put down a", "pick up c", "stack c on a")
PLAN = "(unstack a b) (put-down a) (pick-up c) (stack c a)"


def listed(form: str, separator: str = "\n") -> str:
    """The plan's steps in one form: ``{s}`` the step, ``{n}`` its number, ``{p}`` and ``{m}`` those of a part."""
    return separator.join(
        form.format(s=step, n=index + 1, p=index // 2 + 1, m=index % 2 + 1) for index, step in enumerate(STEPS)
    )


@pytest.mark.parametrize(
    "reply",
    [
        listed("1. {s}"),
        listed("{n}.1. {s}"),
        listed("{p}.{m} {s}"),
        "First part\n" + listed("{p}.{m}. {s}"),
        listed("Step {n} of 4: {s}."),
        listed("{n}/4: {s}"),
        "step,action\n" + listed('{n},"{s}"'),
        listed('{n}. Perform "{s}".'),
        listed('{n}. Execute the action "{s}".'),
        listed("Perform action: {s}"),
        listed("[Action] {s}"),
        "The plan consists of 4 actions: " + listed("({n}) {s}", ", ") + ".",
        "The sequence is: " + listed("{s}", " → "),
        "The action sequence has the following four steps: " + listed("{s}", "; "),
        "Plan = " + listed("{s}", " | "),
        "[[PLAN]]\n" + listed("{s}") + "\n[[PLAN END]]",
        "$$\n\\begin{aligned}\n" + listed("&{n}.\\ \\text{{{s}}} \\\\") + "\n\\end{aligned}\n$$",
        "{'plan': [" + listed("'{s}'", ", ") + "]}",
        json.dumps({"steps": [{"id": 1, "description": step, "why": "pick up b"} for step in STEPS]}, indent=2),
        "unstack('a', 'b')\nput_down('a')\npick_up(\"c\")\nstack(\"c\", \"a\")",
        listed('env.step("{s}")'),
        f"The following actions are not applicable:\n- pick up b\n- stack b on a\n\n{listed('{n}. {s}')}",
        "Wrong plan:\n" + "- pick up b\n- put down b\n" * 3 + "\n" + listed("{n}. {s}"),
        "| Step | Action | Why |\n|---|---|---|\n" + listed("| {n} | {s} | no other block is in its way |"),
    ],
)
def test_a_plan_in_many_manners(reader: Reader, reply: str) -> None:
    readings = reader.read(reply)
    assert " ".join(map(str, readings.plan)) == PLAN
    assert readings.complete
    assert all(reply[item.start : item.end] == item.text for item in readings.readings)


def test_steps_that_come_again_in_a_line_count_again(reader: Reader) -> None:
    reply = "pick up a | put down a | pick up a"
    assert " ".join(map(str, reader.read(reply).plan)) == "(pick-up a) (put-down a) (pick-up a)"


def test_parts_that_are_counted_anew_begin_a_new_list_only_under_a_lower_number(reader: Reader) -> None:
    twice = "1.1 pick up a\n1.2 put down a\n1.1 pick up b\n1.2 put down b"
    assert " ".join(map(str, reader.read(twice).plan)) == "(pick-up b) (put-down b)"
    apart = "1.1 pick up a\n1.2 put down a\n\nNow the second part follows.\n\n2.1 pick up b\n2.2 put down b"
    assert len(reader.read(apart).plan) == 4


@pytest.mark.parametrize(
    "reply",
    [
        "Stack a on b: ❌",
        "Stack a on b (fails)",
        "Stack a on b (this fails)",
        "Stack a on b (cannot be executed)",
        "Stack a on b (would undo the last step, so no)",
        "Stack a on b (only if c is clear)",
        "Stack a on b... no, that fails.",
        "Stack a on b as soon as b is free.",
        "Stack a on b and pick up c are both possible.",
        "Stack a on b and pick up c are inapplicable.",
        "Stack a on b, then pick up c, fails.",
        "| stack a on b | not possible |",
        "| 1 | stack a on b | fails |",
        "| stack a on b | ❌ |",
        "; stack a on b",
        "<!-- stack a on b -->",
        "Legal moves:\n- stack a on b\n- pick up c",
        "Actions available now:\n1. stack a on b\n2. pick up c",
        "The following actions are applicable:\n* stack a on b\n* pick up c",
        "These actions are impossible:\n- stack a on b",
        "Actions that fail:\n- stack a on b",
        "Wrong:\n- stack a on b\n- pick up c",
        "Not possible:\n- stack a on b",
        "I can't do any of these:\n- stack a on b\n- pick up c",
        "I cannot take the following actions:\n1. stack a on b",
    ],
)
def test_what_is_ruled_out_or_only_offered_is_not_read(reader: Reader, reply: str) -> None:
    for policy in ("default", "all", "planbench"):
        assert reader.read(reply, policy).plan == ()
    assert reader.read_turn(reply).action is None


@pytest.mark.parametrize(
    "reply",
    [
        "stack a on b (so that the next step does not have to wait)",
        "stack a on b, since c cannot be reached otherwise",
        "stack a on b (b is clear)",
        "| 1 | stack a on b | b is clear |",
        "stack a on b as required",
    ],
)
def test_remarks_that_rule_nothing_out(reader: Reader, reply: str) -> None:
    assert " ".join(map(str, reader.read(reply).plan)) == "(stack a b)"


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("[Action] stack a on b", "read"),
        ("[Thought] stack a on b", "not-an-action"),
        ("I am done with planning, so I go on.", "not-an-action"),
        ("Finished with stacking, I go on.", "not-an-action"),
        ("I am done with the task.", "claimed-done"),
        ("finished?", "not-an-action"),
        ("look around?", "not-an-action"),
        ("Look around!", "look-around"),
    ],
)
def test_turns_in_many_manners(reader: Reader, reply: str, status: str) -> None:
    assert reader.read_turn(reply).status == status
