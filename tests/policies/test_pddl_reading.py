"""Reading the PDDL twins' replies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.policies.pddl_reading import PDDLReader
from pddlval import Simulator


@pytest.fixture(scope="module")
def reader(world: Any) -> PDDLReader:
    return PDDLReader(Simulator(world.task))


@pytest.mark.parametrize(
    "text",
    [
        "[PLAN]\n(lift red table)\n(put red shelf)\n[PLAN END]",
        "I will do (this):\n[PLAN]\n1. (LIFT red table)\n2. ( put  red shelf ) ; done\n[PLAN END]\n(smash red)",
        "(lift red table)\n(put red shelf)",
        "First (lift red table), then (put red shelf).",
        "[PLAN]\nlift red table\n- put red shelf\n[PLAN END]",
        "[PLAN]\n(smash red)\n[PLAN END]\nNo, better:\n[PLAN]\n(lift red table)\n(put red shelf)\n[PLAN END]",
        "[PLAN]\n(lift red table)\n(put red shelf)",
    ],
)
def test_a_plan_is_cut_out_of_a_reply(reader: PDDLReader, text: str) -> None:
    readings = reader.read(text)
    assert [str(action) for action in readings.plan] == ["(lift red table)", "(put red shelf)"]
    assert readings.complete
    assert readings.ended == ("[PLAN END]" in text)
    for reading in readings.readings:
        assert text[reading.start : reading.end] == reading.text
        assert text.count("\n", 0, reading.start) + 1 == reading.line


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("(lift red)", "unreadable", "takes 2"),
        ("(lift red nowhere)", "unknown-object", "nowhere"),
        ("(lift shelf red)", "unreadable", "type"),
        ("(dance red)", "unreadable", "no action"),
    ],
)
def test_what_is_no_action_of_the_task_is_named(reader: PDDLReader, line: str, status: str, words: str) -> None:
    reading = reader.read(f"[PLAN]\n{line}\n[PLAN END]").chosen[0]
    assert reading.status == status
    assert words in reading.reason


def test_parentheses_in_prose_are_no_action(reader: PDDLReader) -> None:
    assert not reader.read("I cannot (see above).").chosen


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Action: (lift red table)", "read"),
        ("action: lift red table", "read"),
        ("(lift red table)", "read"),
        ("I do (lift red table) now (finally).", "read"),
        ("**Action:** (lift red table)", "read"),
        ("Action: (lift red table)\nThe action (lift red table) was executed.\nAction: (put red shelf)", "read"),
        ("Action: (lift red table) (put red shelf)", "read"),
        ("Action: (lift red table)\nAction: (put red shelf)\nAction: finished", "read"),
        ("Thought: I may (put red shelf).\nAction: (lift red table)\nThought: then\nAction: look around", "read"),
        ("(lift red table)\n(put red shelf)", "read"),
        ("Action:\n(lift red table)", "read"),
        ("Thought: not (put red shelf) yet. Action: (lift red table)", "read"),
        ("Action: dance\nAction: (lift red table)", "read"),
        ("> **Action 1**: (lift red table)\nObservation: done.\nAction: (put red shelf)", "read"),
        ("thought: not (put red shelf) yet\n(lift red table)", "read"),
        ("Action: look around\nAction: (lift red table)", "look-around"),
        ("Action: (lift red moon)\nAction: (lift red table)", "unknown-object"),
        ("Action: look around", "look-around"),
        ("Look around, please.", "look-around"),
        ("Action: finished", "claimed-done"),
        ("Action: (look around)", "look-around"),
        ("(look-around)", "look-around"),
        ("Action: (finished)", "claimed-done"),
        ("The problem has been solved. I'm done!", "claimed-done"),
        ("All done, since the goal holds.", "claimed-done"),
        ("I am not finished yet.", "unreadable"),
        ("The task is not done.", "unreadable"),
        ("Once this is done I go on.", "unreadable"),
        ("Is it done?", "unreadable"),
        ("(lift red, table)", "read"),
        ("<think>\nNow (put red shelf)? Finished.\n</think>\n(lift red table)", "read"),
        ("Now (put red shelf)?\n</think>\n(lift red table)", "read"),
        ("<think>\nfinished", "unreadable"),
        ("Action: (lift red moon)", "unknown-object"),
        ("Action: (fly red)", "unreadable"),
        ("Action: dance", "unreadable"),
        ("", "unreadable"),
    ],
)
def test_a_turn_is_one_thing(reader: PDDLReader, text: str, status: str) -> None:
    reading = reader.read_turn(text)
    assert reading.status == status
    assert reading.text == text[reading.start : reading.end]
    if status == "read":
        assert str(reading.action) == "(lift red table)"


@pytest.mark.parametrize("between", [" ", "\n", "\nAction: ", " and then "])
def test_the_first_of_several_is_marked_by_its_rule(reader: PDDLReader, between: str) -> None:
    reading = reader.read_turn(f"Action: (lift red table){between}(put red shelf)")
    assert (str(reading.action), reading.rule) == ("(lift red table)", "first-of-several+pddl")
    assert reader.read_turn(f"Action: (lift red table){between}(lift red table)").rule == "pddl"


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    from pddl2nl.pddl import parse_task

    task = parse_task(
        "(define (domain d) (:predicates (p ?x)) (:action go :parameters (?x) :precondition (p ?x) :effect (p ?x)))",
        "(define (problem x) (:domain d) (:objects a) (:init (p a)) (:goal (p a)))",
    )
    reader = PDDLReader(Simulator(task))
    reader.read_turn(text)
    for reading in reader.read(text).readings:
        assert text[reading.start : reading.end] == reading.text
