"""Policy `tools`: calls of functions as turns, their answers, what a record holds of them, and hostile calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pddl2nl.errors import InputError
from pddl2nl.experiments import run
from pddl2nl.experiments.records.stored import RunRecord, read_record
from pddl2nl.llm import Message, ScriptedCall, ScriptedModel, ScriptedReply
from pddl2nl.nl import Teller, choose_wording, make_names
from pddl2nl.nl.telling.tools import ActionTools
from pddl2nl.pddl import Task, parse_task, write_domain
from pddl2nl.policies.prompts import CORE_PROMPTS
from pddl2nl.policies.toolbox import RESERVED
from pddl2nl.reports.html.run import turns_of
from pddl2nl.reports.recheck import doubt
from tests.answering import Answering
from tests.llm.chat_server import ChatServer

LIFT = ScriptedCall("lift", {"c": "cup_0", "p": "place_1"})
PUT = ScriptedCall("put", {"c": "cup_0", "p": "place_0"})
BACK = ScriptedCall("put", {"c": "cup_0", "p": "place_1"})


def calling(*calls: ScriptedCall, text: str = "") -> ScriptedReply:
    return ScriptedReply(text, calls=calls)


def statuses(played: Any) -> list[str]:
    return [event.status for event in played.of("tool-called")]


def turns(prompt: Sequence[Message], opening: int) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in prompt[opening:]]


# ── schemas ──────────────────────────────────────────────────────────────────────────────────────


def test_an_action_is_a_function_of_its_name_its_words_and_the_objects_of_its_types(world: Any) -> None:
    lift, *_ = ActionTools(world.teller(world.task, "nl")).tools
    assert (lift.name, lift.description) == ("lift", "lift <c> from <p>")
    assert lift.parameters == {
        "type": "object",
        "properties": {
            "c": {"type": "string", "enum": ["cup_0", "cup_1"], "description": "a cup"},
            "p": {"type": "string", "enum": ["place_0", "place_1"], "description": "a place"},
        },
        "required": ["c", "p"],
        "additionalProperties": False,
    }


def test_of_many_objects_the_schema_says_what_a_name_has_to_be(world: Any) -> None:
    tools = ActionTools(world.teller(world.task, "nl"), most=1)
    assert tools.tools[0].properties["c"] == {
        "type": "string",
        "description": "a cup: its name, letter by letter as in the problem",
    }
    assert tools.read("lift", '{"c": "cup_0", "p": "place_1"}').action is not None


def test_an_action_without_objects_is_not_offered_and_can_stand_in_an_example(world: Any) -> None:
    task = parse_task(
        write_domain(world.task.domain),
        "(define (problem bare) (:domain cups) (:objects mug - cup) (:init (held mug)) (:goal (held mug)))",
    )
    tools = ActionTools(world.teller(task, "nl"))
    assert [tool.name for tool in tools.tools] == ["smash"]
    assert tools.written("lift cup_0 from place_3") == ("lift", {"c": "cup_0", "p": "place_3"})
    with pytest.raises(InputError, match="no action of the domain is told as 'fly'"):
        tools.written("fly")


def test_the_twin_has_the_names_of_the_problem(world: Any) -> None:
    lift, *_ = ActionTools(world.teller(world.task, "pddl")).tools
    assert (lift.description, lift.properties["c"]["enum"]) == ("(lift <c> <p>)", ["red", "blue"])


ODD = """
(define (domain odd) (:requirements :strips)
  (:predicates (p ?x))
  (:action finish :parameters (?x) :precondition (p ?x) :effect (not (p ?x)))
  (:action go :parameters (?a%b) :precondition (p ?a%b) :effect (not (p ?a%b)))
  (:action rest :parameters () :precondition () :effect ())
  (:action LONG :parameters (?x) :precondition (p ?x) :effect (not (p ?x))))
""".replace("LONG", "a-very-long-name-" * 5 + "end").replace("a%b", "a_b")


def test_names_are_those_that_endpoints_take_and_those_of_other_tools_are_left_to_them() -> None:
    task = parse_task(ODD, "(define (problem o) (:domain odd) (:objects a) (:init (p a)) (:goal (not (p a))))")
    wording = choose_wording("template", task.domain)
    tools = ActionTools(Teller(task, wording, make_names(task, "typed", wording)), reserved=RESERVED).tools
    assert [tool.name for tool in tools][:3] == ["finish_2", "go", "rest"]
    assert len(tools[3].name) == 64
    assert tools[2].parameters["properties"] == {}


# ── turns ────────────────────────────────────────────────────────────────────────────────────────


def test_a_call_is_a_turn_and_is_answered_as_act_is(play: Any) -> None:
    played = play("tools", [calling(PUT), calling(LIFT, text="First up."), calling(PUT)])
    assert (played.finished.outcome, played.finished.steps, played.finished.mistakes) == ("solved", 3, 1)
    prompts = [request.messages for request in played.requests]
    opening = len(prompts[0])
    assert turns(prompts[2], opening) == [
        ("assistant", ""),
        ("tool", "I cannot put cup_0 on place_0 because I do not hold cup_0."),
        ("assistant", "First up."),
        ("tool", "I lift cup_0 from place_1."),
    ]
    called = prompts[2][opening]
    assert called.tool_calls[0].name == "put"
    assert prompts[2][opening + 1].answers == called.tool_calls[0].id
    assert statuses(played) == ["inapplicable", "executed", "executed"]
    event = played.of("tool-called")[1]
    assert (event.name, json.loads(event.arguments)) == ("lift", {"c": "cup_0", "p": "place_1"})
    assert event.result == "I lift cup_0 from place_1."
    assert played.requests[0].tool_choice == "required"
    assert [tool.name for tool in played.requests[0].tools] == ["lift", "put", "smash", "state", "finish", "give_up"]


def test_the_example_shows_calls(play: Any) -> None:
    shown = play("tools", [calling(LIFT), calling(PUT)]).requests[0].messages[2:6]
    assert [message.role for message in shown] == ["assistant", "tool", "assistant", "tool"]
    assert json.loads(shown[0].tool_calls[0].arguments) == {"c": "cup_0", "p": "place_0"}


def test_several_calls_are_executed_up_to_the_first_that_fails(play: Any) -> None:
    played = play("tools", [calling(LIFT, LIFT, PUT), calling(PUT)])
    assert statuses(played) == ["executed", "inapplicable", "not-executed", "executed"]
    assert played.of("tool-called")[2].result == "Not executed, because the call before it failed."
    assert (played.finished.outcome, played.finished.steps) == ("solved", 3)


def test_what_tools_do_is_told_by_a_prompt_that_can_be_replaced(play: Any, world: Any) -> None:
    told = CORE_PROMPTS.text("tool_texts.txt").replace("Say that the goal", "Tell: the goal")
    setting = replace(world.setting(), prompts={"tool_texts.txt": told})
    played = play("tools", [calling(LIFT, PUT)], setting=setting)
    assert played.requests[0].tools[-2].description == "Tell: the goal is reached."
    with pytest.raises(InputError, match=r"prompt tool_texts.txt: there is no line 'act: TEXT'"):
        play("tools", setting=replace(setting, prompts={"tool_texts.txt": "finish: Done?"}))


def test_calls_behind_the_end_are_answered_and_change_nothing(play: Any) -> None:
    played = play("tools", [calling(LIFT, PUT, LIFT)])
    assert (played.finished.outcome, played.finished.plan) == ("solved", ("(lift red table)", "(put red shelf)"))
    assert statuses(played) == ["executed", "executed", "not-executed"]
    assert played.of("tool-called")[2].result == "Not executed, because the task has ended."
    assert played.events[-1].event == "finished"
    played = play("tools-plan", [calling(ScriptedCall("submit_plan", {"plan": []}), ScriptedCall("give_up"))])
    assert statuses(played) == ["goal-missed", "not-executed"]


def test_a_reply_without_a_call_is_no_action(play: Any) -> None:
    played = play("tools", ["Action: lift cup_0 from place_1", "", calling(LIFT, PUT)])
    assert [event.status for event in played.of("rejected")] == ["unreadable"] * 2
    assert played.of("rejected")[0].observation == "Nothing was done, because no tool was called."
    assert played.requests[2].messages[-2].content == "…"
    assert played.finished.outcome == "solved"


def test_finish_and_give_up_are_claims(play: Any) -> None:
    finish, give_up = calling(ScriptedCall("finish")), calling(ScriptedCall("give_up"))
    assert play("tools", [finish, finish]).finished.fault.status == "claimed-done"
    assert play("tools", [give_up]).finished.fault.status == "claimed-unsolvable"
    assert (
        play("tools", ["This task cannot be solved: there is no plan."]).finished.fault.status == "claimed-unsolvable"
    )


def test_the_state_is_told_on_demand(play: Any) -> None:
    played = play("tools", [calling(ScriptedCall("state"), LIFT, PUT)])
    assert played.of("looked-around")[0].observation.startswith("Currently, cup_1 is on place_1")
    assert play("tools", [calling(ScriptedCall("state"))] * 2, chosen={"tools": []}, steps=1).finished.mistakes == 1


def test_thoughts_beside_calls_can_be_left_out_of_the_conversation(play: Any) -> None:
    said = [calling(LIFT, text="First up."), calling(PUT)]
    last = play("tools", said, chosen={"keep_thoughts": False}).requests[1].messages[-2]
    assert last.content == ""


def test_reasoning_goes_back_with_its_calls(play: Any) -> None:
    script = ScriptedModel([calling(LIFT), calling(PUT)])
    thinking = Answering(lambda asked: replace(script.complete(asked), returned='{"reasoning_content": "hm"}'))

    played = play("tools", model=thinking)
    assert played.requests[1].messages[-2].as_json["reasoning_content"] == "hm"


# ── presets and options ──────────────────────────────────────────────────────────────────────────


def test_what_was_taken_back_is_no_part_of_the_plan(play: Any) -> None:
    undo, reset = ScriptedCall("undo"), ScriptedCall("reset")
    played = play(
        "tools",
        [calling(undo), calling(LIFT, undo), calling(LIFT, BACK, LIFT), calling(reset), calling(LIFT, PUT)],
        chosen={"tools": ["undo", "reset"]},
    )
    assert played.finished.plan == ("(lift red table)", "(put red shelf)")
    assert [event.actions for event in played.of("taken-back")] == [1, 3]
    told = [event.observation for event in played.of("looked-around")]
    assert told[0] == "There is nothing to take back."
    assert told[1].startswith('The action "lift cup_0 from place_1" is taken back. Currently, cup_1 is on place_1')
    assert told[2].startswith("All actions are taken back. Currently, cup_1 is on place_1")


def test_the_search_has_its_own_limit_of_steps(world: Any) -> None:
    from pddl2nl.experiments.planners import foreseen
    from pddl2nl.policies import make_policy
    from pddl2nl.policies.spec import RunSpec

    policy = make_policy("tools-search")
    assert foreseen(RunSpec(world.task), policy)[0] == 100
    assert foreseen(RunSpec(world.task, steps=7), policy)[0] == 7


PLAN = ["lift cup_0 from place_1", "put cup_0 on place_0"]


def test_a_plan_is_checked_as_often_as_wanted_and_judged_when_it_is_submitted(play: Any) -> None:
    asked = [
        ScriptedCall("validate_plan", {"plan": PLAN[1:]}),
        ScriptedCall("validate_plan", {"plan": ["fly away"]}),
        ScriptedCall("validate_plan", {"plan": []}),
        ScriptedCall("validate_plan", {"plan": PLAN}),
        ScriptedCall("submit_plan", {"plan": PLAN}),
    ]
    played = play("tools-plan", [*map(calling, asked)])
    results = [event.result for event in played.of("tool-called")]
    assert "I do not hold cup_0" in results[0]
    assert results[1].startswith('Step 1 of the plan, "fly away", was not understood, because')
    assert "cup_0 is not on place_0" in results[2]
    assert results[3:] == ["The plan is valid.", "the goal holds at the end of the plan"]
    assert (played.finished.outcome, played.finished.plan) == ("solved", ("(lift red table)", "(put red shelf)"))
    assert [tool.name for tool in played.requests[0].tools] == ["validate_plan", "submit_plan", "give_up"]


@pytest.mark.parametrize(
    ("plan", "outcome"),
    [(PLAN[:1], "goal-missed"), (PLAN[1:], "inapplicable"), (["fly away"], "unreadable"), ("\n".join(PLAN), "solved")],
)
def test_a_submitted_plan_ends_the_run(play: Any, plan: Any, outcome: str) -> None:
    played = play("tools-plan", [calling(ScriptedCall("submit_plan", {"plan": plan}))])
    assert played.finished.outcome == outcome


def test_applicable_actions_are_the_values_of_one_argument(play: Any, world: Any) -> None:
    said = [calling(ScriptedCall("act", {"action": text})) for text in ("put cup_0 on place_0", *PLAN)]
    played = play("tools", said, setting=world.setting(constrain="applicable"))
    act = played.requests[0].tools[0]
    assert act.parameters["properties"]["action"]["enum"] == ["lift cup_0 from place_1", "lift cup_1 from place_1"]
    # An endpoint that ignores the schema.
    assert statuses(played) == ["inapplicable", "executed", "executed"]
    assert "put cup_0 on place_1" in played.requests[2].tools[0].parameters["properties"]["action"]["enum"]


# ── everything that other policies have ──────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", ["tools", "tools-search", "tools-plan"])
@pytest.mark.parametrize("style", ["nl", "pddl"])
def test_the_oracle_calls_tools_and_its_record_holds_and_replays(
    blocks: Task, policy: str, style: str, tmp_path: Path, needs_planner: None
) -> None:
    first = run(blocks, policy, model="oracle", style=style, record=tmp_path / "a.jsonl")
    assert (first.outcome, doubt(first)) == ("solved", "")
    again = run(blocks, policy, model=f"replay:{tmp_path}", style=style)
    assert again.finished.plan == first.finished.plan
    assert [event for event in again.events if event.event == "tool-called"] == [
        event for event in first.events if event.event == "tool-called"
    ]


@pytest.mark.parametrize("mistake", ["wrong-action", "swapped-objects", "invented-action"])
def test_the_oracle_makes_its_mistakes_by_calls(blocks: Task, mistake: str, needs_planner: None) -> None:
    played = run(blocks, "tools-plan", model=f"oracle:{mistake}")
    assert played.outcome in ("inapplicable", "unreadable", "goal-missed")


def test_a_record_with_actions_taken_back_is_judged_again_and_shown(blocks: Task, tmp_path: Path) -> None:
    blocked = ScriptedCall("pick-up", {"ob": "block_0"})
    unstack = ScriptedCall("unstack", {"ob": "block_2", "underob": "block_1"})
    said = [calling(unstack), calling(blocked), calling(ScriptedCall("undo")), calling(unstack), calling(blocked)]
    played = run(
        blocks, "tools-search", model=ScriptedModel(said), example="none", steps=5, record=tmp_path / "a.jsonl"
    )
    assert doubt(played) == ""
    assert len(played.finished.plan) == 1
    shown = turns_of(read_record(tmp_path / "a.jsonl"))
    pieces = [piece for turn in shown for call in turn.calls for piece in call.reply]
    assert [(piece.text.partition("(")[0], piece.status, piece.step) for piece in pieces] == [
        ("unstack", "taken-back", 1),
        ("pick-up", "inapplicable", 2),
        ("undo", "looked-around", 3),
        ("unstack", "executed", 4),
        ("pick-up", "inapplicable", 5),
    ]
    steps = [step.status for turn in shown for step in turn.steps]
    assert steps == ["taken-back", "inapplicable", "looked-around", "executed", "inapplicable"]


def test_the_cost_of_a_record_is_that_of_the_plan_without_what_was_taken_back_last() -> None:
    domain = """(define (domain walks) (:predicates (at ?p) (way ?p ?q)) (:functions (total-cost))
      (:action go :parameters (?p ?q) :precondition (and (at ?p) (way ?p ?q))
       :effect (and (at ?q) (not (at ?p)) (increase (total-cost) 7))))"""
    problem = """(define (problem two) (:domain walks) (:objects a b c) (:init (at a) (way a b) (= (total-cost) 0))
      (:goal (at c)) (:metric minimize (total-cost)))"""
    said = [calling(ScriptedCall("go", {"p": "a", "q": "b"})), calling(ScriptedCall("undo"))]
    task = parse_task(domain, problem)
    played = run(task, "tools-search", model=ScriptedModel(said), example="none", steps=2, names="original")
    assert (played.plan, played.finished.cost) == ((), "0")
    assert doubt(played) == ""


def test_an_estimate_counts_the_schemas(world: Any) -> None:
    from pddl2nl.experiments.specification.estimate import _measure
    from pddl2nl.policies.spec import RunSpec

    system, problem = _measure(RunSpec(world.task, "tools", wording=world.wording, model="gpt-4o"))
    without, same = _measure(RunSpec(world.task, "act", wording=world.wording, model="gpt-4o"))
    assert problem == same
    assert system - without > sum(
        len(json.dumps(tool.parameters)) for tool in ActionTools(world.teller(world.task, "nl")).tools
    )


# ── hostile calls ────────────────────────────────────────────────────────────────────────────────

GOOD = '{"c": "cup_0", "p": "place_1"}'
_DEEP = "[" * 100_000
HOSTILE: dict[str, tuple[str, str, str]] = {
    # kind: function, arguments, status
    "unknown function": ("jump", GOOD, "unreadable"),
    "another case": ("LIFT", GOOD, "unreadable"),
    "a misspelled function": ("lfit", GOOD, "unreadable"),
    "no function": ("", GOOD, "unreadable"),
    "a blank function": ("   ", GOOD, "unreadable"),
    "a function with blanks": ("lift cup", GOOD, "unreadable"),
    "a path as function": ("functions.lift", GOOD, "unreadable"),
    "a function of 10,000 letters": ("lift" * 2_500, GOOD, "unreadable"),
    "a function with control characters": ("lift\x00\x1b[31m", GOOD, "unreadable"),
    "a function with a line break": ("lift\nput", GOOD, "unreadable"),
    "a function in another script": ("подними", GOOD, "unreadable"),
    "half a surrogate pair as function": ("lift\ufffd", GOOD, "unreadable"),
    "a tool that is not offered": ("undo", "{}", "unreadable"),
    "act without --constrain": ("act", '{"action": "lift cup_0 from place_1"}', "unreadable"),
    "no arguments": ("lift", "", "unreadable"),
    "blank arguments": ("lift", " \n ", "unreadable"),
    "an empty object": ("lift", "{}", "unreadable"),
    "a missing argument": ("lift", '{"c": "cup_0"}', "unreadable"),
    "an argument too many": ("lift", '{"c": "cup_0", "p": "place_1", "q": "x"}', "unreadable"),
    "a misspelled argument": ("lift", '{"c": "cup_0", "P": "place_1"}', "unreadable"),
    "arguments by PDDL's variables": ("lift", '{"?c": "cup_0", "?p": "place_1"}', "unreadable"),
    "an argument twice": ("lift", '{"c": "cup_0", "c": "cup_1", "p": "place_1"}', "unreadable"),
    "a list": ("lift", '["cup_0", "place_1"]', "unreadable"),
    "a text": ("lift", '"cup_0"', "unreadable"),
    "a number": ("lift", "7", "unreadable"),
    "true": ("lift", "true", "unreadable"),
    "null": ("lift", "null", "unreadable"),
    "NaN": ("lift", "NaN", "unreadable"),
    "infinity as a value": ("lift", '{"c": Infinity, "p": "place_1"}', "unreadable"),
    "a number as a value": ("lift", '{"c": 0, "p": "place_1"}', "unreadable"),
    "a number of 5,000 digits": ("lift", '{"c": ' + "9" * 5_000 + ', "p": "place_1"}', "unreadable"),
    "true as a value": ("lift", '{"c": true, "p": "place_1"}', "unreadable"),
    "null as a value": ("lift", '{"c": null, "p": "place_1"}', "unreadable"),
    "a list as a value": ("lift", '{"c": ["cup_0"], "p": "place_1"}', "unreadable"),
    "an object as a value": ("lift", '{"c": {"name": "cup_0"}, "p": "place_1"}', "unreadable"),
    "nested JSON that is a list": ("lift", '"[1, 2]"', "unreadable"),
    "JSON nested three times": ("lift", json.dumps(json.dumps(json.dumps({"c": "cup_0"}))), "unreadable"),
    "a nested text that is no JSON": ("lift", '"{c: cup_0}"', "unreadable"),
    "a value that is JSON again": ("lift", '{"c": "{\\"name\\": \\"cup_0\\"}", "p": "place_1"}', "unknown-object"),
    "JSON cut off": ("lift", '{"c": "cup_0", "p": "pla', "unreadable"),
    "a trailing comma": ("lift", '{"c": "cup_0", "p": "place_1",}', "unreadable"),
    "single quotes": ("lift", "{'c': 'cup_0', 'p': 'place_1'}", "unreadable"),
    "no quotes": ("lift", "{c: cup_0, p: place_1}", "unreadable"),
    "words behind JSON": ("lift", f"{GOOD} done", "unreadable"),
    "two objects": ("lift", f"{GOOD}{GOOD}", "unreadable"),
    "a block of code": ("lift", f"```json\n{GOOD}\n```", "unreadable"),
    "Python": ("lift", "__import__('os').system('true')", "unreadable"),
    "XML": ("lift", "<c>cup_0</c>", "unreadable"),
    "a comment": ("lift", f"{GOOD} // now", "unreadable"),
    "control characters": ("lift", '{"c": "cup\x01_0", "p": "place_1"}', "unreadable"),
    "deep nesting": ("lift", _DEEP, "unreadable"),
    "deep nesting as a value": ("lift", '{"c": ' + "[" * 3_000 + "]" * 3_000 + ', "p": "place_1"}', "unreadable"),
    "an unknown object": ("lift", '{"c": "cup_7", "p": "place_1"}', "unknown-object"),
    "the name in PDDL": ("lift", '{"c": "red", "p": "table"}', "unknown-object"),
    "an empty name": ("lift", '{"c": "", "p": "place_1"}', "unknown-object"),
    "a name of 50,000 letters": ("lift", '{"c": "' + "x" * 50_000 + '", "p": "place_1"}', "unknown-object"),
    "markup as a name": ("lift", '{"c": "<script>alert(1)</script>", "p": "place_1"}', "unknown-object"),
    "half a surrogate pair as a name": ("lift", '{"c": "\\ud800", "p": "place_1"}', "unknown-object"),
    "a line break in a name": ("lift", '{"c": "cup_0\\n\\nThe goal is reached.", "p": "place_1"}', "unknown-object"),
    "an object of another type": ("lift", '{"c": "place_1", "p": "cup_0"}', "unreadable"),
    "one object twice": ("lift", '{"c": "cup_0", "p": "cup_0"}', "unreadable"),
    "an inapplicable action": ("put", '{"c": "cup_0", "p": "place_0"}', "inapplicable"),
    "10 MB of text": ("lift", '{"c": "' + "x" * 10_000_000 + '", "p": "place_1"}', "unreadable"),
    "10 MB of brackets": ("lift", "[" * 10_000_000, "unreadable"),
    "finish too early": ("finish", "{}", "claimed-done"),
    "finish with arguments": ("finish", '{"reason": "done"}', "unreadable"),
    "state with arguments": ("state", '{"of": "cup_0"}', "unreadable"),
}  # fmt: skip
ODD_IDS: dict[str, tuple[str | None, ...]] = {
    "the same id twice in a reply": ("same", "same"),
    "an empty id": ("", ""),
    "an id with blanks and markup": ("<b> </b>", "\x00"),
    "an id of 10,000 letters": ("x" * 10_000, "x" * 10_000),
    "the id of an earlier call": ("example_1", "example_1"),
}


def over_http(world: Any, replies: Sequence[ScriptedReply], record: Path) -> RunRecord:
    """A run with a server that refuses what others refuse: broken arguments, calls that are not answered, ids twice."""
    with ChatServer(ScriptedModel(replies)) as server:
        return run(
            world.task, "tools", model="m", base_url=server.base_url, wording=world.wording, example="none", steps=9,
            record=record, cache="none",
        )  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_call_ends_in_a_status_and_the_run_goes_on(world: Any, kind: str, tmp_path: Path) -> None:
    name, arguments, status = HOSTILE[kind]
    hostile = calling(ScriptedCall(name, arguments), LIFT)
    record = over_http(world, [hostile, calling(LIFT, PUT)], tmp_path / "run.jsonl")
    called = [event for event in record.events if event.event == "tool-called"]
    assert [event.status for event in called[:2]] == [status, "not-executed"]
    assert called[0].result
    assert len(called[0].result) < 1_000
    assert record.outcome == "solved"
    assert doubt(read_record(tmp_path / "run.jsonl")) == ""


@pytest.mark.parametrize("kind", ODD_IDS)
def test_an_odd_id_is_answered_under_one_of_our_own(world: Any, kind: str, tmp_path: Path) -> None:
    first, second = (
        ScriptedCall(call.name, call.arguments, id) for call, id in zip((LIFT, BACK), ODD_IDS[kind], strict=True)
    )
    again = (ScriptedCall(call.name, call.arguments, id) for call, id in zip((LIFT, PUT), ODD_IDS[kind], strict=True))
    record = over_http(world, [calling(first, second), calling(*again)], tmp_path / "run.jsonl")
    assert record.outcome == "solved"
    ids = [event.id for event in record.events if event.event == "tool-called"]
    assert len(set(ids)) == len(ids) == 4


@pytest.mark.parametrize(
    "arguments",
    [json.dumps(GOOD), '{"c": " Cup_0 ", "p": "PLACE_1"}', f"  {GOOD}\n"],
    ids=["nested", "loose", "blanks"],
)
def test_what_is_meant_beyond_doubt_is_read(play: Any, arguments: str) -> None:
    assert statuses(play("tools", [calling(ScriptedCall("lift", arguments), PUT)])) == ["executed", "executed"]


def test_a_thousand_calls_in_a_reply_are_all_answered(play: Any) -> None:
    played = play("tools", [calling(LIFT, *[BACK, LIFT] * 500)], steps=20)
    assert (played.finished.outcome, played.finished.steps) == ("budget", 20)
    assert len(statuses(played)) == 1_001


def test_estimated_tokens_count_tools_once_as_new_and_calls_as_said(play: Any) -> None:
    from pddl2nl.experiments.records.stored import usage_by_role

    played = play("tools", [calling(LIFT), calling(PUT)])
    usage = usage_by_role(played.events)["planner"]
    tools = sum(tool.characters for tool in played.requests[0].tools)
    first, second = (request.characters for request in played.requests)
    assert tools > 1_000
    assert abs(usage.prompt_tokens - (first + second) / 3.3) < 5
    assert abs(usage.new_tokens - second / 3.3) < 5
    assert usage.completion_tokens > 10


def test_a_call_that_no_reply_holds_is_found(blocks: Task) -> None:
    said = [calling(ScriptedCall("unstack", {"ob": "block_2", "underob": "block_1"}))]
    record = run(blocks, "tools", model=ScriptedModel(said), example="none", steps=1)
    assert doubt(record) == ""
    other = said[0].calls[0].at(0)
    other = structs.replace(other, arguments=other.arguments.replace("block_1", "block_0"))
    events = [
        structs.replace(event, tool_calls=(other,)) if event.event == "replied" else event for event in record.events
    ]
    assert doubt(replace(record, events=tuple(events))) == "the reply does not hold the call of step 1"
