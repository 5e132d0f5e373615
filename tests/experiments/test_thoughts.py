"""Thoughts by a model: the prompt and its hand-written example, what is read out of a reply, and what stands in."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InfrastructureError, InputError
from pddl2nl.experiments import RunRecord, RunSpec, run, run_spec
from pddl2nl.experiments.example import (
    THOUGHTS_PROMPTS,
    THOUGHTS_TOKENS,
    SolvedProblem,
    placeholder,
    read_thoughts,
    tell_example,
    think,
    trajectory,
)
from pddl2nl.experiments.models import Access
from pddl2nl.llm import EndpointError, Message, ReplyPendingError, Request
from pddl2nl.llm.scripted import ScriptedReply
from pddl2nl.nl import Teller, choose_wording, make_names, markers, template_wording
from pddl2nl.pddl import Task, parse_problem, parse_task
from pddl2nl.policies import Policy
from pddl2nl.policies.events import Prompted
from pddl2nl.policies.prompting import problem_text
from pddl2nl.policies.setting import Example, ExampleStep
from pddl2nl.reports.gathering import gather
from pddl2nl.tasks import shipped_domain
from pddlval import GroundAction, Simulator, State
from tests.answering import Answering, scripted

GOLDEN = Path(__file__).parent / "golden"
LOGISTICS = """
; Logistics: 2 cities, 3 locations, 1 airplane, 2 packages. Its plan, told, is the example in the prompt.
(define (problem logistics-thoughts)
  (:domain logistics-strips)
  (:objects p0 p1 t0 t1 a0 l0-0 l0-1 l1-0 c0 c1)
  (:init
    (obj p0) (obj p1)
    (truck t0) (truck t1)
    (airplane a0)
    (city c0) (city c1)
    (location l0-0) (location l0-1) (location l1-0)
    (airport l0-0) (airport l1-0)
    (in-city l0-0 c0) (in-city l0-1 c0)
    (in-city l1-0 c1)
    (at t0 l0-0) (at t1 l1-0)
    (at a0 l0-0)
    (at p0 l0-1) (at p1 l0-0))
  (:goal (and (at p0 l1-0) (at p1 l0-1))))
"""
LOGISTICS_PLAN = (
    "(load-truck p1 t0 l0-0)",
    "(drive-truck t0 l0-0 l0-1 c0)",
    "(unload-truck p1 t0 l0-1)",
    "(load-truck p0 t0 l0-1)",
    "(drive-truck t0 l0-1 l0-0 c0)",
    "(unload-truck p0 t0 l0-0)",
    "(load-airplane p0 a0 l0-0)",
    "(fly-airplane a0 l0-0 l1-0)",
    "(unload-airplane p0 a0 l1-0)",
)
THOUGHTS = ("cup_0 is in the sink and must leave it.", "I hold cup_0; at the door my goal is reached.")
ANSWER = "\n".join(f"[THOUGHT {number}] {text}" for number, text in enumerate(THOUGHTS, 1))
TEMPLATE = (
    "In order to apply the action 'put' to cup cup_0 and place place_1 I need that cup_0 is 'held'.",
    "My goal asks that cup_0 and place_1 are in relation 'at'. I can bring this about now.",
)


def asked(model: Answering, purpose: str) -> list[Request]:
    return [request for request in model.requests if request.purpose == purpose]


@pytest.fixture(scope="module")
def task(cups: Any) -> Task:
    return parse_task(cups.domain, cups.problem)


@pytest.fixture(scope="module")
def solved(task: Task, cups: Any) -> SolvedProblem:
    plan = (GroundAction("lift", ("green", "sink")), GroundAction("put", ("green", "door")))
    return SolvedProblem(Task(task.domain, parse_problem(cups.shown, task.domain)), plan, "file")


@pytest.fixture(scope="module")
def teller(solved: SolvedProblem) -> Teller:
    return Teller(solved.task, template_wording(solved.task.domain), make_names(solved.task))


@pytest.fixture(scope="module")
def example(solved: SolvedProblem, teller: Teller) -> Example:
    return tell_example(solved, teller, thoughts=True)


def _texts(example: Example) -> tuple[str, ...]:
    return tuple(step.thought for step in example.steps)


def _long(number: int) -> Example:
    steps = tuple(ExampleStep(f"do {place}", f"I do {place}.") for place in range(1, number + 1))
    return Example("My goal.", "The objects.", "Currently.", steps)


# ── the hand-written example ─────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def logistics() -> SolvedProblem:
    domain = shipped_domain("logistics").domain
    plan = tuple(GroundAction.parse(action) for action in LOGISTICS_PLAN)
    return SolvedProblem(Task(domain, parse_problem(LOGISTICS, domain)), plan, "file")


def _logistics_states(logistics: SolvedProblem) -> list[State]:
    simulator = Simulator(logistics.task)
    states = simulator.follow(simulator.initial, logistics.plan).states
    assert simulator.is_goal(states[-1])
    return [*states]


def test_the_logistics_example_is_what_our_teller_and_simulator_say(logistics: SolvedProblem) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; the thoughts must then be looked through by hand."""
    task = logistics.task
    wording = choose_wording(None, task.domain)
    teller = Teller(task, wording, make_names(task, "inferred", wording))
    told = tell_example(logistics, teller, thoughts=False)
    text = Policy.prompts.fill(
        "thoughts_target.txt", domain=teller.domain_text(), problem=problem_text(told), steps=trajectory(told)
    )
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        from importlib import resources

        path = Path(str(resources.files("pddl2nl.policies"))) / "prompts" / "thoughts_example.txt"
        path.write_text(text + "\n", encoding="utf-8")
        return
    assert text == Policy.prompts.text("thoughts_example.txt")


def test_what_the_hand_written_thoughts_claim_is_true_when_they_are_thought(logistics: SolvedProblem) -> None:
    task = logistics.task
    wording = choose_wording(None, task.domain)
    own = {told: name for name, told in make_names(task, "inferred", wording).to_nl.items()}
    read = read_thoughts(Policy.prompts.text("thoughts_answer.txt"), _long(len(LOGISTICS_PLAN)))
    assert read.faults == ()
    # Objects of the task and no others, and none by the name of a file.
    said = set(re.findall(r"\b\w+_\d+\b", " ".join(read.texts)))
    assert said <= set(own)
    assert {"obj_0", "obj_1", "truck_0", "truck_1", "airplane_0"} <= said
    claims = 0
    for text, state in zip(read.texts, _logistics_states(logistics)[:-1], strict=True):
        for one, how, other in re.findall(r"(\w+_\d) is (?:already )?(at|inside) (\w+_\d)", text):
            claims += 1
            assert (("at" if how == "at" else "in"), own[one], own[other]) in state, (text, one, how, other)
    assert claims >= len(LOGISTICS_PLAN)
    # Varied: no two begin alike.
    assert len({text.split(".")[0] for text in read.texts}) == len(read.texts)
    assert len({" ".join(text.split()[:3]) for text in read.texts}) == len(read.texts)


# ── the conversation ─────────────────────────────────────────────────────────────────────────────


def test_the_conversation_reads_as_the_golden_file(example: Example, teller: Teller) -> None:
    """Written anew with PDDL2NL_GOLDEN=write; read the difference before it is kept."""
    model = scripted("[THOUGHT 1] It must leave the sink.\n[THOUGHT 3] Action: put it down", ANSWER)
    think(example, teller.domain_text(), model)
    messages = [*model.requests[-1].messages, Message("assistant", ANSWER)]
    # The example in the middle stands in files of its own.
    shown = [message for index, message in enumerate(messages) if index not in (1, 2)]
    text = "".join(f"────── {message.role}\n{message.content}\n" for message in shown)
    path = GOLDEN / "thoughts.txt"
    if os.environ.get("PDDL2NL_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_request_is_the_papers(example: Example, teller: Teller) -> None:
    model = scripted(ANSWER)
    think(example, teller.domain_text(), model, seed=4, temperature=0.5)
    (request,) = model.requests
    assert (request.purpose, request.seed, request.temperature) == ("thoughts", 4, 0.5)
    assert request.max_tokens == THOUGHTS_TOKENS == 2000


def test_thoughts_take_the_place_of_the_templates_and_nothing_else_changes(example: Example, teller: Teller) -> None:
    thought = think(example, teller.domain_text(), scripted(ANSWER))
    assert _texts(thought) == THOUGHTS
    assert (thought.thoughts, thought.thoughts_note) == ("llm", "")
    same = tuple(replace(step, thought=old.thought) for step, old in zip(thought.steps, example.steps, strict=True))
    assert replace(thought, steps=same, thoughts="template") == example
    data = thought.to_json()
    assert (data["thoughts"], data["thought_texts"], data["thoughts_note"]) == ("llm", list(THOUGHTS), "")


# ── what is read out of a reply ──────────────────────────────────────────────────────────────────

A, B = THOUGHTS
WRAPPED = [
    ANSWER,
    f"Here are the thoughts:\n\n{ANSWER}\n\nLet me know if you need anything else.",
    ANSWER.replace("\n", "\r\n\r\n"),
    f"[THOUGHT 1]\n\n{A}\n\n[THOUGHT 2]\n\n{B}\n",
    f"**[THOUGHT 1]** {A}\n\n**[THOUGHT 2]** {B}",
    f"- [THOUGHT 1]: {A}\n- [THOUGHT 2]: {B}",
    f"1. [THOUGHT 1] {A}\n2. [THOUGHT 2] {B}",
    f"```\n{ANSWER}\n```",
    f"[thought 1] {A}\n[Thought 2] {B}",
    f"[THOUGHT 1] {A} [THOUGHT 2] {B}",
    f"[THOUGHT 1] Thought: {A}\n[THOUGHT 2] thought: {B}",
    f"Thought: [THOUGHT 1] {A}\nThought: [THOUGHT 2] {B}",
    f"1. {A}\n2. {B}",
    f"(1) {A}\n(2) {B}",
    f"**1.** {A}\n**2.** {B}",
    f"Thought 1: {A}\nThought 2: {B}",
    f"### Thought 1\n{A}\n\n### Thought 2\n{B}",
    ANSWER.replace(" and ", "\nand "),
    f"I fill [THOUGHT 1] to [THOUGHT 2]:\n{ANSWER}",
    f"<think>[THOUGHT 1] no, wait. Action: x</think>\n{ANSWER}",
    f"```\n{ANSWER}\n```\nLet me know if you need anything else.",
]


@pytest.mark.parametrize("reply", WRAPPED)
def test_what_is_wrapped_around_thoughts_is_taken_off(reply: str, example: Example) -> None:
    assert read_thoughts(reply, example).texts == THOUGHTS


def test_the_trajectory_filled_in_is_read_as_well(example: Example) -> None:
    filled = trajectory(example).replace(placeholder(1), A).replace(placeholder(2), B)
    tagged = trajectory(example).replace(placeholder(1), f"[THOUGHT 1] {A}").replace(placeholder(2), f"[THOUGHT 2] {B}")
    for reply in (tagged, f"**Step 1**\n{filled}".replace("\n\n", "\n\n**Step 2**\n")):
        assert read_thoughts(reply, example).texts == THOUGHTS
    # The model's own capitals and full stops.
    steps = [f"Action: {step.action.capitalize()}.\nObservation: {step.observation}." for step in example.steps]
    assert read_thoughts(f"[THOUGHT 1] {A}\n{steps[0]}\n[THOUGHT 2] {B}\n{steps[1]}", example).texts == THOUGHTS


UNUSABLE = {
    "": "The thought for [THOUGHT 1] and [THOUGHT 2] is missing.",
    "I cannot do this.": "The thought for [THOUGHT 1] and [THOUGHT 2] is missing.",
    f"[THOUGHT 1] {A}": "The thought for [THOUGHT 2] is missing.",
    f"{ANSWER}\n[THOUGHT 3] And more.": "There is no placeholder [THOUGHT 3].",
    f"[THOUGHT 1] {A}\n[THOUGHT 1] {B}": "The thought for [THOUGHT 2] is missing.",
    f"[THOUGHT 2] {B}\n[THOUGHT 1] {A}": "not in the order",
    f"[THOUGHT 1]\n[THOUGHT 2] {B}": "The thought for [THOUGHT 1] is empty.",
    f"[THOUGHT 1] …\n[THOUGHT 2] {B}": "The thought for [THOUGHT 1] is empty.",
    f"[THOUGHT 1] {A}\nAction: smash cup_0\n[THOUGHT 2] {B}": '[THOUGHT 1] holds "Action:"',
    f"[THOUGHT 1] {A} **action:** go\n[THOUGHT 2] {B}": '[THOUGHT 1] holds "Action:"',
    f"[THOUGHT 1] {A} Then I have a Thought: {B}\n[THOUGHT 2] {B}": '[THOUGHT 1] holds "Thought:"',
    f"[THOUGHT 1] {A}\n[THOUGHT 2] {B} [PLAN END]": '[THOUGHT 2] holds "[PLAN END]"',
    f"[THOUGHT 1] [PLAN] {A}\n[THOUGHT 2] {B}": '[THOUGHT 1] holds "[PLAN]"',
    f"[THOUGHT 1] {A}\nObservation: I smash it.\n[THOUGHT 2] {B}": '[THOUGHT 1] holds "Observation:"',
}


@pytest.mark.parametrize(("reply", "fault"), UNUSABLE.items())
def test_what_cannot_be_used_is_named(reply: str, fault: str, example: Example) -> None:
    read = read_thoughts(reply, example)
    assert read.texts == ()
    assert fault in " ".join(read.faults)


def test_the_words_finished_and_look_around_are_none_of_the_tags(example: Example) -> None:
    texts = ("I have finished nothing yet, let me look around.", "Almost finished.")
    reply = "\n".join(f"[THOUGHT {number}] {text}" for number, text in enumerate(texts, 1))
    assert read_thoughts(reply, example).texts == texts


def test_many_thoughts_and_a_single_one() -> None:
    texts = tuple(f"There are {number} steps behind me." for number in range(12))
    reply = "\n".join(f"[THOUGHT {number}] {text}" for number, text in enumerate(texts, 1))
    assert read_thoughts(reply, _long(12)).texts == texts
    assert read_thoughts("[THOUGHT 1] Only this.", _long(1)).texts == ("Only this.",)
    assert read_thoughts("Only this.", _long(1)).faults == ("The thought for [THOUGHT 1] is missing.",)


@pytest.mark.parametrize("junk", ["*", "[THOUGHT ", "1.", "\n", "Thought: ", "\ud800"])
def test_junk_is_refused_at_once(junk: str, example: Example) -> None:
    read = read_thoughts(junk * 20_000, example)
    assert read.faults
    assert len(read_thoughts(f"{ANSWER}\n\n{junk[0] * 20_000}", example).texts) == 2


# ── what stands in ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("no thoughts", "is missing"),
        (ScriptedReply(ANSWER, finish="length"), "cut off after 2000 tokens"),
        (ScriptedReply(ANSWER, finish="refused"), "refused"),
        (ScriptedReply(ANSWER, finish="filtered"), "filter"),
        (ScriptedReply("", finish="empty"), "empty"),
    ],
)
def test_after_two_failures_the_template_stands_in_and_says_why(
    reply: str | ScriptedReply, why: str, example: Example, teller: Teller
) -> None:
    model = scripted(reply, reply, ANSWER)
    kept = think(example, teller.domain_text(), model)
    assert len(model.requests) == 2
    assert all(message.content.strip() for message in model.requests[-1].messages)
    assert kept.steps == example.steps
    assert kept.thoughts == "template"
    assert why in kept.thoughts_note
    again = scripted(reply, ANSWER)
    assert _texts(think(example, teller.domain_text(), again)) == THOUGHTS


@pytest.mark.parametrize("error", [EndpointError("down"), InfrastructureError("down"), ReplyPendingError("later")])
def test_what_is_no_reply_is_no_failed_try(error: Exception, example: Example, teller: Teller) -> None:
    model = Answering(error)
    with pytest.raises(type(error)):
        think(example, teller.domain_text(), model)
    assert len(model.requests) == 1


def test_an_example_without_a_step_asks_nothing(example: Example, teller: Teller) -> None:
    bare = replace(example, steps=())
    assert think(bare, teller.domain_text(), Answering(EndpointError("down"))) == bare


# ── in a run ─────────────────────────────────────────────────────────────────────────────────────

REPLIES = {"cot": "[PLAN]\nThought: x\nAction: (lift red table)\n[PLAN END]", "react": "Thought: x\nAction: nonsense"}


def _run(task: Task, solved: SolvedProblem, policy: str, model: Any, **options: Any) -> RunRecord:
    return run_spec(RunSpec.of(task, policy, model=model, example=solved, steps=1, **options))


def _purposes(result: RunRecord) -> list[str]:
    return [event.purpose for event in result.events if isinstance(event, Prompted)]


def test_cot_and_react_ask_the_same_and_show_the_same_thoughts(task: Task, solved: SolvedProblem) -> None:
    thinking, shown = [], []
    for policy, reply in REPLIES.items():
        model = scripted(ANSWER, reply, base_url="http://127.0.0.1:1/v1")
        result = _run(task, solved, policy, model)
        started = result.started
        assert (started.example["thoughts"], started.example["thought_texts"]) == ("llm", list(THOUGHTS))
        assert {name: started.prompts[name] for name in THOUGHTS_PROMPTS} == {
            name: Policy.prompts.hash(name) for name in THOUGHTS_PROMPTS
        }
        assert _purposes(result)[:2] == ["thoughts", "planner"]
        assert result.accounts["thoughts"]["calls"] == 1
        thinking.append(asked(model, "thoughts"))
        shown.append("\n".join(message.content for message in asked(model, "planner")[0].messages))
    assert thinking[0] == thinking[1]
    cot, react = shown
    for text in THOUGHTS:
        assert f"{markers.THOUGHT} {text}\n{markers.ACTION} " in cot
        assert f"{markers.THOUGHT} {text}\n{markers.ACTION} " in react
    observation = "I apply the action 'lift' to cup cup_0 and place place_0."
    assert (observation in cot, observation in react) == (False, True)


def test_a_script_and_the_word_template_leave_the_template(task: Task, solved: SolvedProblem) -> None:
    endpoint = "http://127.0.0.1:1/v1"
    for model, options in (
        (scripted(REPLIES["react"]), {}),
        (scripted(REPLIES["react"], base_url=endpoint), {"thoughts": "template"}),
    ):
        started = _run(task, solved, "react", model, **options).started
        assert (started.example["thoughts"], started.example["thoughts_note"]) == ("template", "")
        assert tuple(started.example["thought_texts"]) == TEMPLATE
        assert "thoughts.txt" not in started.prompts
        assert asked(model, "thoughts") == []


@pytest.mark.parametrize("policy", ["basic", "act"])
def test_a_mechanism_without_thoughts_asks_for_none(policy: str, task: Task, solved: SolvedProblem) -> None:
    model = scripted("nothing", base_url="http://127.0.0.1:1/v1")
    started = _run(task, solved, policy, model).started
    assert (started.example["thoughts"], started.example["thought_texts"]) == ("none", [])
    assert asked(model, "thoughts") == []


def test_the_word_llm_and_a_model_of_its_own_are_asked(task: Task, solved: SolvedProblem) -> None:
    model = scripted(ANSWER, REPLIES["react"])
    result = _run(task, solved, "react", model, thoughts="llm")
    assert tuple(result.started.example["thought_texts"]) == THOUGHTS
    assert len(asked(model, "thoughts")) == 1
    model, other = scripted(REPLIES["react"]), scripted(ANSWER)
    result = _run(task, solved, "react", model, models={"thoughts": other})
    assert tuple(result.started.example["thought_texts"]) == THOUGHTS
    assert (len(asked(model, "thoughts")), len(asked(other, "thoughts"))) == (0, 1)


@pytest.mark.usefixtures("needs_planner")
def test_the_oracle_is_never_asked_for_thoughts(task: Task, solved: SolvedProblem) -> None:
    assert _run(task, solved, "cot", "oracle").started.example["thoughts"] == "template"
    with pytest.raises(InputError, match="--model-for thoughts=M"):
        _run(task, solved, "cot", "oracle", thoughts="llm")
    with pytest.raises(InputError, match="--model-for thoughts=M"):
        _run(task, solved, "cot", scripted("x"), models={"thoughts": "oracle"})


def test_nothing_is_paid_for_a_run_that_cannot_be_played(task: Task, solved: SolvedProblem, tmp_path: Path) -> None:
    broken, other = Answering(EndpointError("HTTP 503")), scripted(ANSWER)
    result = _run(task, solved, "react", broken, wording="llm", models={"thoughts": other})
    assert (result.outcome, len(broken.requests), other.requests) == ("infrastructure-error", 1, [])
    with pytest.raises(InputError, match="nowhere"):
        run(
            task, "react", broken, wording="llm", models={"thoughts": other}, steps=1, example=tmp_path / "nowhere.pddl"
        )
    assert (len(broken.requests), other.requests) == (1, [])


def test_a_replay_has_the_thoughts_that_were_recorded(task: Task, solved: SolvedProblem, tmp_path: Path) -> None:
    for folder, replies in (("good", [ANSWER]), ("retried", ["no", ANSWER]), ("bad", ["no", "none"])):
        model = scripted(*replies, REPLIES["react"], base_url="http://127.0.0.1:1/v1")
        first = _run(task, solved, "react", model, record=tmp_path / folder / "run.jsonl")
        again = _run(task, solved, "react", f"replay:{tmp_path / folder}")
        assert again.started.example == first.started.example
        assert _purposes(again) == _purposes(first)
        assert first.started.example["thoughts"] == ("template" if folder == "bad" else "llm")
    warned: list[str] = []
    model = scripted("no", "none", REPLIES["react"], base_url="http://127.0.0.1:1/v1")
    spec = RunSpec.of(task, "react", model=model, example=solved, steps=1)
    run_spec(spec, Access(warn=warned.append))
    assert warned[0].startswith("the example's thoughts are the template's: no thoughts of the model's could be used.")
    record = json.loads((tmp_path / "bad" / "run.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert "is missing" in record["example"]["thoughts_note"]
    alarms = "\n".join(gather(tmp_path / "bad").alarms)
    assert re.search("Thoughts of the template instead of a model's: 1 run is in the tables\n  .*is missing", alarms)
    assert gather(tmp_path / "good").alarms == ()
    script = scripted(REPLIES["react"])
    _run(task, solved, "react", script, record=tmp_path / "script" / "run.jsonl")
    again = _run(task, solved, "react", f"replay:{tmp_path / 'script'}")
    assert again.started.example["thoughts"] == "template"
