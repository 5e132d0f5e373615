"""What the paper's own code gets wrong and must be impossible here.

Four of its mistakes are about mechanisms and stand here. The other three are about what surrounds them: the key in
every log and runs that overwrite each other's files, under ``tests/experiments``; cached calls counted as spent tokens,
here for a run's accounts.
"""

from __future__ import annotations

from typing import Any

import pytest

from pddl2nl.llm import Completion, Request, Usage
from pddl2nl.nl import Reader, Teller, make_names, wording_from_json
from pddl2nl.policies import Limits, Setting
from pddl2nl.policies.spec import RunSpec
from pddlval import Simulator

LIFT, PUT, BACK = "lift cup_0 from place_1", "put cup_0 on place_0", "lift cup_0 from place_0"


def _plan(*lines: str) -> str:
    return "\n".join(["[PLAN]", *lines, "[PLAN END]"])


# ── reaching the goal, leaving it, and claiming to be done ───────────────────────────────────────


@pytest.mark.parametrize("claim", ["finished", "Finished.", "I am finished.", "done", "My goal is reached."])
def test_a_goal_that_was_left_again_is_not_solved_by_a_claim(play: Any, claim: str) -> None:
    finished = play("basic", [_plan(LIFT, PUT, BACK, claim)]).finished
    assert finished.outcome == "goal-missed"
    assert finished.plan[-1] == "(lift red shelf)"


def test_an_episode_ends_at_the_goal_so_that_nobody_can_leave_it(play: Any) -> None:
    played = play("act", [f"Action: {action}" for action in (LIFT, PUT, BACK, "finished")])
    assert (played.finished.outcome, len(played.requests)) == ("solved", 2)


def test_a_claim_without_the_goal_never_solves(play: Any) -> None:
    for policy, said in (("act", "Action: finished"), ("react", "Thought: All is done.\nAction: finished")):
        finished = play(policy, [said, said]).finished
        assert (finished.outcome, finished.plan) == ("gave-up", ())


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


def test_finished_in_a_thought_alone_is_no_claim_either(play: Any) -> None:
    for said in ("I am finished with cup_1.", "finished", "cup_1 is where it belongs.\nI am finished."):
        assert play("react", [f"Thought: {said}"], steps=1).finished.turns == {"unreadable": 1}, said


# ── a reply of several actions ───────────────────────────────────────────────────────────────────

BOTH = ("(lift red table)", "(put red shelf)")


@pytest.mark.parametrize(
    "reply",
    [
        _plan(LIFT, PUT),
        _plan(f"1. {LIFT}", f"2. {PUT}"),
        _plan(f"{LIFT}, {PUT}"),
        _plan(f"{LIFT} and {PUT}"),
        _plan(f"{LIFT}; then {PUT}."),
        f"My plan:\n\n1) {LIFT.capitalize()}.\n2) {PUT.capitalize()}.\n\nThis reaches the goal.",
        f"[PLAN]\r\n{LIFT}\r\n{PUT}\r\n[PLAN END]",
        f"[PLAN] {LIFT}\n{PUT} [PLAN END]",
    ],
)
def test_a_plan_is_split_where_its_actions_end(play: Any, reply: str) -> None:
    finished = play("basic", [reply]).finished
    assert (finished.outcome, finished.proposed) == ("solved", BOTH)


@pytest.mark.parametrize(
    "reply",
    [f"Action: {LIFT}\nAction: {PUT}", f"Action: {LIFT} and {PUT}", f"Action: {LIFT}\nI lift it.\nAction: {PUT}"],
)
def test_of_several_actions_in_a_turn_exactly_one_is_done(play: Any, reply: str) -> None:
    played = play("act", [reply, f"Action: {PUT}"])
    assert [event.action for event in played.of("acted")] == [*BOTH]
    assert played.finished.steps == 2


def test_the_twins_plan_is_split_at_its_parentheses(play: Any) -> None:
    for reply in (_plan(" ".join(BOTH)), _plan(*BOTH), f"First {BOTH[0]}, then {BOTH[1]}."):
        assert play("basic", [reply], style="pddl").finished.proposed == BOTH


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


def test_the_count_of_mistakes_does_not_hang_on_what_is_told(play: Any, world: Any) -> None:
    said = [f"Action: {PUT}", "Action: dance", f"Action: {LIFT}", f"Action: {PUT}"]
    counts = [
        play("act", said, chosen={"feedback": feedback}).finished.turns
        for feedback in ("reason", "applicable", "minimal")
    ]
    assert counts == [{"inapplicable": 1, "unreadable": 1, "executed": 2}] * 3


# ── every kind of turn costs a step and is counted apart ─────────────────────────────────────────

KINDS = {
    "executed": "Action: lift cup_0 from place_1",
    "inapplicable": "Action: put cup_0 on place_0",
    "unreadable": "Action: dance with cup_0",
    "unknown-object": "Action: lift cup_7 from place_1",
    "look-around": "Action: look around",
    "claimed-done": "Action: finished",
}


@pytest.mark.parametrize("kind", KINDS)
def test_one_turn_of_a_kind_takes_the_only_step(play: Any, kind: str) -> None:
    played = play("act", [KINDS[kind], f"Action: {LIFT}"], steps=1)
    finished = played.finished
    assert (finished.outcome, finished.steps, finished.turns) == ("budget", 1, {kind: 1})
    assert len(played.requests) == 1
    assert finished.mistakes == (kind in ("inapplicable", "unreadable", "unknown-object"))


# ── what our cache had is not spent ──────────────────────────────────────────────────────────────


def test_replies_from_the_cache_are_used_and_not_spent(play: Any) -> None:
    class Cached:
        name = "cached"

        def __init__(self, hits: int):
            self._hits = hits
            self._said = [f"Action: {LIFT}", f"Action: {PUT}"]

        def complete(self, request: Request) -> Completion:
            self._hits -= 1
            return Completion(self._said.pop(0), usage=Usage(100, 10), from_cache=self._hits >= 0)

    finished = play("act", model=Cached(1), limits=Limits(steps=9, tokens=1)).finished
    assert finished.outcome == "solved"
    spent = finished.spent["planner"]
    assert (finished.calls, finished.prompt_tokens) == (2, 200)
    assert (spent["calls"], spent["cache_hits"], spent["prompt_tokens"]) == (1, 1, 100)
    assert play("act", model=Cached(0), limits=Limits(steps=9, tokens=1)).finished.outcome == "budget"
