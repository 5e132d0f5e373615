"""The mechanisms as the paper describes them: golden transcripts, and what holds for every policy."""

from __future__ import annotations

import inspect
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pddl2nl.llm import Message
from pddl2nl.nl import markers
from pddl2nl.policies import make_policy
from pddl2nl.policies.policy import CORE
from pddl2nl.policies.prompting import prompt_file
from pddl2nl.policies.prompts import CORE_PROMPTS

GOLDEN = Path(__file__).parent / "golden"
# Hierarchical policies are of another paper, and so is what they ask (tests/policies/test_hvr.py).
# Score has the prompts of Act and no replies (test_score.py), and those of Tools are calls (test_tools.py).
ONE_FILE_EACH = [name for name in CORE if name not in ("score", "tools")]
TWINS = [(name, style) for name in ONE_FILE_EACH if make_policy(name).needs_model for style in make_policy(name).styles]
PLAN = {
    "basic": "[PLAN]\nlift cup_0 from place_1\nput cup_0 on place_0\n[PLAN END]",
    "basic_pddl": "[PLAN]\n(lift red table)\n(put red shelf)\n[PLAN END]",
    "cot": (
        "[PLAN]\nThought: cup_0 must leave place_1.\nAction: lift cup_0 from place_1\n"
        "Thought: Now it can go where it belongs.\nAction: put cup_0 on place_0\n[PLAN END]"
    ),
}
TURNS = {
    "act": [
        "Action: look around",
        "Action: put cup_0 on place_0",
        "Action: lift cup_0 from place_1",
        "Action: finished",
        "Action: put cup_0 on place_0",
    ],
    "act_pddl": [
        "Action: look around",
        "Action: (put red shelf)",
        "Action: (lift red table)",
        "Action: finished",
        "Action: (put red shelf)",
    ],
}
TURNS["react"] = [f"Thought: Step {number}.\n{turn}" for number, turn in enumerate(TURNS["act"], 1)]
TURNS["react_pddl"] = [f"Thought: Step {number}.\n{turn}" for number, turn in enumerate(TURNS["act_pddl"], 1)]


def _replies(mechanism: str, style: str) -> list[str]:
    name = prompt_file(mechanism, style).removesuffix(".txt")
    return [PLAN[name]] if name in PLAN else TURNS[name]


def _transcript(played: Any) -> str:
    """The last prompt and the last reply: as prompts grow at their end, all that was ever said."""
    messages = [*played.requests[-1].messages, Message("assistant", played.of("replied")[-1].text)]
    said = [f"────── {message.role}\n{message.content}\n" for message in messages]
    finished = played.finished
    return "".join(said) + f"────── {finished.outcome}: {finished.message}; {finished.turns}\n"


@pytest.mark.parametrize(("policy", "style"), TWINS)
def test_the_transcript_reads_as_the_golden_file(play: Any, policy: str, style: str) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    text = _transcript(play(policy, _replies(policy, style), style=style))
    path = GOLDEN / prompt_file(policy, style)
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("policy", "style"), TWINS)
def test_the_conversation_has_the_documented_shape(play: Any, policy: str, style: str) -> None:
    messages = play(policy, _replies(policy, style), style=style).requests[0].messages
    roles = [message.role for message in messages]
    assert roles[0] == "system"
    assert roles[1:] == ["user", "assistant"] * ((len(roles) - 2) // 2) + ["user"]
    system = messages[0].content
    mechanism = make_policy(policy)
    assert (markers.PLAN_START in system) == mechanism.one_shot
    assert (markers.THOUGHT in system) == mechanism.thoughts
    assert ("(define (domain" in system) == (style == "pddl")
    assert len(messages[-1].content.split("\n\n")) == 3
    assert all(message.content.strip() for message in messages)


def test_the_whole_reply_stays_in_the_history_as_it_was_said(play: Any) -> None:
    reply = "  **Thought:** It is \t in the way. \n\nAction: lift cup_0 from place_1 \nObservation: I guess. \n\n"
    first, second = play("react", [reply, "Action: put cup_0 on place_0"]).requests
    assert second.messages[: len(first.messages)] == first.messages
    assert [message.content for message in second.messages[len(first.messages) :]] == [
        reply,
        "I lift cup_0 from place_1.",
    ]


@pytest.mark.parametrize(("policy", "style"), TWINS)
def test_zero_shot_is_the_same_without_the_example(play: Any, world: Any, policy: str, style: str) -> None:
    shown = play(policy, _replies(policy, style), style=style).requests[0].messages
    bare = play(policy, _replies(policy, style), style=style, setting=world.setting(style, shown=False))
    assert bare.requests[0].messages == (shown[0], shown[-1])
    assert bare.finished.outcome == "solved"


def test_the_cot_example_is_the_react_example_without_observations(play: Any) -> None:
    cot = play("cot", _replies("cot", "nl")).requests[0].messages
    react = play("react", _replies("react", "nl")).requests[0].messages
    said = [message.content for message in react[2:-1] if message.role == "assistant"]
    assert cot[2].content == "\n".join([markers.PLAN_START, *said, markers.PLAN_END])


REPLY = st.one_of(
    st.text(max_size=40),
    st.sampled_from([*TURNS["act"], *TURNS["react"], *TURNS["act_pddl"], "Action: smash cup_0"]),
    st.sampled_from(["", " ", "\n\n\n", "é\u202e😀", "Thought: so\n\nAction:\n\n"]),
)


@pytest.mark.parametrize(("policy", "style"), [pair for pair in TWINS if not make_policy(pair[0]).one_shot])
@given(replies=st.lists(REPLY, min_size=6, max_size=6))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_prompts_grow_only_at_their_end(play: Any, policy: str, style: str, replies: list[str]) -> None:
    played = play(policy, replies, style=style, steps=6)
    requests = played.requests
    for before, after in pairwise(requests):
        assert after.messages[: len(before.messages)] == before.messages
        assert len(after.messages) == len(before.messages) + 2
    prompted = played.of("prompted")
    assert [event.kept for event in prompted] == [0, *(len(request.messages) for request in requests[:-1])]
    assert sum(played.finished.turns.values()) == played.finished.steps == len(requests)


@pytest.mark.parametrize("policy", ONE_FILE_EACH)
@given(replies=st.lists(REPLY, min_size=1, max_size=6))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_said_a_run_ends_and_its_plan_holds(play: Any, world: Any, policy: str, replies: list[str]) -> None:
    from pddlval import GroundAction, validate

    played = play(policy, [*replies, *["…"] * 6], steps=6)
    finished = played.finished
    assert played.events[-1] == finished
    assert (finished.fault is None) == (finished.outcome == "solved")
    report = validate(world.task, [GroundAction.parse(action) for action in finished.plan])
    assert report.verdict == ("valid" if finished.outcome == "solved" else "goal-not-satisfied")


@pytest.mark.parametrize("policy", ONE_FILE_EACH)
def test_every_policy_says_what_it_is_and_is_a_file_of_its_own(policy: str) -> None:
    made = make_policy(policy)
    assert made.summary
    assert "nl" in made.styles
    assert (not made.prompt_names) == (not made.needs_model)
    assert Path(inspect.getfile(type(made))).stem == policy
    assert (inspect.getmodule(type(made)).__doc__ or "").count("AutoPlanBench paper")  # type: ignore[union-attr]


@pytest.mark.parametrize(("policy", "style"), TWINS)
def test_every_prompt_file_has_its_placeholders_and_tags(policy: str, style: str) -> None:
    name = prompt_file(policy, style)
    filled = CORE_PROMPTS.fill(name, domain="THE DOMAIN")
    assert "THE DOMAIN" in filled
    assert "$" not in filled
    assert (markers.LOOK_AROUND in filled) == (not make_policy(policy).one_shot)
    assert len(CORE_PROMPTS.hash(name)) == 64
    assert CORE_PROMPTS.text(name) == CORE_PROMPTS.text(name).strip()


def test_a_wording_with_dollar_signs_harms_no_prompt() -> None:
    assert "pay $5 to $clerk" in CORE_PROMPTS.fill("basic.txt", domain="pay $5 to $clerk")
