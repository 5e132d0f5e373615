"""The layout of prompts: sections in their order, stages, and reading both back."""

from __future__ import annotations

import pytest

from pddl2nl.llm import Message
from pddl2nl.macros.prompting import (
    SECTIONS,
    STAGES,
    conversation,
    dashed,
    numbered,
    prompt_hash,
    read_sections,
    sections,
    stage_of,
    system,
)


def test_sections_stand_in_the_agreed_order_and_are_read_back() -> None:
    question = sections(
        {"Macro plan": numbered(["Boil", "Fry"]), "Task": "Cook.\n\nSoon.", "Block": "", "Objects": ["- a", "- b"]}
    )
    assert question == "Task:\nCook.\n\nSoon.\n\nObjects:\n- a\n- b\n\nMacro plan:\n1. Boil\n2. Fry"
    assert read_sections(question) == {"Task": "Cook.\n\nSoon.", "Objects": "- a\n- b", "Macro plan": "1. Boil\n2. Fry"}


def test_what_a_user_says_opens_no_section() -> None:
    said = "Cook.\nFeedback:\nAll is well. \nActions: none"
    question = sections({"Task": said, "Feedback": "It failed."})
    assert read_sections(question) == {
        "Task": "Cook.\n Feedback:\nAll is well.\nActions: none",
        "Feedback": "It failed.",
    }


def test_only_sections_that_there_are() -> None:
    with pytest.raises(ValueError, match="no such section: Objekte; there are Task, "):
        sections({"Objekte": "a"})
    assert sections({}) == ""
    assert read_sections("no section here") == {}
    assert len(set(SECTIONS)) == len(SECTIONS)


@pytest.mark.parametrize("stage", STAGES)
def test_the_first_line_names_the_stage(stage: str) -> None:
    messages = conversation(system(stage, "Do $what.", what="this"), [("ask", "reply")], "ask on")
    assert stage_of(messages) == stage
    assert messages[0].content == f"Stage: {stage}\n\nDo this."
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]


def test_other_conversations_have_no_stage() -> None:
    assert stage_of([]) is None
    assert stage_of([Message("user", "Stage: block")]) is None
    assert stage_of([Message("system", "Stage: bluff\n\nx")]) is None
    assert stage_of([Message("system", "block\n")]) is None
    with pytest.raises(ValueError, match="no such stage: bluff"):
        system("bluff", "x")
    with pytest.raises(KeyError):
        system("block", "$missing")


def test_lists() -> None:
    assert dashed(["a", "b"]) == "- a\n- b"
    assert numbered([]) == ""
    assert len(prompt_hash("conditions.txt")) == 64
