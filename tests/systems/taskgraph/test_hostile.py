"""Hostile replies, graphs, scenes and tasks: each ends in an ordinary outcome, within the limits."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pddl2nl.pddl import GroundAtom, parse_problem
from pddl2nl.systems.taskgraph.automaton import PlanChecker
from pddl2nl.systems.taskgraph.doing import MOST_TOLD, PlaceMemory
from pddl2nl.systems.taskgraph.graph import graph_named
from pddl2nl.systems.taskgraph.prompting import CORRECT, KEYS, NEXT, PLAN, REPLAN, subtask_reply
from pddl2nl.systems.taskgraph.replies import END, read_plan_reply
from pddl2nl.systems.taskgraph.subtasks import Subtasks, parse_subtasks
from pddlval.simulator import simulator_of
from tests.systems.taskgraph.conftest import ALFRED, SUBTASKS, play, play_text

KEEP = "<answer>keep</answer>"
TASK = ALFRED.task("s05")
GOOD = [("PickupObject", "Mug"), ("PutObject", "Mug", "CounterTop")]


# ── replies ──────────────────────────────────────────────────────────────────────────────────────

REPLIES = {
    "nested": "<answer>" + "[" * 5_000 + "</answer>",
    "nested steps": '<answer>{"high_level": [["Go", [["Mug"]]]], "next": [["Go", [["Mug"]], 9]]}</answer>',
    "many": subtask_reply("", [("PickupObject", "Mug")] * 1_001),
    "empty plan": subtask_reply("", []),
    "numbers": '<answer>{"high_level": [["Go", 7]], "next": [["Go", 7, 9]], "objects": [7]}</answer>',
    "scores": '<answer>{"next": [["PickupObject", "Mug", NaN], ["PickupObject", "Mug", 1e999], ["END", -1]]}</answer>',
    "twin letters": subtask_reply("", [("PickupObject", "\N{GREEK CAPITAL LETTER ALPHA}pple")]),
    "an action as object": subtask_reply("", [("PickupObject", "PutObject")]),
    "an object as action": subtask_reply("", [("Mug", "Mug")]),
    "the end as subtask": subtask_reply("", [(END, "Mug")]),
    "format characters": subtask_reply("", [("PickupObject", "{0}$x%s")]),
    "twice the key": '<answer>{"high_level": [], "high_level": [["PickupObject", "Mug"]]}</answer>',
    "answer first": f"<answer>{{}}</answer><reasoning>{subtask_reply('', GOOD)}</reasoning>",
    "two answers": subtask_reply("", GOOD) + subtask_reply("", []),
    "two in the hand": subtask_reply("", [("PickupObject", "Mug"), ("PickupObject", "Mug")]),
}


@pytest.mark.parametrize(
    ("stage", "name"),
    [
        *((PLAN, name) for name in REPLIES),
        *((stage, name) for stage in (KEYS, REPLAN, NEXT) for name in ("nested", "many", "numbers", "scores")),
    ],
)
def test_hostile_replies_end_in_an_ordinary_outcome(stage: str, name: str) -> None:
    reply = REPLIES[name]
    replies = {PLAN: subtask_reply("", GOOD), CORRECT: reply, KEYS: "", REPLAN: KEEP, stage: reply}
    run = play("s05", replies, policy="taskgraph-beam" if stage == NEXT else "taskgraph", steps=60)
    assert run.finished.outcome in ("goal-missed", "unreadable", "inapplicable", "budget")


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────

GRAPHS: dict[str, dict[str, str]] = {
    "empty": {"A": "", "D": ""},
    "loops": {"A": "A", "D": "D"},
    "island": {"A": "A", "D": "", "K": "L", "L": "K"},
}


@pytest.fixture(scope="module")
def strange() -> Subtasks:
    """The subtasks of alfred with strange graphs."""
    data: dict[str, Any] = json.loads(SUBTASKS.text)
    return parse_subtasks(json.dumps({**data, "graphs": GRAPHS}), ALFRED.domain)


@pytest.mark.parametrize("name", GRAPHS)
def test_strange_graphs_refuse_what_has_no_edge_and_nothing_else(name: str, strange: Subtasks) -> None:
    graph = graph_named(name, strange)
    checker = PlanChecker(replace(strange, nodes=graph.nodes), graph, TASK)
    start = simulator_of(TASK).initial
    assert checker.check(GOOD[:1], start) == ()
    [fault] = checker.check(GOOD, start)
    assert (fault.place, fault.kind) == (1, "no-edge")
    assert fault.text.endswith(f"what may: {'nothing' if name == 'empty' else 'PickupObject'}")
    again = checker.check([GOOD[0], GOOD[0]], start)
    assert bool(again) is (name == "empty")


# ── scenes and tasks ─────────────────────────────────────────────────────────────────────────────


def atoms(*texts: str) -> list[GroundAtom]:
    return [GroundAtom(tuple(text.split())) for text in texts]


def test_a_memory_takes_the_last_of_contradicting_facts() -> None:
    memory = PlaceMemory("at", ("in", "inside"), "shut")
    memory.look(
        atoms("at table", "in apple table", "in apple shelf", "inside pan pot", "inside pot pan", "in pan table")
    )
    assert memory.where["apple"] == ("in", "apple", "table")
    # Things that are in each other do not keep the memory from ending.
    assert {"pan", "pot"} <= memory.where.keys()
    memory.look(atoms("at shelf", "in apple shelf"))
    assert memory.where["apple"] == ("in", "apple", "shelf")
    memory.look(atoms("at shelf"))
    assert "apple" not in memory.where


def test_a_memory_of_ten_thousand_things_stays_quick() -> None:
    memory = PlaceMemory("at", ("in",), "shut")
    state = atoms("at t", *(f"in thing-{number} {'t' if number % 2 else 's'}" for number in range(10_000)))
    for _ in range(3):
        memory.look(state)
    assert len(memory.where) == 5_000
    assert len(memory.believed(state)) == 5_001


def crowded(name: str, crowd: int) -> str:
    """A problem with so many forks, and things named like subtasks and actions."""
    forks = [f"fork-{number}" for number in range(crowd)]
    return f"""(define (problem {name}) (:domain alfred)
      (:objects countertop-1 - countertop {" ".join(forks)} - fork pickupobject pick-up end - mug)
      (:init (at countertop-1) (hand-empty) {" ".join(f"(in {fork} countertop-1)" for fork in forks)}
        (in pickupobject countertop-1) (in pick-up countertop-1) (in end countertop-1))
      (:goal (holding pickupobject)))"""


def test_a_scene_tells_at_most_so_many_triples_and_says_how_many_more() -> None:
    replies = {PLAN: subtask_reply("", GOOD[:1]), KEYS: '<answer>{"objects": ["Fork"]}</answer>', REPLAN: KEEP}
    run = play_text(parse_problem(crowded("crowd", MOST_TOLD + 20), ALFRED.domain), "Hold it.", replies)
    told = run.revisions[0].scene
    assert (len(told), told[-1]) == (MOST_TOLD + 1, "and 20 others")


@pytest.mark.usefixtures("needs_planner")
def test_objects_named_like_actions_are_objects() -> None:
    # The task is not shipped: it has no ground truth, and the oracle searches for a plan.
    problem = parse_problem(crowded("names", 2), ALFRED.domain)
    replies = {PLAN: subtask_reply("", [("PickupObject", "Mug")]), KEYS: "", REPLAN: KEEP}
    assert play_text(problem, "Hold it.", replies).done[0].actions[-1] == "(pick-up pickupobject countertop-1)"
    assert play_text(problem, "Hold it.").finished.outcome == "solved"


# ── replies with plans of subtasks ────────────────────────────────────────────────────────────────


PLAN_JSON = '{"high_level": [["PickupObject", "Apple"], ["PutObject", ["Apple", "Fridge"]]]}'
STEPS = (("PickupObject", "Apple"), ("PutObject", "Apple", "Fridge"))
REASON = "<reasoning>First, the apple.</reasoning>"


def test_the_form_that_is_asked_for_has_no_fault() -> None:
    reply = read_plan_reply(f"{REASON}\n<answer>\n{PLAN_JSON}\n</answer>\n")
    assert (reply.steps, reply.tags, reply.json, reply.faults, reply.notes) == (STEPS, True, True, (), ())


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (f"<think>x</think><answer>{PLAN_JSON}</answer>", "<think> stands for <reasoning>"),
        (f"{REASON}<answer>\n```json\n{PLAN_JSON}\n```\n</answer>", "the answer stands in a code fence"),
    ],
)
def test_other_spellings_are_read_with_a_note(text: str, note: str) -> None:
    reply = read_plan_reply(text)
    assert (reply.steps, reply.faults, reply.notes) == (STEPS, (), (note,))


def test_the_papers_second_name_of_a_subtask_is_read() -> None:
    reply = read_plan_reply(f'{REASON}<answer>{{"high_level": [["PutPickupObject", ["Egg", "Pan"]]]}}</answer>')
    assert reply.steps == (("PutPickObject", "Egg", "Pan"),)
    assert reply.notes == ("PutPickupObject stands for PutPickObject",)


@pytest.mark.parametrize(
    "text",
    [
        PLAN_JSON,
        f"<answer>{PLAN_JSON}</answer>",
        f"<answer>{PLAN_JSON}</answer>{REASON}",
        f"{REASON}<answer>{PLAN_JSON}",
        f"{REASON}{REASON}<answer>{PLAN_JSON}</answer>",
        f"Well. {REASON}<answer>{PLAN_JSON}</answer>",
        f'{REASON}<answer>{{"high_level": []}}</answer><answer>{PLAN_JSON}</answer>',
    ],
)
def test_a_plan_outside_the_form_is_read_with_a_fault(text: str) -> None:
    reply = read_plan_reply(text)
    assert (reply.steps, reply.tags, reply.json, len(reply.faults)) == (STEPS, False, True, 1)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("", "not JSON: line 1, column 1"),
        ("[]", 'a list under "high_level"'),
        ('{"plan": []}', 'a list under "high_level"'),
        ('{"high_level": {}}', 'a list under "high_level"'),
        ('{"high_level": [], "high_level": []}', 'the key "high_level" twice'),
        ('{"high_level": [["PickupObject", 7]]}', "step 1 is not [subtask, target]"),
        ('{"high_level": [["PickupObject", "Apple"], ["PutObject", [["Apple"], "Fridge"]]]}', "step 2 is not"),
        ('{"high_level": [["PickupObject", ["a", "b", "c"]]]}', "step 1 is not"),
        ('{"high_level": [["PickupObject"]]}', "step 1 is not"),
        ('{"high_level": ["PickupObject"]}', "step 1 is not"),
        ("[" * 100_000, "nested too deep"),
        ('{"high_level": [' + '["A", "b"],' * 99_999 + '["A", "b"]]}', "100000 steps, and at most 1000"),
        ('{"high_level": [["A", ' + "9" * 10_000 + "]]}", "not JSON"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_reason(answer: str, fault: str) -> None:
    reply = read_plan_reply(f"{REASON}<answer>{answer}</answer>")
    assert (reply.steps, reply.tags, reply.json) == ((), True, False)
    assert fault in reply.faults[0]


def test_letters_that_only_look_alike_stay_what_they_are() -> None:
    greek = "\N{GREEK CAPITAL LETTER ALPHA}pple"
    reply = read_plan_reply(f'{REASON}<answer>{{"high_level": [["PickupObject", "{greek}"]]}}</answer>')
    assert reply.steps == (("PickupObject", greek),)


@settings(max_examples=30)
@given(st.text(max_size=200) | st.builds("<answer>{}</answer>".format, st.text('[]{}",:0ah_', max_size=60)))
def test_no_text_is_an_error(text: str) -> None:
    reply = read_plan_reply(text)
    assert reply.json or (reply.faults and not reply.steps)
