"""A model that says that there is no plan: how its run ends, and what the prompt says about it where it is told."""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.llm import ScriptedReply
from pddl2nl.policies.events import Fault

LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"
SAID = "The goal cannot be reached."
MESSAGE = "the model says that there is no plan"


# ── a plan at once ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("policy", "style"), [("basic", "nl"), ("cot", "nl"), ("basic", "pddl")], ids=["basic", "cot", "pddl"]
)
@pytest.mark.parametrize(
    "reply",
    [
        SAID,
        f"[PLAN]\n{SAID}\n[PLAN END]",
        f"[PLAN]\n[PLAN END]\n{SAID}",
        f"Let us see. {SAID}\nPlease ask something else.",
    ],
)
def test_a_reply_without_a_plan_that_says_so_gives_up(play: Any, policy: str, style: str, reply: str) -> None:
    finished = play(policy, [reply], style=style).finished
    assert (finished.outcome, finished.message) == ("gave-up", MESSAGE)
    assert finished.fault == Fault(0, "claimed-unsolvable", SAID)
    assert (finished.plan, finished.proposed, finished.steps, finished.mistakes) == ((), (), 0, 0)
    assert finished.turns == {"claimed-unsolvable": 1}


@pytest.mark.parametrize("style", ["nl", "pddl"])
def test_the_marker_alone_is_enough(play: Any, style: str) -> None:
    for reply in ("[NO PLAN]", "[PLAN]\n[NO PLAN]\n[PLAN END]"):
        assert play("basic", [reply], style=style).finished.fault.status == "claimed-unsolvable"


def test_what_is_said_beside_a_plan_is_not_looked_at(play: Any) -> None:
    solved = play("basic", [f"{SAID} But this may do:\n[PLAN]\n{LIFT}\n{PUT}\n[PLAN END]"]).finished
    assert solved.outcome == "solved"
    wrong = play("cot", [f"[PLAN]\nThought: {SAID}\nAction: {PUT}\n[PLAN END]"]).finished
    assert (wrong.outcome, wrong.fault.status) == ("inapplicable", "inapplicable")
    unknown = play("basic", [f"[PLAN]\nlift cup_7 from place_1\n[PLAN END]\n{SAID}"]).finished
    assert unknown.fault.status == "unknown-object"


def test_a_reply_that_was_cut_off_or_refused_is_what_it_was(play: Any) -> None:
    assert play("basic", [ScriptedReply(f"{SAID}\nAnd", finish="length")]).finished.outcome == "budget"
    assert play("basic", [ScriptedReply(SAID, finish="refused")]).finished.fault.status == "refused"


def test_whoever_says_so_is_not_asked_to_correct_it(play: Any, world: Any) -> None:
    played = play("basic", [f"[PLAN]\n{PUT}\n[PLAN END]", SAID, "never asked"], chosen={"rounds": 3})
    assert len(played.requests) == 2
    assert played.finished.fault == Fault(0, "claimed-unsolvable", SAID)
    assert [event.outcome for event in played.of("judged")] == ["inapplicable", "gave-up"]


def test_of_several_samples_a_valid_plan_counts_before_a_claim(play: Any, world: Any) -> None:
    plan = f"[PLAN]\n{LIFT}\n{PUT}\n[PLAN END]"
    assert play("basic", [SAID, plan], chosen={"samples": 2}).finished.outcome == "solved"


# ── an action a turn ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("policy", "style"), [("act", "nl"), ("react", "nl"), ("act", "pddl")], ids=["act", "react", "pddl"]
)
@pytest.mark.parametrize("reply", [SAID, f"Action: {SAID}", f"Thought: {SAID}\nAction: none"])
def test_a_turn_without_an_action_that_says_so_ends_the_run(play: Any, policy: str, style: str, reply: str) -> None:
    lift = f"Action: {LIFT}" if style == "nl" else "Action: (lift red table)"
    played = play(policy, [lift, reply, "never asked"], style=style)
    finished = played.finished
    assert (finished.outcome, finished.message) == ("gave-up", MESSAGE)
    assert finished.fault == Fault(2, "claimed-unsolvable", SAID)
    assert (finished.plan, finished.steps, finished.mistakes) == (("(lift red table)",), 2, 0)
    assert finished.turns == {"claimed-unsolvable": 1, "executed": 1}
    read, rejected = played.of("read")[-1], played.of("rejected")[-1]
    assert (read.status, read.text, read.rule) == ("claimed-unsolvable", SAID, "no-plan")
    assert reply[read.start : read.end] == SAID
    assert (rejected.step, rejected.status, rejected.observation) == (2, "claimed-unsolvable", "")


def test_a_thought_before_an_action_ends_nothing(play: Any) -> None:
    replies = [f"Thought: {SAID}\nAction: {LIFT}", f"Thought: {SAID}\nAction: dance", f"Thought: Good.\nAction: {PUT}"]
    finished = play("react", replies).finished
    assert finished.outcome == "solved"
    assert finished.turns == {"executed": 2, "unreadable": 1}


def test_the_translator_is_not_asked_about_it(play: Any, world: Any) -> None:
    finished = play("act", [f"Action: {SAID}"], setting=world.translated()).finished
    assert (finished.fault.status, finished.calls) == ("claimed-unsolvable", 1)


# ── where the prompt says so ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("policy", "style", "lines"),
    [
        ("basic", "nl", ["[NO PLAN]"]),
        ("cot", "nl", ["[NO PLAN]"]),
        ("basic", "pddl", ["[NO PLAN]"]),
        ("act", "nl", ["Action: [NO PLAN]"]),
        ("react", "nl", ["Action: [NO PLAN]"]),
        ("act", "pddl", ["Action: [NO PLAN]"]),
    ],
)
def test_a_prompt_that_tells_ends_in_what_is_to_be_answered(
    play: Any, world: Any, policy: str, style: str, lines: list[str]
) -> None:
    silent = play(policy, [SAID], style=style).requests[0].messages
    telling = play(policy, lines, setting=world.setting(style), chosen={"unsolvable": "tell"})
    messages = telling.requests[0].messages
    assert messages[1:] == silent[1:]
    assert messages[0].content.startswith(silent[0].content + "\n")
    more = messages[0].content.removeprefix(silent[0].content).strip().split("\n")
    assert len(more) == 2
    assert more[1:] == lines
    assert telling.finished.fault.status == "claimed-unsolvable"
