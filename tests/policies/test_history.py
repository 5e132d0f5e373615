"""Short histories: the current state in place of old turns, and nothing that it does not tell is lost."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pddl2nl
from pddl2nl.errors import InputError
from pddl2nl.llm import Message
from pddl2nl.llm.scripted import ScriptedCall, ScriptedReply
from pddl2nl.policies import RequestSettings, make_policy
from pddl2nl.policies.policy import CORE

LIFT, PUT = "Action: lift cup_0 from place_1", "Action: put cup_0 on place_0"
PDDL_LIFT, PDDL_PUT = "Action: (lift red table)", "Action: (put red shelf)"
TOO_EARLY, CLAIM, LOOK = "Action: put cup_0 on place_0", "Action: finished", "Action: look around"


def _short(world: Any, style: str = "nl", history: str = "none") -> Any:
    return world.setting(style, history=history)


def test_an_executed_action_gives_way_to_the_present_state(play: Any, world: Any) -> None:
    played = play("act", [LIFT, PUT], setting=_short(world))
    first, second = (request.messages for request in played.requests)
    assert second[:-1] == first[:-1]
    goal, objects, state = second[-1].content.split("\n\n")
    assert [goal, objects] == first[-1].content.split("\n\n")[:2]
    assert set(state.removeprefix("Currently, ").rstrip(".").split("\nand ")) == {"cup_1 is on place_1", "I hold cup_0"}
    assert played.finished.outcome == "solved"


def test_what_changed_nothing_is_kept_until_something_changes(play: Any, world: Any) -> None:
    played = play("act", [LOOK, TOO_EARLY, CLAIM, "Action: dance", LIFT, CLAIM, PUT], setting=_short(world))
    prompts = [request.messages for request in played.requests]
    opening = len(prompts[0])
    assert [len(messages) - opening for messages in prompts] == [0, 2, 4, 6, 8, 0, 2]
    assert prompts[4][opening:][2:4] == (
        Message("assistant", TOO_EARLY),
        Message("user", "I cannot put cup_0 on place_0 because I do not hold cup_0."),
    )
    assert "I hold cup_0" in prompts[5][-1].content
    assert played.finished.turns == {
        "look-around": 1,
        "inapplicable": 1,
        "claimed-done": 2,
        "unreadable": 1,
        "executed": 2,
    }


@pytest.mark.parametrize(("temperature", "samples"), [(0.0, [0] * 6), (0.7, [0, 0, 0, 1, 1, 2])])
def test_a_state_reached_again_is_another_sample_of_its_prompt(
    temperature: float, samples: list[int], play: Any, world: Any
) -> None:
    back = "Action: put cup_0 on place_1"
    there_and_back = [LIFT, back, LIFT, back, LIFT, PUT]
    played = play("act", there_and_back, setting=_short(world), request=RequestSettings(temperature, 1))
    prompts = [request.messages for request in played.requests]
    assert prompts[1] == prompts[3] == prompts[5]
    assert prompts[2] == prompts[4]
    assert [request.sample for request in played.requests] == samples
    assert [request.seed for request in played.requests] == [1 + 1000 * sample for sample in samples]
    full = play("act", there_and_back, request=RequestSettings(temperature, 1))
    assert {request.sample for request in full.requests} == {0}


def test_the_last_turns_follow_the_state_before_them_and_the_current_state_is_told(play: Any, world: Any) -> None:
    back = "Action: put cup_0 on place_1"
    said = [LIFT, TOO_EARLY.replace("0 on", "1 on"), back, LOOK, LIFT, PUT]
    played = play("act", said, setting=_short(world, history="last:2"))
    prompts = [request.messages for request in played.requests]
    opening = len(prompts[0])
    assert [len(messages) - opening for messages in prompts] == [0, 2, 4, 4, 4, 4]
    first_told = [messages[opening - 1].content.split("\n\n")[2] for messages in prompts]
    init, held, on_table = first_told[0], first_told[3], first_told[5]
    assert first_told == [init, init, init, held, held, on_table]
    assert "I hold cup_0" in held
    # The current state is told behind the last answer alone; one who looked around has just been told.
    assert [message.content for message in prompts[2][opening:]][::2] == said[:2]
    assert prompts[2][opening + 1].content == "I lift cup_0 from place_1."
    assert prompts[2][-1].content.endswith(f"\n{held}")
    assert prompts[3][-1].content == f"I put cup_0 on place_1.\n{on_table}"
    assert prompts[4][-1].content.startswith(f"{on_table}\n\n")
    assert prompts[5][-1].content == f"I lift cup_0 from place_1.\n{held}"
    assert played.finished.outcome == "solved"


@pytest.mark.parametrize("history", ["last:0", "last:-1", "last:x", "last:", "last:N", "last:2.5", "last:1234567"])
def test_another_history_is_refused(world: Any, history: str) -> None:
    with pytest.raises(InputError, match=f"--history {history}: no such choice; there are all, last:N, none"):
        pddl2nl.run(world.task, "act", model="oracle", history=history)


@pytest.mark.parametrize(("history", "most"), [("last:2", 2), ("none", 0)])
def test_calls_of_tools_are_kept_with_their_answers(play: Any, world: Any, history: str, most: int) -> None:
    move = [ScriptedCall("lift", {"c": "cup_0", "p": "place_1"}), ScriptedCall("put", {"c": "cup_0", "p": "place_1"})]
    played = play("tools", [ScriptedReply(calls=(*move,))] * 4, setting=_short(world, history=history), steps=8)
    assert played.finished.turns == {"executed": 8}
    opening = len(played.requests[0].messages)
    for number, request in enumerate(played.requests):
        turns = request.messages[opening:]
        assert [message.role for message in turns] == ["assistant", "tool", "tool"] * min(number, most)
        for asked, first, second in zip(turns[::3], turns[1::3], turns[2::3], strict=True):
            assert [call.id for call in asked.tool_calls] == [first.answers, second.answers]
        assert not turns or turns[-1].content.startswith("I put cup_0 on place_1.\nCurrently, ")


def test_the_twin_is_told_its_state_in_pddl(play: Any, world: Any) -> None:
    played = play("act", [PDDL_LIFT, PDDL_PUT], setting=_short(world, "pddl"), style="pddl")
    assert played.requests[1].messages[-1].content.split("\n\n")[2] == "(:init\n  (at blue table)\n  (held red))"
    assert played.finished.outcome == "solved"


def test_a_record_holds_only_what_is_new_of_a_prompt(play: Any, world: Any) -> None:
    played = play("act", [LIFT, CLAIM, PUT], setting=_short(world))
    opening = len(played.requests[0].messages)
    assert [(event.kept, len(event.messages)) for event in played.of("prompted")] == [
        (0, opening),
        (opening - 1, 1),
        (opening, 2),
    ]


REPLY = st.one_of(
    st.text(max_size=20), st.sampled_from([LIFT, PUT, CLAIM, LOOK, "Action: lift cup_1 from place_1", "Thought: so"])
)


@pytest.mark.parametrize(
    "policy", [name for name in CORE if make_policy(name).needs_model and not make_policy(name).one_shot]
)
@given(replies=st.lists(REPLY, min_size=6, max_size=6))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_prompt_goes_on_or_begins_with_the_opening_anew(
    play: Any, world: Any, policy: str, replies: list[str]
) -> None:
    played = play(policy, replies, setting=_short(world), steps=6)
    prompts = [request.messages for request in played.requests]
    kinds = [event.event for event in played.events if event.event in ("acted", "rejected", "looked-around")]
    for (before, after), kind in zip(pairwise(prompts), kinds, strict=False):
        if kind == "acted":
            assert after[:-1] == prompts[0][:-1]
            assert len(after[-1].content.split("\n\n")) == 3
        else:
            assert after[: len(before)] == before
            assert len(after) == len(before) + 2
