"""What the paper's own code gets wrong: "finished" within a thought is a claim, "not" in what is told is a mistake."""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.nl import Reader, Teller, make_names, wording_from_json
from pddl2nl.policies import Setting
from pddl2nl.policies.spec import RunSpec
from pddlval import Simulator

LIFT, PUT = "lift cup_0 from place_1", "put cup_0 on place_0"


def _plan(*lines: str) -> str:
    return "\n".join(["[PLAN]", *lines, "[PLAN END]"])


# ── "finished" within a thought ──────────────────────────────────────────────────────────────────

THOUGHTS = (
    "I am not finished yet.",
    "Once cup_0 is there I am finished.",
    "finished",
    "Is the task finished? No: I still have to move cup_0.",
    "I have finished with cup_1. done. My goal is reached soon.",
)


@pytest.mark.parametrize("thought", THOUGHTS)
def test_finished_in_a_thought_claims_nothing(play: Any, thought: str) -> None:
    played = play("react", [f"Thought: {thought}\nAction: {LIFT}", f"Thought: {thought}\nAction: {PUT}"])
    assert played.finished.turns == {"executed": 2}
    plan = _plan(f"Thought: {thought}", f"Action: {LIFT}", f"Thought: {thought}", f"Action: {PUT}")
    assert play("cot", [plan]).finished.outcome == "solved"


# ── "not" in what is told is no mistake ──────────────────────────────────────────────────────────

NOT_WORDING: dict[str, Any] = {
    "format": 1,
    "domain": "cups",
    "predicates": {
        "at": {"parameters": ["?c", "?p"], "text": "{?c} cannot be anywhere but on {?p}"},
        "held": {"parameters": ["?c"], "text": "{?c} is not free", "negated": "{?c} is not held"},
        "free": {"parameters": [], "text": "my hand is not applicable", "negated": "my hand is busy"},
    },
    "actions": {
        "lift": {"parameters": ["?c", "?p"], "text": "do not leave {?c} on {?p}"},
        "put": {"parameters": ["?c", "?p"], "text": "hold {?c} not any longer over {?p}"},
        "smash": {"parameters": ["?c"], "text": "because I cannot wait smash {?c}"},
    },
    "types": {"cup": "cup", "place": "place"},
    "functions": {},
}


def _says_not(world: Any) -> Setting:
    wording = wording_from_json(NOT_WORDING, world.task.domain, "a wording full of not")
    names = make_names(world.task, "typed")
    teller = Teller(world.task, wording, names)
    return Setting(RunSpec(world.task), Simulator(world.task), teller, Reader(world.task, wording, names))


def test_what_was_executed_is_no_mistake_whatever_words_tell_it(play: Any, world: Any) -> None:
    said = ["Action: do not leave cup_0 on place_1", "Action: hold cup_0 not any longer over place_0"]
    played = play("act", said, setting=_says_not(world))
    assert "not" in played.of("acted")[0].observation
    assert "cannot" not in played.of("acted")[0].observation
    assert (played.finished.outcome, played.finished.mistakes) == ("solved", 0)
    assert played.finished.turns == {"executed": 2}


def test_what_was_refused_is_one_mistake_whatever_words_tell_it(play: Any, world: Any) -> None:
    said = ["Action: hold cup_0 not any longer over place_0", "Action: look around", "Action: finished"]
    finished = play("act", said, setting=_says_not(world), steps=3).finished
    assert finished.turns == {"inapplicable": 1, "look-around": 1, "claimed-done": 1}
    assert finished.mistakes == 1
