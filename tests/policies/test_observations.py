"""What a policy is told where a turn cannot be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pddl2nl.llm import Message, ScriptedReply
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.policies import Setting
from pddl2nl.policies.pddl_reading import PDDLReader
from pddl2nl.policies.spec import RunSpec
from pddl2nl.policies.trace import SHOWN
from pddlval import Simulator

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
        ("Action: juggle cup_0", " (it begins like none of the actions)"),
        ("Action: lift cup_0", " (it begins like an action, but does not go on like it)"),
        ("Action: lift it from place_1", " ('it' names no object)"),
        ("I think about it.", ""),
    ],
)
def test_what_cannot_be_read_is_answered_in_the_words_of_the_prompt(play: Any, said: str, reason: str) -> None:
    observation = play("act", [said], steps=1).of("rejected")[0].observation
    assert observation == (
        f"Nothing was done, because no action could be read in this{reason}. Say one action in the form asked for."
    )


@pytest.mark.parametrize("said", ["lift place_0 from place_1", "(lift place_0 place_1)", "lift(place_0, place_1)"])
def test_an_action_that_the_types_forbid_is_told_so(play: Any, said: str) -> None:
    played = play("act", [f"Action: {said}"], steps=1)
    assert played.finished.turns == {"unreadable": 1}
    assert played.of("rejected")[0].observation == "I cannot lift place_0 from place_1 because place_0 is not a cup."


@pytest.mark.parametrize(
    ("said", "observation"),
    [
        ("(lift shelf table)", "The action (lift shelf table) is not applicable because shelf is not a cup."),
        (
            "(lft red table)",
            "The action (lft red table) is not possible, because the domain has no action 'lft'. Did you mean 'lift'?",
        ),
        ("(lift red)", "The action (lift red) is not possible, because 'lift' takes 2 arguments, found 1."),
    ],
)
def test_in_pddl_an_unknown_action_is_called_so(play: Any, world: Any, said: str, observation: str) -> None:
    played = play("act", [f"Action: {said}"], setting=world.setting(style="pddl"), steps=1)
    assert played.of("rejected")[0].observation == observation


def test_an_empty_turn_is_unreadable(play: Any) -> None:
    played = play("act", [ScriptedReply("", finish="empty"), LIFT, PUT])
    assert played.finished.turns == {"executed": 2, "unreadable": 1}
    assert played.requests[1].messages[-2] == Message("assistant", "…")


# ── how much is told ─────────────────────────────────────────────────────────────────────────────

PUT_EARLY = {"nl": PUT, "pddl": "Action: (put red shelf)"}
REASON = {
    "nl": "I cannot put cup_0 on place_0 because I do not hold cup_0.",
    "pddl": "The action (put red shelf) is not applicable because (held red) is false.",
}
APPLICABLE = {
    "nl": "These are the actions that I can take now:\nlift cup_0 from place_1\nlift cup_1 from place_1",
    "pddl": "The applicable actions are:\n(lift red table)\n(lift blue table)",
}
MINIMAL = {"nl": "I cannot put cup_0 on place_0.", "pddl": "The action (put red shelf) is not applicable."}
NOTHING_LEFT = "There is no action that I can take now."
CLAIMED = {"nl": "My goal is not reached yet", "pddl": "The goal is not reached"}


def _told(play: Any, world: Any, style: str, feedback: str, *replies: str) -> list[str]:
    played = play("act", replies, style=style, steps=len(replies), chosen={"feedback": feedback})
    return [event.observation for event in played.of("rejected")]


@pytest.mark.parametrize("style", ["nl", "pddl"])
def test_the_feedback_says_how_much_is_told(play: Any, world: Any, style: str) -> None:
    said = (PUT_EARLY[style], "Action: dance", "Action: finished")
    reasons = _told(play, world, style, "reason", *said)
    assert reasons[0] == REASON[style]
    applicable = _told(play, world, style, "applicable", *said)
    assert applicable == [f"{reasons[0]}\n{APPLICABLE[style]}", f"{reasons[1]}\n{APPLICABLE[style]}", reasons[2]]
    assert _told(play, world, style, "minimal", *said) == [MINIMAL[style], "Nothing was done.", f"{CLAIMED[style]}."]


@pytest.mark.parametrize("feedback", ["applicable", "minimal"])
def test_the_record_holds_the_reason_whatever_was_told(play: Any, world: Any, feedback: str) -> None:
    played = play("act", [PUT], chosen={"feedback": feedback}, steps=1)
    assert played.of("rejected")[0].unmet == ("(held red)",)


def test_no_more_applicable_actions_are_told_than_can_be_read(play: Any, world: Any) -> None:
    def told(places: int) -> list[str]:
        names = " ".join(f"p{number}" for number in range(places))
        problem = f"""(define (problem many) (:domain cups) (:objects red - cup {names} - place)
          (:init (held red)) (:goal (at red p0)))"""
        task = Task(world.task.domain, parse_problem(problem, world.task.domain))
        teller = world.teller(task, "pddl")
        setting = Setting(RunSpec(task, style="pddl"), Simulator(task), teller, PDDLReader(Simulator(task)))
        chosen = {"feedback": "applicable"}
        played = play("act", ["Action: (lift red p1)"], setting=setting, style="pddl", steps=1, chosen=chosen)
        return played.of("rejected")[0].observation.split("\n")[2:]

    assert told(SHOWN - 1) == [*(f"(put red p{number})" for number in range(SHOWN - 1)), "(smash red)"]
    assert told(SHOWN) == [*(f"(put red p{number})" for number in range(SHOWN)), "and 1 more"]
    assert told(SHOWN + 30)[-1] == "and 31 more"
    assert told(10_000)[-1] == "and many more"
    assert told(40) == told(40)


@pytest.mark.parametrize(
    ("style", "said", "words"),
    [
        ("nl", ["lift cup_0 from place_1", "smash cup_0", "put cup_0 on place_0"], NOTHING_LEFT),
        ("pddl", ["(lift red table)", "(smash red)", "(put red shelf)"], "No action is applicable."),
    ],
)
def test_where_nothing_is_applicable_that_is_told(
    play: Any, world: Any, style: str, said: list[str], words: str
) -> None:
    replies = [f"Action: {action}" for action in said]
    assert _told(play, world, style, "applicable", *replies)[0].split("\n")[1] == words
