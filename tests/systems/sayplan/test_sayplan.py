"""Algorithm 1 of SayPlan: the search and its bounds, planning with feedback, the ablations, the oracle's mistakes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.policies.events import Rejected
from pddl2nl.systems.sayplan.sayplan import MORE_STEPS, MOST_STUCK, MOST_UNREADABLE, SayPlan, cannot_be_enough
from pddl2nl.systems.sayplan.scene_graph import SceneView
from tests.systems.sayplan.conftest import PLAN, SEARCH, TASKS, SceneRun, command, graph_of, plan, play, setting_of

needs_planner = pytest.mark.usefixtures("needs_planner")
COFFEE = (
    "access(wardrobe1)",
    "open(wardrobe1)",
    "pickup(coffee_mug)",
    "goto(kitchen)",
    "access(coffee_machine)",
    "release(coffee_mug)",
    "turn_on(coffee_machine)",
    "pickup(coffee_mug)",
    "goto(toms_room)",
    "access(wardrobe2)",
    "open(wardrobe2)",
    "release(coffee_mug)",
    "done()",
)
FOUND = [*map(command, ("expand(bobs_room)", "expand(toms room)", "expand_node(kitchen)")), command("terminate")]


# ── stage 1 ──────────────────────────────────────────────────────────────────────────────────────


def test_the_search_expands_contracts_and_remembers() -> None:
    commands = ["expand(jacks_room)", "contract(jacks_room)", "expand(bobs_room)", "terminate"]
    run = play("example", {SEARCH: [*map(command, commands)], PLAN: plan(*COFFEE)})
    assert [(step.command, step.done, step.expanded) for step in run.steps] == [
        ("expand(jacks_room)", True, ("jacks_room",)),
        ("contract(jacks_room)", True, ()),
        ("expand(bobs_room)", True, ("bobs_room",)),
    ]
    assert (run.end.by, run.end.shown) == ("model", ("bed1", "wardrobe1", "coffee_mug"))
    assert [sections["Memory"] for sections in run.model.asked(SEARCH)] == [
        "[]",
        "[jacks_room]",
        "[jacks_room]",
        "[jacks_room, bobs_room]",
    ]


def test_only_the_present_view_is_in_a_prompt_and_no_earlier_exchange() -> None:
    run = play("example", {SEARCH: FOUND, PLAN: plan(*COFFEE)})
    views = [SceneView(graph_of("example"), frozenset(step.expanded)).text for step in run.steps]
    conversations = run.model.conversations(SEARCH)
    assert [sections["Scene graph"] for sections in run.model.asked(SEARCH)][1:] == views
    assert len({len(messages) for messages in conversations}) == 1


def test_an_impossible_command_is_answered_with_the_reason() -> None:
    run = play("example", {SEARCH: [command("expand(fridge)"), *FOUND], PLAN: plan(*COFFEE)})
    assert run.model.asked(SEARCH)[1]["Feedback"] == "there is no fridge in the graph"
    assert (run.steps[0].done, run.steps[0].memory) == (False, ())
    assert run.finished.outcome == "solved"


@pytest.mark.parametrize(
    ("replies", "by", "steps"),
    [
        (["no JSON"], "unreadable", MOST_UNREADABLE),
        ([json.dumps({"command": ["expand"]})], "unreadable", MOST_UNREADABLE),
        ([command("expand(moon)")], "stuck", MOST_STUCK),
        ([command("expand(kitchen)"), command("contract(kitchen)")] * 20, "limit", 2 * 5 + MORE_STEPS),
    ],
)
def test_a_search_without_an_end_is_ended(replies: list[str], by: str, steps: int) -> None:
    run = play("example", {SEARCH: replies, PLAN: plan()})
    assert (run.end.by, len(run.steps)) == (by, steps)


# ── stage 2 ──────────────────────────────────────────────────────────────────────────────────────


def test_a_plan_is_completed_and_executed() -> None:
    run = play("example", {SEARCH: FOUND, PLAN: plan(*COFFEE)})
    [checked] = run.plans
    assert run.finished.outcome == "solved"
    assert [checked.calls[place] for place in checked.inserted] == [
        "goto(pose1)",
        "goto(toms_room)",
        "goto(pose5)",
        "goto(pose5)",
    ]
    assert len(run.finished.plan) == len(checked.calls)


def test_a_refused_plan_is_corrected_with_the_plan_and_the_feedback_in_the_prompt() -> None:
    # The example of the paper's appendix L.
    forgotten = [call for call in COFFEE if call != "open(wardrobe1)"]
    run = play("example", {SEARCH: FOUND, PLAN: [plan(*forgotten), plan(*COFFEE)]})
    assert [(each.round, each.executable, each.cause) for each in run.plans] == [
        (0, False, "missing-action"),
        (1, True, ""),
    ]
    question = run.model.asked(PLAN)[1]
    assert question["Feedback"] == "cannot pick up coffee_mug"
    assert question["Plan"].splitlines()[:2] == ["1. access(wardrobe1)", "2. pickup(coffee_mug)"]


def test_corrections_have_a_limit_and_end_where_the_same_plan_comes_again() -> None:
    different = [plan(f"goto(moon{number})") for number in range(9)]
    run = play("example", {SEARCH: FOUND, PLAN: different})
    assert [each.round for each in run.plans] == [*range(SayPlan().corrections + 1)]
    same = play("example", {SEARCH: FOUND, PLAN: plan("goto(moon)")})
    assert len(same.plans) == 2
    assert (same.finished.outcome, same.finished.message) == ("inapplicable", "there is no moon in the graph")


def test_the_goal_is_told_only_if_asked_for() -> None:
    short = plan("access(bed1)")
    paper = play("example", {SEARCH: FOUND, PLAN: [short, plan(*COFFEE)]})
    ours = play("example", {SEARCH: FOUND, PLAN: [short, plan(*COFFEE)]}, goal_feedback=True)
    assert ([each.round for each in paper.plans], paper.finished.outcome) == ([0], "goal-missed")
    assert ([each.round for each in ours.plans], ours.finished.outcome) == ([0, 1], "solved")


# ── nothing shown can be enough ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("instance", "rooms", "proved"),
    [
        ("p02", (), True),
        ("p02", ("cafeteria",), True),
        ("p02", ("kitchen",), False),
        # One of several healthy snacks is enough.
        ("p05", ("peters_office",), False),
        ("p05", ("kitchen",), True),
        ("p08", (), True),
        ("oc01", (), False),
        ("l04", ("wills_office",), True),
        ("l04", ("wills_office", "printing_zone2"), False),
    ],
)
def test_what_lacks_a_node_of_every_plan_is_proved_not_to_be_enough(
    instance: str, rooms: tuple[str, ...], proved: bool
) -> None:
    simulator, view = setting_of(instance).simulator, SceneView(graph_of(instance), frozenset(rooms))
    assert cannot_be_enough(simulator.task, simulator.initial, view) == proved


def test_a_search_that_cannot_be_enough_goes_on_once_if_the_goal_may_be_told() -> None:
    replies = {SEARCH: [command("terminate"), *FOUND], PLAN: plan(*COFFEE)}
    assert play("example", replies, goal_feedback=True).finished.outcome == "solved"
    assert play("example", replies).plans[0].cause == "incomplete-search"
    stubborn = play("example", {SEARCH: command("terminate"), PLAN: plan(*COFFEE)}, goal_feedback=True)
    feedback = [sections.get("Feedback", "") for sections in stubborn.model.asked(SEARCH)]
    assert feedback == ["", "Nothing that the graph shows can do the task: search again."]


def test_a_domain_without_a_scene_graph_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"building has no scene\.json, which SayPlan needs; name a file by --file scene\.json=FILE"
    ):
        play("example", {}, files={})


# ── ablations ────────────────────────────────────────────────────────────────────────────────────


def test_without_verification_the_first_plan_is_executed() -> None:
    forgotten = [call for call in COFFEE if call != "open(wardrobe1)"]
    run = play("example", {SEARCH: FOUND, PLAN: [plan(*forgotten), plan(*COFFEE)]}, policy="sayplan-open")
    assert ([each.round for each in run.plans], run.finished.outcome) == ([0], "inapplicable")
    # Reports show it as the first broken link.
    [rejected] = [event for event in run.events if isinstance(event, Rejected)]
    assert rejected.unmet == run.plans[0].unmet == ("(not (shut wardrobe1))",)


def test_without_completed_ways_each_movement_must_follow_a_link() -> None:
    run = play("example", {SEARCH: FOUND, PLAN: plan(*COFFEE)}, policy="sayplan-flat")
    assert (run.plans[0].cause, run.plans[0].inserted) == ("missing-pose", ())
    assert "linked to the agent's place" in run.model.conversations(PLAN)[0][0].content


def test_the_whole_graph_needs_no_search() -> None:
    run = play("example", {PLAN: plan(*COFFEE)}, policy="sayplan-full")
    assert (run.end.by, run.end.tokens, run.steps) == ("whole", run.end.full, [])
    assert run.finished.outcome == "solved"


@pytest.mark.heavy
@needs_planner
def test_exact_search_expands_the_rooms_of_a_plan_and_asks_no_model() -> None:
    run = play("l05", {}, policy="sayplan-exact")
    assert (run.end.by, run.end.expanded) == ("exact", ("kitchen", "nikos_office"))
    assert (run.finished.outcome, run.model.requests) == ("solved", [])


# ── the oracle ───────────────────────────────────────────────────────────────────────────────────

EASY = ("os04", "oc12", "hs02", "hc15", "p01", "p15", "l05", "l11")


@needs_planner
@pytest.mark.parametrize(
    "instance", [*EASY, *(pytest.param(n, marks=pytest.mark.heavy) for n in TASKS if n not in EASY)]
)
def test_the_oracle_finds_the_answer_and_a_plan_that_is_correct_and_executable(instance: str) -> None:
    run = play(instance)
    task = TASKS[instance]
    assert run.end.by == "model"
    if task.answers:
        assert any({*answer} <= {*run.end.shown} for answer in task.answers)
    assert {*task.searched} <= {*run.end.memory}
    assert run.end.answer == (task.asked[0] if task.asked else None)
    assert [(each.round, each.executable, each.goal) for each in run.plans] == [(0, True, True)]
    assert run.finished.outcome == "solved"


@needs_planner
@pytest.mark.parametrize("mistake", ["hallucinated-node", "missing-open", "missing-access", "full-hand"])
def test_a_mistake_in_a_plan_is_mended_in_one_round_where_plans_are_verified(mistake: str) -> None:
    run, blind = (play("p02", policy=policy, mistake=mistake) for policy in ("sayplan", "sayplan-open"))
    assert [each.executable for each in run.plans] == [False, True]
    assert run.finished.outcome == "solved"
    assert [each.executable for each in blind.plans] == [False]


@needs_planner
@pytest.mark.parametrize(
    ("mistake", "by", "outcome"),
    [("early-stop", "model", "inapplicable"), ("bad-json", "model", "solved"), ("revisit", "model", "solved")],
)
def test_mistakes_in_the_search(mistake: str, by: str, outcome: str) -> None:
    run = play("p02", mistake=mistake)
    assert (run.end.by, run.finished.outcome) == (by, outcome)
    if mistake == "early-stop":
        assert play("p02", mistake=mistake, goal_feedback=True).finished.outcome == "solved"
        assert {each.cause for each in run.plans} == {"incomplete-search"}
    else:
        assert any(not step.done for step in run.steps)


# ── queries ──────────────────────────────────────────────────────────────────────────────────────

ASKED = ("expand(kitchen)", "count(coffee machines)", "without(fridge)", "distance(kitchen, toms_room)")


def test_queries_are_answered_from_what_is_shown_and_answers_stay_in_the_prompt() -> None:
    replies = {SEARCH: [*map(command, (*ASKED, "terminate"))], PLAN: plan(*COFFEE)}
    run = play("example", replies, policy="sayplan-queries")
    answers = [
        "- count(coffee_machines): 1 in kitchen",
        "- without(fridge): none of the expanded nodes",
        "- distance(kitchen, toms_room): 2 links",
    ]
    assert [sections.get("Answers", "").splitlines() for sections in run.model.asked(SEARCH)] == [
        [],
        [],
        answers[:1],
        answers[:2],
        answers,
    ]
    assert [step.answer for step in run.steps] == ["", *(answer.removeprefix("- ") for answer in answers)]
    assert run.end.expanded == ("kitchen",)


def test_a_distance_is_between_the_places_of_two_nodes() -> None:
    view = graph_of("oc14").full()
    assert [view.distance("kitchen", f"meeting_room{number}") for number in (1, 2, 3, 4)] == [9, 9, 3, 6]
    assert view.distance("fridge", "kitchen") == 0


# ── prompts ───────────────────────────────────────────────────────────────────────────────────────


GOLDEN = Path(__file__).parent / "golden"
REPLIES = {
    SEARCH: [command("expand(bobs_room)"), command("expand(moon)"), command("count(mug)"), command("terminate")],
    PLAN: [plan("access(wardrobe1)", "pickup(coffee_mug)"), plan("goto(kitchen)")],
}


def all_prompts(run: SceneRun) -> str:
    """All all_prompts of a run; examples stand in the first of each stage alone."""
    texts, shown = [], set[str]()
    for request in run.model.requests:
        first, *examples, question = request.messages
        kept = [question] if first.content in shown else [first, *examples, question]
        shown.add(first.content)
        texts += [f"── {message.role}\n{message.content}\n" for message in kept]
    return "\n".join(texts)


@pytest.mark.parametrize(
    ("name", "policy", "options"),
    [
        ("reason", "sayplan", {"signal": "reason"}),
        ("terse", "sayplan", {}),
        ("queries", "sayplan-queries", {}),
        ("flat", "sayplan-flat", {}),
        ("bare", "sayplan", {"contraction": False, "memory": False}),
    ],
)
def test_prompts_are_as_before(name: str, policy: str, options: dict[str, Any]) -> None:
    text, file = all_prompts(play("example", REPLIES, policy=policy, **options)), GOLDEN / f"{name}.txt"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
