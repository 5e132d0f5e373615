"""The rules of an episode: what a turn costs, who decides, and every way to end."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pddl2nl.errors import InfrastructureError
from pddl2nl.experiments import run
from pddl2nl.llm import Completion, EndpointError, Message, Price, ScriptedReply, Usage
from pddl2nl.nl import wording_from_json
from pddl2nl.pddl import Task, parse_problem, parse_task
from pddl2nl.policies import Episode, Limits, Setting
from pddl2nl.policies.episode import EpisodeOver
from pddl2nl.policies.events import Fault, Outcome
from pddl2nl.tasks import shipped_domain
from pddl2nl.tasks.generators import generate
from pddlval import Simulator
from tests.answering import Answering
from tests.settings import plain_setting

LIFT, PUT = "Action: lift cup_0 from place_1", "Action: put cup_0 on place_0"
PLAN = "[PLAN]\nlift cup_0 from place_1\nput cup_0 on place_0\n[PLAN END]"


def _actions(*actions: str) -> str:
    return "\n".join(["[PLAN]", *actions, "[PLAN END]"])


# ── one turn at a time ───────────────────────────────────────────────────────────────────────────


def test_the_simulator_ends_the_episode_when_the_goal_holds(play: Any) -> None:
    played = play("act", [LIFT, PUT, "Action: smash cup_1"])
    finished = played.finished
    assert finished.outcome == "solved"
    assert finished.fault is None
    assert finished.plan == ("(lift red table)", "(put red shelf)")
    assert (finished.steps, finished.calls, finished.mistakes) == (2, 2, 0)
    assert played.of("goal-reached")[0].step == 2
    assert [event.observation for event in played.of("acted")] == [
        "I lift cup_0 from place_1.",
        "I put cup_0 on place_0.",
    ]


def test_every_kind_of_turn_costs_a_step_and_is_counted_apart(play: Any) -> None:
    replies = [
        "Action: look around",
        "Action: put cup_0 on place_0",
        "Action: dance with cup_0",
        "Action: lift cup_7 from place_1",
        "Action: finished",
        LIFT,
        PUT,
    ]
    finished = play("act", replies).finished
    assert finished.outcome == "solved"
    assert finished.steps == len(replies)
    assert finished.turns == {
        "look-around": 1,
        "inapplicable": 1,
        "unreadable": 1,
        "unknown-object": 1,
        "claimed-done": 1,
        "executed": 2,
    }
    assert finished.mistakes == 3


def test_an_inapplicable_action_changes_nothing_and_its_reason_is_told(play: Any) -> None:
    played = play("act", [LIFT, "Action: lift cup_1 from place_1", PUT])
    rejected = played.of("rejected")[0]
    assert rejected.status == "inapplicable"
    assert rejected.action == "(lift blue table)"
    assert rejected.unmet == ("(free)",)
    assert rejected.observation == "I cannot lift cup_1 from place_1 because my hand is not free."
    assert played.requests[2].messages[-1] == Message("user", rejected.observation)
    assert played.finished.outcome == "solved"


def test_looking_around_tells_the_present_state_and_the_goal(play: Any) -> None:
    played = play("act", [LIFT, "Action: look around", PUT])
    looked = played.of("looked-around")[0]
    assert looked.step == 2
    state, goal = looked.observation.split("\n\n")
    assert set(state.removeprefix("Currently, ").rstrip(".").split("\nand ")) == {"cup_1 is on place_1", "I hold cup_0"}
    assert goal == "My goal is that in the end cup_0 is on place_0\nand cup_1 is on place_1."


def test_a_goal_that_holds_from_the_beginning_needs_no_call(play: Any, world: Any) -> None:
    setting = _setting(world, "(at red table)")
    played = play("act", [], setting=setting)
    assert (played.finished.outcome, played.finished.steps, played.finished.calls) == ("solved", 0, 0)
    assert played.of("goal-reached")[0].step == 0


def test_a_false_claim_is_told_what_is_missing_and_a_second_in_succession_gives_up(play: Any) -> None:
    played = play("act", ["Action: finished", "Action: finished"])
    assert played.finished.outcome == "gave-up"
    assert played.finished.fault == Fault(1, "claimed-done", "finished")
    assert played.finished.mistakes == 0
    first = played.of("rejected")[0]
    assert first.unmet == ("(at red shelf)",)
    assert "cup_0 is not on place_0" in first.observation


def test_claims_that_do_not_follow_each_other_give_nothing_up(play: Any) -> None:
    claim = "Action: finished"
    finished = play("act", [claim, LIFT, claim, "Action: look around", claim, PUT]).finished
    assert finished.outcome == "solved"
    assert finished.turns["claimed-done"] == 3


def test_reaching_and_leaving_the_goal_in_a_plan_is_not_solved(play: Any) -> None:
    plan = _actions("lift cup_0 from place_1", "put cup_0 on place_0", "lift cup_0 from place_0", "finished")
    finished = play("basic", [plan]).finished
    assert finished.outcome == "goal-missed"
    assert finished.fault.status == "goal-missed"
    assert "cup_0 is not on place_0" in finished.fault.text


# ── a whole plan ─────────────────────────────────────────────────────────────────────────────────


def test_a_plan_is_judged_line_by_line(play: Any) -> None:
    played = play("basic", [PLAN])
    assert played.finished.outcome == "solved"
    assert played.finished.plan == played.finished.proposed == ("(lift red table)", "(put red shelf)")
    assert (played.finished.steps, played.finished.calls) == (2, 1)
    assert [event.event for event in played.events] == [
        "prompted",
        "replied",
        "read",
        "read",
        "acted",
        "acted",
        "goal-reached",
        "finished",
    ]


@pytest.mark.parametrize(
    ("lines", "outcome", "fault", "mistakes"),
    [
        (["put cup_0 on place_0", "dance with cup_0"], "inapplicable", (1, "inapplicable"), 2),
        (["lift cup_0 from place_1", "dance with cup_0", "put cup_1 on place_0"], "unreadable", (2, "unreadable"), 1),
        (["lift cup_9 from place_1", "put cup_0 on place_0"], "unreadable", (1, "unknown-object"), 1),
        (["lift cup_0 from place_1"], "goal-missed", (1, "goal-missed"), 0),
        ([], "goal-missed", (0, "goal-missed"), 0),
    ],
)
def test_the_first_broken_link_decides(
    play: Any, lines: list[str], outcome: Outcome, fault: tuple[int, str], mistakes: int
) -> None:
    finished = play("basic", [_actions(*lines)]).finished
    assert finished.outcome == outcome
    assert (finished.fault.step, finished.fault.status) == fault
    assert finished.mistakes == mistakes


def test_words_around_a_plan_are_no_fault(play: Any) -> None:
    assert play("basic", [f"Here is my plan, which I think is finished:\n\n{PLAN}\nDone!"]).finished.outcome == "solved"


@pytest.mark.parametrize(
    ("reply", "outcome", "status"),
    [
        (ScriptedReply("I have no idea."), "unreadable", "unreadable"),
        (ScriptedReply("", finish="empty"), "unreadable", "empty"),
        (ScriptedReply("I must not do that.", finish="refused"), "gave-up", "refused"),
        (ScriptedReply("Let me think", finish="length"), "budget", "length"),
        (ScriptedReply("[PLAN]\nlift cup_0 from place_1\nput cup_0 on pla", finish="length"), "budget", "length"),
        (ScriptedReply("", finish="filtered"), "infrastructure-error", "filtered"),
    ],
)
def test_replies_that_fall_short(play: Any, reply: ScriptedReply, outcome: Outcome, status: str) -> None:
    finished = play("basic", [reply]).finished
    assert finished.outcome == outcome
    assert finished.fault.status == status


def test_a_plan_that_reaches_the_goal_before_it_is_cut_off_is_solved(play: Any) -> None:
    reply = ScriptedReply(PLAN.removesuffix("[PLAN END]") + "lift cup_0 from pla", finish="length")
    assert play("basic", [reply]).finished.outcome == "solved"


@pytest.mark.parametrize(
    ("lines", "outcome", "step", "status"),
    [
        (["put cup_0 on place_0", "lift cup_0 from place_1"], "inapplicable", 1, "inapplicable"),
        (["lift cup_0 from place_1", "put cup_0", "smash cup_0"], "unreadable", 2, "unreadable"),
        (["lift cup_0 from place_1", "lift cup_7 from place_1"], "unreadable", 2, "unknown-object"),
        (["lift cup_0 from place_1", "smash cup_0"], "budget", 2, "length"),
    ],
)
def test_a_link_that_broke_before_the_cut_is_the_fault(
    play: Any, lines: list[str], outcome: Outcome, step: int, status: str
) -> None:
    reply = ScriptedReply("\n".join(["[PLAN]", *lines, "put cup_0 on pla"]), finish="length")
    played = play("basic", [reply])
    finished = played.finished
    assert (finished.outcome, finished.fault.step, finished.fault.status) == (outcome, step, status)
    assert [event.text for event in played.of("read")] == lines


def test_successive_failures_end_the_run_where_it_says_so(play: Any) -> None:
    wrong, nonsense = "Action: put cup_0 on place_0", "Action: dance with cup_0"
    stops = {"stop_after": 3}
    failed = play("act", [wrong, "Action: look around", "Action: finished", nonsense, LIFT], chosen=stops)
    finished = failed.finished
    assert (finished.outcome, finished.steps, finished.mistakes) == ("budget", 4, 2)
    assert finished.message == "the limit of 3 successive turns without an action is reached"
    assert finished.fault == Fault(1, "inapplicable", "put cup_0 on place_0")
    begun_again = play("act", [wrong, wrong, LIFT, nonsense, nonsense, PUT], chosen=stops)
    assert begun_again.finished.outcome == "solved"
    assert play("act", [wrong, wrong, wrong, LIFT, PUT]).finished.outcome == "solved"


def test_a_turn_that_is_cut_off_loses_its_last_line(play: Any) -> None:
    replies = [ScriptedReply("Thought: well\nAction: lift cup_0 from place_1", finish="length"), LIFT, PUT]
    finished = play("react", replies).finished
    assert finished.turns == {"unreadable": 1, "executed": 2}


# ── ends that are no verdict ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", ["basic", "cot", "act", "react"])
@pytest.mark.parametrize("error", [EndpointError("HTTP 503"), InfrastructureError("planner crashed")])
def test_infrastructure_is_an_outcome_of_its_own(play: Any, policy: str, error: Exception) -> None:
    played = play(policy, model=Answering(error))
    assert played.finished.outcome == "infrastructure-error"
    assert played.finished.fault == Fault(0, "infrastructure-error", str(error))
    assert played.events[-1] == played.finished


def test_a_script_that_runs_out_is_infrastructure(play: Any) -> None:
    finished = play("act", [LIFT]).finished
    assert finished.outcome == "infrastructure-error"
    assert finished.plan == ("(lift red table)",)


def test_a_bug_is_not_swallowed(play: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        play("act", model=Answering(ZeroDivisionError()))


def test_a_policy_that_stops_by_itself_has_given_up(world: Any) -> None:
    class Idle:
        summary, styles, one_shot, thoughts, needs_model, prompt = "", ("nl",), False, False, False, None

        def run(self, episode: Episode) -> None:
            assert episode.observe().startswith("Currently, ")

    assert Episode(world.setting()).play(Idle()).outcome == "gave-up"


def test_after_the_end_nothing_can_be_asked_or_done(play: Any) -> None:
    episode = play("act", [LIFT, PUT]).episode
    assert episode.done
    for call in (
        lambda: episode.ask([Message("user", "x")]),
        lambda: episode.act(LIFT),
        lambda: episode.submit(PLAN),
        lambda: episode.give_up("x", "y"),
    ):
        with pytest.raises(EpisodeOver):
            call()


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────


LOOKING = Completion("Action: look around", usage=Usage(100, 10))
"""For ever, at 100 + 10 tokens a call."""


@pytest.mark.parametrize(
    ("limits", "calls", "words"),
    [
        (Limits(steps=3), 3, "3 steps"),
        (Limits(steps=9, calls=2), 2, "2 calls"),
        (Limits(steps=9, calls=0), 0, "0 calls"),
        (Limits(steps=9, tokens=111), 2, "111 tokens"),
        (Limits(steps=9, usd=0.25), 3, "0.25 usd"),
        (Limits(steps=9, seconds=0.0), 0, "0 seconds"),
    ],
)
def test_a_spent_budget_ends_cleanly_and_a_paid_reply_is_used(
    play: Any, limits: Limits, calls: int, words: str
) -> None:
    price: Callable[[Completion], Price] = lambda completion: Price(1000.0, 1000.0, 0.0)  # noqa: E731
    played = play("act", model=Answering(LOOKING), limits=limits, price_of=price)
    finished = played.finished
    assert finished.outcome == "budget"
    assert words in finished.message
    assert finished.fault.status == "budget"
    assert finished.calls == finished.steps == len(played.of("looked-around")) == calls
    assert finished.prompt_tokens == 100 * calls
    assert finished.completion_tokens == 10 * calls
    assert finished.usd == pytest.approx(0.1 * calls)


def test_the_step_limit_does_not_bind_a_plan(play: Any) -> None:
    assert play("basic", [PLAN], steps=1).finished.outcome == "solved"


def test_an_unknown_price_is_null_and_not_zero(play: Any) -> None:
    finished = play("act", model=Answering(LOOKING), limits=Limits(steps=2), price_of=lambda completion: None).finished
    assert finished.usd is None


# ── the random walk ──────────────────────────────────────────────────────────────────────────────


def test_the_random_walk_takes_applicable_actions_alone_and_is_seeded(play: Any) -> None:
    walks = [play("random", seed=seed, steps=30) for seed in (1, 1, 2)]
    assert walks[0].finished.plan == walks[1].finished.plan != walks[2].finished.plan
    for walk in walks:
        assert walk.finished.mistakes == walk.finished.calls == 0
        assert walk.finished.outcome in ("solved", "budget", "gave-up")
        assert not walk.of("rejected")


def test_a_dead_end_is_given_up(play: Any, world: Any) -> None:
    domain = (
        "(define (domain d) (:requirements :strips) (:predicates (p) (q) (r)) "
        "(:action go :parameters () :precondition (p) :effect (and (q) (not (p)))))"
    )
    task = parse_task(domain, "(define (problem x) (:domain d) (:init (p)) (:goal (r)))")
    finished = play("random", setting=plain_setting(task)).finished
    assert finished.outcome == "gave-up"
    assert finished.fault == Fault(1, "dead-end", "no action is applicable any more")


# ── all of it ────────────────────────────────────────────────────────────────────────────────────


def _setting(world: Any, goal: str) -> Setting:
    from pddl2nl.pddl import parse_problem, write_problem
    from pddlval import Simulator

    text = write_problem(world.task.problem)
    head = text[: text.index("(:goal")]
    problem = parse_problem(f"{head}(:goal {goal}))", world.task.domain)
    task = replace(world.task, problem=problem)
    return replace(world.setting(), simulator=Simulator(task), teller=world.teller(task, "nl"))


# ── what the paper's own code gets wrong ─────────────────────────────────────────────────────────


THOUGHTS = (
    "I am not finished yet.",
    "Once cup_0 is there I am finished.",
    "finished",
    "Is the task finished? No: I still have to move cup_0.",
    "I have finished with cup_1. done. My goal is reached soon.",
)


@pytest.mark.parametrize("thought", THOUGHTS)
def test_finished_in_a_thought_claims_nothing(play: Any, thought: str) -> None:
    played = play("react", [f"Thought: {thought}\n{LIFT}", f"Thought: {thought}\n{PUT}"])
    assert played.finished.turns == {"executed": 2}
    plan = _actions(f"Thought: {thought}", LIFT, f"Thought: {thought}", PUT)
    assert play("cot", [plan]).finished.outcome == "solved"


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
    return plain_setting(world.task, wording)


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


# ── the random walk: uniform, and the same wherever it is walked again ───────────────────────────


SEEDS = range(1, 11)
DRAWS = 4000

WALKS = """
import json, sys
from pddl2nl.experiments import run
from pddl2nl.tasks import shipped_domain
task = shipped_domain("logistics").task("p03")
print(json.dumps([run(task, "random", seed=seed, steps=25).plan for seed in range(1, 11)]))
"""


@pytest.mark.parametrize("domain", ["logistics", "blocksworld", "visitall"])
def test_every_applicable_action_has_the_same_chance(domain: str) -> None:
    """Chi square of 4,000 draws in one state, at a level of one in a million; the seed is fixed."""
    pddl = shipped_domain(domain).domain
    task = Task(pddl, parse_problem(generate(domain, 1).text, pddl))
    simulator = Simulator(task)
    state = simulator.initial
    for _ in range(3):
        state = simulator.step(state, next(iter(simulator.applicable(state)))).successor or state
    applicable = [str(action) for action in simulator.applicable(state)]
    assert len(applicable) > 1
    rng = random.Random(5)
    drawn = Counter(str(simulator.sample(state, rng)) for _ in range(DRAWS))
    assert set(drawn) == set(applicable)
    expected = DRAWS / len(applicable)
    square = sum((drawn[action] - expected) ** 2 / expected for action in applicable)
    freedom = len(applicable) - 1
    # Wilson and Hilferty's approximation of the quantile.
    assert square < freedom * (1 - 2 / (9 * freedom) + 4.75 * (2 / (9 * freedom)) ** 0.5) ** 3


def test_an_episode_draws_as_its_simulator_does(world: Any) -> None:
    episode = Episode(world.setting(), seed=3)
    drawn = Counter(str(episode.sample()) for _ in range(1000))
    assert set(drawn) == {"(lift red table)", "(lift blue table)"}
    assert abs(drawn["(lift red table)"] - 500) < 80


def test_it_has_the_step_limit_of_the_others(play: Any, world: Any) -> None:
    for steps in (1, 2, 7):
        for seed in SEEDS:
            finished = play("random", seed=seed, steps=steps).finished
            assert finished.steps == finished.turns.get("executed", 0) <= steps
            assert finished.outcome in ("solved", "budget", "gave-up")
            if finished.outcome == "budget":
                assert finished.steps == steps
            if finished.outcome == "gave-up":
                assert finished.fault.status == "dead-end"


def test_ten_seeds_are_ten_walks_and_the_same_in_every_process() -> None:
    task = shipped_domain("logistics").task("p03")
    walks = [run(task, "random", seed=seed, steps=25).plan for seed in SEEDS]
    assert len({*walks}) == len(SEEDS)
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    done = subprocess.run([sys.executable, "-c", WALKS], env=environment, capture_output=True, text=True, check=True)
    assert [tuple(walk) for walk in json.loads(done.stdout)] == walks
