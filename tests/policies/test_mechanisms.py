"""The mechanisms as the paper describes them: golden transcripts, and what holds for every policy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pddl2nl.nl import markers
from pddl2nl.policies import make_policy
from pddl2nl.policies.policy import CORE
from pddl2nl.policies.prompting import prompt_file
from pddl2nl.policies.prompts import CORE_PROMPTS

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


def test_a_wording_with_dollar_signs_harms_no_prompt() -> None:
    assert "pay $5 to $clerk" in CORE_PROMPTS.fill("basic.txt", domain="pay $5 to $clerk")
