"""What a policy is told where a turn cannot be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pddl2nl.llm import Message, ScriptedReply
from pddl2nl.policies.events import Rejected

LIFT, PUT = "Action: lift cup_0 from place_1", "Action: put cup_0 on place_0"


def test_an_ambiguous_turn_is_told_its_meanings(play: Any, world: Any) -> None:
    setting = world.setting()
    reading = setting.reader.read_turn(LIFT)
    other = setting.reader.read_turn("Action: lift cup_1 from place_1").action

    class Doubtful:
        def read_turn(self, text: str) -> Any:
            return reading._replace(status="ambiguous", action=None, candidates=(reading.action, other))

        def read(self, text: str, policy: str = "default") -> Any:
            raise AssertionError

    played = play("act", [LIFT], setting=replace(setting, reader=Doubtful()), steps=1)
    rejected = played.of("rejected")[0]
    assert isinstance(rejected, Rejected)
    assert rejected.status == "ambiguous"
    assert "lift cup_0 from place_1; lift cup_1 from place_1" in rejected.observation
    assert played.finished.fault.status == "ambiguous"
    assert played.finished.mistakes == 1


def test_an_unknown_object_is_named(play: Any) -> None:
    played = play("act", ["Action: lift cup_7 from place_1"], steps=1)
    assert '"cup_7"' in played.of("rejected")[0].observation


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Action: lift place_0 from place_1", " ('place_0' is no cup, and one is needed there)"),
        ("Action: lift cup_0 with care", " (it begins like an action, but does not go on like it)"),
        ("Action: juggle cup_0", " (it begins like none of the actions)"),
        ("Action: lift it from place_1", " ('it' names no object)"),
        ("I think about it.", ""),
    ],
)
def test_what_cannot_be_read_is_answered_in_the_words_of_the_prompt(play: Any, said: str, reason: str) -> None:
    observation = play("act", [said], steps=1).of("rejected")[0].observation
    assert observation == (
        f"Nothing was done, because no action could be read in this{reason}. Say one action in the form asked for."
    )


def test_an_empty_turn_is_unreadable(play: Any) -> None:
    played = play("act", [ScriptedReply("", finish="empty"), LIFT, PUT])
    assert played.finished.turns == {"executed": 2, "unreadable": 1}
    assert played.requests[1].messages[-2] == Message("assistant", "…")
