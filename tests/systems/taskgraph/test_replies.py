"""Replies with plans of subtasks: read, or refused with the reason."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.systems.taskgraph.replies import read_plan_reply

PLAN = '{"high_level": [["PickupObject", "Apple"], ["PutObject", ["Apple", "Fridge"]]]}'
STEPS = (("PickupObject", "Apple"), ("PutObject", "Apple", "Fridge"))
REASON = "<reasoning>First, the apple.</reasoning>"


def test_the_form_that_is_asked_for_has_no_fault() -> None:
    reply = read_plan_reply(f"{REASON}\n<answer>\n{PLAN}\n</answer>\n")
    assert (reply.steps, reply.tags, reply.json, reply.faults, reply.notes) == (STEPS, True, True, (), ())


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (f"<think>x</think><answer>{PLAN}</answer>", "<think> stands for <reasoning>"),
        (f"{REASON}<answer>\n```json\n{PLAN}\n```\n</answer>", "the answer stands in a code fence"),
    ],
)
def test_other_spellings_are_read_with_a_note(text: str, note: str) -> None:
    reply = read_plan_reply(text)
    assert (reply.steps, reply.faults, reply.notes) == (STEPS, (), (note,))


def test_the_papers_second_name_of_a_subtask_is_read() -> None:
    reply = read_plan_reply(f'{REASON}<answer>{{"high_level": [["PutPickupObject", ["Egg", "Pan"]]]}}</answer>')
    assert reply.steps == (("PutPickObject", "Egg", "Pan"),)
    assert reply.notes == ("PutPickupObject stands for PutPickObject",)


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        f"<answer>{PLAN}</answer>",
        f"<answer>{PLAN}</answer>{REASON}",
        f"{REASON}<answer>{PLAN}",
        f"{REASON}{REASON}<answer>{PLAN}</answer>",
        f"Well. {REASON}<answer>{PLAN}</answer>",
        f'{REASON}<answer>{{"high_level": []}}</answer><answer>{PLAN}</answer>',
    ],
)
def test_a_plan_outside_the_form_is_read_with_a_fault(text: str) -> None:
    reply = read_plan_reply(text)
    assert (reply.steps, reply.tags, reply.json, len(reply.faults)) == (STEPS, False, True, 1)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "not JSON: line 1, column 1"),
        ("[]", 'a list under "high_level"'),
        ('{"plan": []}', 'a list under "high_level"'),
        ('{"high_level": {}}', 'a list under "high_level"'),
        ('{"high_level": [], "high_level": []}', 'the key "high_level" twice'),
        ('{"high_level": [["PickupObject", 7]]}', "step 1 is not [subtask, target]"),
        ('{"high_level": [["PickupObject", "Apple"], ["PutObject", [["Apple"], "Fridge"]]]}', "step 2 is not"),
        ('{"high_level": [["PickupObject", ["a", "b", "c"]]]}', "step 1 is not"),
        ('{"high_level": [["PickupObject"]]}', "step 1 is not"),
        ('{"high_level": ["PickupObject"]}', "step 1 is not"),
        ("[" * 100_000, "nested too deep"),
        ('{"high_level": [' + '["A", "b"],' * 99_999 + '["A", "b"]]}', "100000 steps, and at most 1000"),
        ('{"high_level": [["A", ' + "9" * 10_000 + "]]}", "not JSON"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_reason(answer: str, fault: str) -> None:
    reply = read_plan_reply(f"{REASON}<answer>{answer}</answer>")
    assert (reply.steps, reply.tags, reply.json) == ((), True, False)
    assert fault in reply.faults[0]


def test_letters_that_only_look_alike_stay_what_they_are() -> None:
    greek = "\N{GREEK CAPITAL LETTER ALPHA}pple"
    reply = read_plan_reply(f'{REASON}<answer>{{"high_level": [["PickupObject", "{greek}"]]}}</answer>')
    assert reply.steps == (("PickupObject", greek),)


@settings(max_examples=30)
@given(st.text(max_size=200) | st.builds("<answer>{}</answer>".format, st.text('[]{}",:0ah_', max_size=60)))
def test_no_text_is_an_error(text: str) -> None:
    reply = read_plan_reply(text)
    assert reply.json or (reply.faults and not reply.steps)
