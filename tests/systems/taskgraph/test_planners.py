"""The other planners of taskgraph: strategies of prompting, search scored by a model, and search without one."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pddl2nl.errors import InputError
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.systems.taskgraph.events import NextScored
from pddl2nl.systems.taskgraph.graph import graph_named
from pddl2nl.systems.taskgraph.policy import shown_examples
from pddl2nl.systems.taskgraph.prompting import KEYS, NEXT, PLAN, REPLAN, scores_reply
from pddl2nl.systems.taskgraph.replies import END, read_scores
from pddl2nl.systems.taskgraph.searching import MOST_DEPTH, exact_plan
from pddl2nl.systems.taskgraph.subtasks import SubtaskExample
from pddlval import Simulator
from tests.systems.taskgraph.conftest import ALFRED, SUBTASKS, TASKS, play, play_task

KEEP = "<answer>keep</answer>"


def scored(*candidates: tuple[object, ...]) -> str:
    """A reply: each candidate is a step and its score."""
    return f"<answer>{scores_reply(candidates)}</answer>"  # type: ignore[arg-type]


PICK, PUT = ("PickupObject", "WineBottle"), ("PutObject", "WineBottle", "CounterTop")
"""The plan of s01."""


# ── strategies ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("planner", ["zero", "cot", "few", "rag", "greedy", "beam"])
def test_the_oracle_plans_in_every_way(planner: str) -> None:
    run = play("s10", policy=f"taskgraph-{planner}")
    assert run.finished.outcome == "solved"
    assert run.model.stages[0] == (NEXT if planner in ("greedy", "beam") else PLAN)


def test_strategies_differ_in_what_they_show_before_the_task() -> None:
    first = {}
    for planner in ("zero", "cot", "few", "rag"):
        run = play("s05", {PLAN: "", KEYS: "", REPLAN: KEEP}, policy=f"taskgraph-{planner}")
        first[planner] = run.model.requests[0].messages
    assert "Answer at once" in first["zero"][0].content
    assert all("think step by step" in first[name][0].content for name in ("cot", "few", "rag"))
    assert all("may follow" not in messages[0].content for messages in first.values())
    assert [len(first[name]) for name in ("zero", "cot", "few", "rag")] == [2, 2, 8, 8]
    # s05 heats a plate, and so does the most similar example, which comes last.
    shown = [message.content for message in first["rag"] if message.role == "assistant"]
    assert '["HeatObject", ["Plate", "Microwave"]]' in shown[-1]
    assert shown != [message.content for message in first["few"] if message.role == "assistant"]


def test_the_most_similar_examples_come_last_and_vectors_can_decide() -> None:
    examples = [
        SubtaskExample(text, (("A", "b"),)) for text in ("cool an egg", "wash a cup", "heat a plate", "heat a cup")
    ]
    by_words = shown_examples("rag", examples, "heat a plate now")
    assert [each.task for each in by_words][-2:] == ["heat a cup", "heat a plate"]
    # What is rare counts: the candles, not that something is brought into a cabinet.
    for text in (TASKS["s02"].texts["goal"], "Two candles in a cabinet, please."):
        near = [each.task for each in shown_examples("rag", SUBTASKS.examples, text)]
        assert {"Place two candles on a dresser.", "There shall be two candles on a cart."} <= {*near}
    by_vectors = shown_examples("rag", examples, "x", lambda texts: [[1.0, float("egg" in text)] for text in texts])
    assert by_vectors[0].task != "cool an egg"
    assert shown_examples("few", examples[:1], "x") == [examples[0]]
    with pytest.raises(InputError, match="no examples"):
        shown_examples("few", [], "x")


# ── scored by a model ────────────────────────────────────────────────────────────────────────────


def test_greedy_search_takes_the_best_candidate_until_the_end_is_best() -> None:
    replies = [scored((PICK, 9), ((END,), 1)), scored((PUT, 8), (("CloseObject", "Fridge"), 2)), scored(((END,), 10))]
    run = play("s01", {NEXT: replies, KEYS: "", REPLAN: KEEP}, policy="taskgraph-greedy")
    assert run.checks[0].plan == ("PickupObject(WineBottle)", "PutObject(WineBottle, CounterTop)")
    assert run.finished.outcome == "solved"
    asked = run.model.asked(NEXT)
    assert "- PutObject(object, receptacle)" in asked[1]["Candidates"]
    assert "- END" in asked[1]["Candidates"]
    # With something in the hand nothing else can be picked up.
    assert "- PickupObject(object)" in asked[0]["Candidates"]
    assert "PickupObject" not in asked[1]["Candidates"]


def test_candidates_that_are_not_possible_are_left_out_and_counted() -> None:
    first = scored((PUT, 10), (("PickupObject", "Unicorn"), 10), (PICK, 1))
    replies = [first, scored((PUT, 5), (PICK, 10)), scored(((END,), 1))]
    run = play("s01", {NEXT: replies, KEYS: "", REPLAN: KEEP}, policy="taskgraph-greedy")
    events = [event for event in run.events if isinstance(event, NextScored)]
    assert [(event.candidates, event.refused) for event in events[:2]] == [
        (("PickupObject(WineBottle)",), 2),
        (("PutObject(WineBottle, CounterTop)",), 1),
    ]
    assert run.finished.outcome == "solved"


def test_beam_search_finds_what_greedy_search_misses() -> None:
    # The best first step leads nowhere; the second one has the better mean.
    wrong = ("OpenObject", "Fridge")

    def rate(sections: dict[str, str]) -> str:
        plan = sections.get("Plan", "")
        if not plan:
            return scored((wrong, 6), (PICK, 5))
        if "OpenObject" in plan:
            return scored(((END,), 1))
        return scored((PUT, 9)) if "PutObject" not in plan else scored(((END,), 10))

    plans = {}
    for planner in ("greedy", "beam"):
        run = play("s01", {NEXT: rate, KEYS: "", REPLAN: KEEP}, policy=f"taskgraph-{planner}")
        plans[planner] = run.checks[0].plan
    assert plans == {
        "greedy": ("OpenObject(Fridge)",),
        "beam": ("PickupObject(WineBottle)", "PutObject(WineBottle, CounterTop)"),
    }


def test_a_search_without_end_stops_at_its_depth() -> None:
    def turn(sections: dict[str, str]) -> str:
        opened = sections.get("Plan", "").count("Object(Fridge)") % 2
        return scored((("CloseObject" if opened else "OpenObject", "Fridge"), 9), ((END,), 3))

    run = play("s05", {NEXT: turn, KEYS: "", REPLAN: KEEP}, policy="taskgraph-greedy")
    assert len(run.checks[0].plan) == MOST_DEPTH
    assert len(run.model.asked(NEXT)) == MOST_DEPTH + 1
    assert run.model.asked(NEXT)[-1]["Candidates"] == "- END"


def test_a_search_in_which_nothing_is_scored_has_no_plan() -> None:
    run = play("s05", {NEXT: "I would rather not."}, policy="taskgraph-beam")
    assert run.finished.outcome == "unreadable"


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        (
            '{"next": [["PutObject", ["Egg", "Pan"], 7.5], ["END", 0]]}',
            ((("PutObject", "Egg", "Pan"), 7.5), ((END,), 0)),
        ),
        ('{"next": [["END", 1], ["END", 9]]}', (((END,), 1),)),
        ('{"next": [["PutPickupObject", ["Egg", "Pan"], 1]]}', ((("PutPickObject", "Egg", "Pan"), 1),)),
        ('{"next": [["A", "b", 11], ["A", "b", -1], ["A", "b", true], ["A", "b", "9"], ["A", "b", NaN], 7, []]}', ()),
        ('{"next": [["A", 1, 2], ["A", ["b", "c", "d"], 2], [["A"], "b", 2], ["A", 3]]}', ()),
        ('{"next": {"END": 1}}', ()),
        ("[" * 5_000, ()),
        ("", ()),
    ],
)
def test_scores_are_read_or_left_out(reply: str, read: object) -> None:
    assert read_scores(f"<answer>{reply}</answer>") == read


# ── without a model ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
def test_the_exact_search_solves_a_task_without_asking_and_begins_anew_after_a_fault() -> None:
    problem = """(define (problem small) (:domain alfred)
      (:objects countertop-1 - countertop shelf-1 - shelf mug-1 - mug)
      (:init (at shelf-1) (hand-empty) (in mug-1 countertop-1))
      (:goal (exists (?x - mug ?p - shelf) (in ?x ?p))))"""
    task = Task(ALFRED.domain, parse_problem(problem, ALFRED.domain))
    run = play_task(task, "A mug on a shelf.", {}, policy="taskgraph-exact", faults="fail (pick-up *) once")
    assert run.finished.outcome == "solved"
    assert run.model.requests == []
    assert [check.revision for check in run.checks] == [0, 1]
    assert (run.checks[0].targets, run.checks[0].transitions, run.checks[0].reaches) == ((), (), True)


@pytest.mark.usefixtures("needs_planner")
def test_the_exact_search_takes_no_way_around() -> None:
    # Actions that are none of the planner's count; if they did not, it would find 38 subtasks.
    simulator = Simulator(ALFRED.task("s07"))
    plan = exact_plan(simulator, SUBTASKS, graph_named("printed", SUBTASKS), simulator.initial)
    assert plan is not None
    assert len(plan) == 4


@pytest.mark.heavy
@pytest.mark.usefixtures("needs_planner")
def test_the_exact_search_keeps_to_the_graph() -> None:
    simulator = Simulator(ALFRED.task("s10"))
    printed = graph_named("printed", SUBTASKS)
    plan = exact_plan(simulator, SUBTASKS, printed, simulator.initial)
    assert plan is not None
    names = [step.subtask[0] for step in plan]
    # From PickupObject to SliceObject there is no printed edge, but a way around.
    assert names.index("SliceObject") > 1
    assert {*pairwise(names)} <= printed.edges
