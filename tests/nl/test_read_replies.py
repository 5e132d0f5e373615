"""Whole replies: reading policies, plans said twice, tags, thoughts, and the turns of interactive policies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pddl2nl.errors import InputError
from pddl2nl.nl.reading.policies import READING_POLICIES
from pddl2nl.nl.reading.reader import Reader
from tests.nl.blocks import blocks_reader


@pytest.fixture(scope="module")
def reader() -> Reader:
    return blocks_reader("a b c d")


def plan(reader: Reader, text: str, policy: str = "default") -> str:
    return " ".join(str(action) for action in reader.read(text, policy).plan)


TWO = "(unstack a b) (put-down a)"
LIST = "1. Unstack a from b.\n2. Put down a."


def test_policies_are_named_and_versioned(reader: Reader) -> None:
    assert list(READING_POLICIES) == ["default", "all", "planbench"]
    for name, policy in READING_POLICIES.items():
        assert policy.name == name
        assert policy.version >= 1
        assert policy.description
        assert reader.read(LIST, name).policy == name
    with pytest.raises(InputError, match="no such policy"):
        reader.read(LIST, "loudest")


def test_a_plain_plan_and_one_with_prose_around(reader: Reader) -> None:
    assert plan(reader, "unstack a from b\nput down a\n[PLAN END]") == TWO
    assert plan(reader, f"Here is the plan:\n\n{LIST}\n\nThis reaches the goal.") == TWO
    assert plan(reader, "") == ""
    assert reader.read("").readings == ()


@pytest.mark.parametrize(
    "reply",
    [
        f"{LIST}\n\nSo, the complete plan is:\n\n[PLAN]\n{LIST}\n[PLAN END]\n",
        f"{LIST}\n\nHere it is again:\n\n{LIST}",
        f"### Plan\n{LIST}\n### Detailed plan\n{LIST}",
        f"Plan:\n{LIST}\n1. Unstack a from b\n2. Put down a",
        "unstack a from b\nput down a\n\nOnce more, the whole plan:\n\nunstack a from b\nput down a",
        f"[PLAN]\npick up c\n[PLAN END]\nNo, that is wrong.\n[PLAN]\n{LIST}\n[PLAN END]",
        "1. **Unstack a from b**\n   - Action: `unstack a from b`\n   - Result: a is held.\n\n"
        "2. **Put down a**\n   - Action: `put down a`\n   - Result: the hand is empty.",
        "1. **Unstack a from b**\n   - Preconditions: a on b\n\n2. **Put down a**\n   - Effects: a on the table\n\n"
        "### Final Plan:\n\n1. Unstack a from b\n2. Put down a",
    ],
)
def test_a_plan_said_twice_is_one_plan(reader: Reader, reply: str) -> None:
    assert plan(reader, reply) == TWO


def test_what_is_left_out_stays_in_the_readings(reader: Reader) -> None:
    readings = reader.read(f"{LIST}\n\nAgain:\n\n{LIST}")
    assert sum(item.status == "read" for item in readings.readings) == 4
    assert len(readings.chosen) == 2
    assert [item.line for item in readings.chosen] == [6, 7]


def test_all_and_planbench(reader: Reader) -> None:
    twice = f"{LIST}\n\nAgain:\n\n[PLAN]\n{LIST}\n[PLAN END]\n\nFirst pick up c.\n"
    assert plan(reader, twice, "all") == TWO
    assert plan(reader, f"{LIST}\n\nAgain:\n\n{LIST}", "all") == f"{TWO} {TWO}"
    assert plan(reader, twice, "planbench") == f"{TWO} {TWO} (pick-up c)"
    assert plan(reader, "(pick-up c)\nsome words\nstack c on d", "planbench") == "(pick-up c) (stack c d)"


def test_tags(reader: Reader) -> None:
    assert reader.read("[PLAN]\npick up a\n[PLAN END]").ended
    assert not reader.read("[PLAN]\npick up a").ended
    assert plan(reader, "[PLAN]\npick up a\nstack a on b\n\nThis plan stacks a on b.\n") == "(pick-up a) (stack a b)"
    assert plan(reader, "[PLAN] pick up a [PLAN END] Then put down a.") == "(pick-up a)"
    assert plan(reader, "[plan]\npick up a\n[/plan]") == "(pick-up a)"
    assert reader.read("1. Pick up a.\n\n**Plan End**\n\nThis is it.").ended
    assert plan(reader, "[PLAN]\n[PLAN END]\n1. Pick up a.") == "(pick-up a)"


def test_of_several_plans_the_last_counts(reader: Reader) -> None:
    longer_first = "1. pick up a\n2. stack a on b\n\nOr shorter:\n\n1. pick up c"
    assert plan(reader, longer_first) == "(pick-up c)"
    assert plan(reader, "1. pick up a\n\nOr:\n\n1. pick up c") == "(pick-up c)"


def test_prose_inside_a_numbered_list_does_not_end_it(reader: Reader) -> None:
    text = "1. Unstack a from b.\n\nNow a is in the hand.\n\n2. Put down a.\n"
    assert plan(reader, text) == TWO


def test_thoughts_between_actions(reader: Reader) -> None:
    text = (
        "[PLAN]\nThought: a is on b, so I unstack it.\nunstack a from b\n"
        "Thought: the hand is full.\nI will put down a then.\nput down a\n[PLAN END]"
    )
    readings = reader.read(text)
    assert " ".join(map(str, readings.plan)) == TWO
    assert readings.complete
    untagged = "Thought: free b.\nunstack a from b\n\nThought: stack a on b\nput down a\n[PLAN END]"
    assert plan(reader, untagged) == TWO
    hidden = "<think>\n1. pick up c\n2. stack c on d\n3. pick up b\n</think>\n1. pick up a"
    assert plan(reader, hidden) == "(pick-up a)"
    assert plan(reader, "pick up c\nstack c on d\n</think>\npick up a") == "(pick-up a)"


@pytest.mark.parametrize(
    ("reply", "statuses"),
    [
        ("1. pick up a\n2. stack a on z\n3. pick up c", ["read", "unknown-object", "read"]),
        ("1. pick up a\n2. stack it on b\n3. pick up c", ["read", "read", "read"]),
        ("1. pick up c\n2. unstack it from it\n3. pick up c", ["read", "unreadable", "read"]),
        ("1. pick up a\n2. snatch b\n3. pick up c", ["read", "unreadable", "read"]),
        ("- pick up a\n- snatch b\n- pick up c", ["read", "unreadable", "read"]),
        ("[PLAN]\npick up a\nsnatch b\npick up c\n[PLAN END]", ["read", "unreadable", "read"]),
        ("[PLAN]\npick up a\nNow the hand is full.\nstack a on b\n[PLAN END]", ["read", "read"]),
        ("[PLAN]\n```\npick up a\n```\n[PLAN END]", ["read"]),
        ("[PLAN]\npick up a\nfinished\n[PLAN END]", ["read"]),
        ("Stack the blocks as the goal says:\n\n1. pick up a\n2. stack a on b", ["read", "read"]),
        ("Unstack a and everything above c.\n1. pick up a\n2. stack a on b", ["read", "read"]),
    ],
)
def test_failed_lines_inside_a_plan_are_kept_in_order(reader: Reader, reply: str, statuses: list[str]) -> None:
    readings = reader.read(reply)
    assert [item.status for item in readings.chosen] == statuses
    assert readings.complete == (set(statuses) == {"read"})


@pytest.mark.parametrize(
    ("reply", "status", "action"),
    [
        ("stack a on b", "read", "(stack a b)"),
        ("Action: Stack a on b.", "read", "(stack a b)"),
        ("Thought: b is clear, so stack b on a?\nAction: stack a on b", "read", "(stack a b)"),
        ("Thought: I am nearly finished, I look around.\nAction: stack a on b", "read", "(stack a b)"),
        ("Thought: b is clear. Action: stack a on b", "read", "(stack a b)"),
        ("**Thought:** pick up c\n\n**Action:** `stack a on b`", "read", "(stack a b)"),
        ("Action:\nstack a on b", "read", "(stack a b)"),
        ("Action 3: stack a on b", "read", "(stack a b)"),
        # The first marked line counts: the later ones of a model that runs ahead presume what came of it.
        ("Thought: first c.\nAction: pick up c\nThought: then a.\nAction: stack a on b", "read", "(pick-up c)"),
        ('{"thought": "pick up c", "action": "stack a on b"}', "read", "(stack a b)"),
        ("I think that this is best.\n\nstack a on b", "read", "(stack a b)"),
        ("(stack a b)", "read", "(stack a b)"),
        ("Action: stack a on b\nObservation: I stack a on b.\nAction: pick up c", "read", "(stack a b)"),
        ("Action: look around", "look-around", None),
        ("Look around.", "look-around", None),
        ("I will look around first", "look-around", None),
        ("Thought: what is the state?\nAction: look around", "look-around", None),
        ("finished", "claimed-done", None),
        ("Action: Finished.", "claimed-done", None),
        ("I am finished.", "claimed-done", None),
        ("I'm done!", "claimed-done", None),
        ("[PLAN END]", "claimed-done", None),
        ("Action: stack a on z", "unknown-object", None),
        ("stack it on b", "unreadable", None),
        ("Action: snatch a", "unreadable", None),
        ("Thought: I am finished", "not-an-action", None),
        ("Thought: look around", "not-an-action", None),
        ("I have no idea.", "not-an-action", None),
        ("", "not-an-action", None),
        ("Action:", "not-an-action", None),
    ],
)
def test_turns(reader: Reader, reply: str, status: str, action: str | None) -> None:
    reading = reader.read_turn(reply)
    assert (reading.status, str(reading.action) if reading.action else None) == (status, action)
    assert reply[reading.start : reading.end] == reading.text


def test_the_first_of_several_is_read(reader: Reader) -> None:
    reading = reader.read_turn("pick up a\nstack a on b\nfinished")
    assert (str(reading.action), reading.rule) == ("(pick-up a)", "first-of-several")
    numbered = reader.read_turn("1. Pick up a.\n2. Stack a on b.")
    assert (str(numbered.action), numbered.rule) == ("(pick-up a)", "first-of-several+markup+case")
    joined = reader.read_turn("Action: pick up a and then stack a on b")
    assert (str(joined.action), joined.rule.split("+")[0]) == ("(pick-up a)", "first-of-several")
    marked = reader.read_turn("Action: pick up a\nAction: stack a on b\nAction: finished")
    assert (str(marked.action), marked.line, marked.rule) == ("(pick-up a)", 1, "first-of-several")
    again = reader.read_turn("pick up a\n\npick up a")
    assert again.rule == "exact"


def test_thousands_of_empty_lines_are_read_as_one(reader: Reader, linear: Callable[..., None]) -> None:
    assert reader.read_turn("\n" * 40_000 + "Action: pick up a").status == "read"
    linear(reader.read_turn, lambda count: "\n" * count + "Action: pick up a", 5_000)


def test_places_of_a_turn(reader: Reader) -> None:
    text = "Thought: free b.\n\nAction: Unstack a from b."
    reading = reader.read_turn(text)
    assert reading.line == 3
    assert reading.text == "Unstack a from b"
    assert text[reading.start : reading.end] == reading.text
