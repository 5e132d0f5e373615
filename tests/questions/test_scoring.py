"""Answers to questions: what was recorded as right is read and right, in words and in PDDL, and by the oracle."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from pddl2nl.errors import InputError
from pddl2nl.nl import Teller
from pddl2nl.nl.telling.teller import Style
from pddl2nl.questions.acpbench import read_questions
from pddl2nl.questions.answers import AnswerReader, ReadAnswer
from pddl2nl.questions.making import TOPICS
from pddl2nl.questions.oracle import oracle_reply
from pddl2nl.questions.question import Form, Question
from pddl2nl.questions.scoring import score_replies
from tests.cli.one_command import run_command
from tests.questions.asked import ISLANDS, TWO_AND_ONE, questions, task_of, words
from tests.questions.test_deciding import ASKED


@pytest.mark.parametrize("kind", TOPICS)
def test_nonsense_is_not_read(kind: str) -> None:
    for form in TOPICS[kind].forms:
        asked = questions(kind, form)[:2]
        replies = {question.id: "Well, that depends." for question in asked}
        assert {item.verdict for item in score_replies(asked, replies, words)} == {"unreadable"}


def answer(question: Question, reply: str) -> ReadAnswer:
    task = task_of(question)
    return AnswerReader(task, *words(task)).answer(question, reply)


def asked(kind: str, form: Form, recorded: object, **more: object) -> Question:
    """A question about the ferry at l, whose car c must come from k to l."""
    fields = {"id": "1", "domain": "ferry", "problem": "two", "context": "", "question": "", **more}
    pddl = {"PDDL_domain": ISLANDS, "PDDL_problem": TWO_AND_ONE}
    return msgspec.convert({"kind": kind, "form": form, "answer": recorded, **fields, **pddl}, Question)


@pytest.mark.parametrize(
    ("reply", "status", "value"),
    [
        ("yes", "read", "yes"),
        ("No, because the ferry is elsewhere, yes it is.", "read", "no"),
        ("One might think so: no.\n\n**Final answer:** Yes", "read", "yes"),
        ("It is hard to say.", "unreadable", None),
    ],
)
def test_yes_and_no(reply: str, status: str, value: str | None) -> None:
    read = answer(asked("applicability", "bool", "yes"), reply)
    assert (read.status, read.value) == (status, value)
    assert read.right is (None if value is None else value == "yes")


@pytest.mark.parametrize(
    ("reply", "status", "value"),
    [
        ("B", "read", "B"),
        ("(C).", "read", "C"),
        ("B. sail from k to l", "read", "B"),
        ("I choose option D, since A is wrong.", "read", "D"),
        ("Only board c works here.", "read", "A"),
        ("A dog or a cat.", "unreadable", None),
        ("board c, or else sail k l", "ambiguous", None),
    ],
)
def test_letters(reply: str, status: str, value: str | None) -> None:
    question = asked("applicability", "choice", "B", choices=["board c", "sail k l", "debark c", "sail l m"])
    read = answer(question, reply)
    assert (read.status, read.value) == (status, value)


@pytest.mark.parametrize(
    ("kind", "recorded", "reply", "verdict"),
    [
        ("applicability", ["(sail l k)"], "(sail l k)\n(sail k l)", False),
        ("applicability", ["(sail l k)"], "(sail l k)\n(board c m)", False),
        ("progression", {"pos": ["(ferry k)"], "neg": ["(ferry l)"]}, "[(ferry k)] [(ferry l)]", True),
        ("progression", {"pos": ["(ferry k)"], "neg": ["(ferry l)"]}, "[(ferry k)] []", False),
        # Not recorded, but decided: no link leads to m.
        ("reachability", ["(ferry m)"], "(at c m)", True),
        ("reachability", ["(ferry m)"], "(at c l)", False),
        ("reachability", ["(ferry m)"], "None", False),
        ("action-reachability", ["(sail k m)"], "(board d m)", True),
        ("action-reachability", ["(sail k m)"], "(board d l)", False),
        ("validation", 3, "The index is 3.", True),
        ("validation", 3, "4", False),
        # Not recorded as a landmark, but decided to be one.
        ("landmarks", {"yes": [], "no": []}, "(on c)", True),
        ("landmarks", {"yes": ["(on c)"], "no": []}, "(at c l)", False),
        ("next-action", {"yes": [], "no": [], "maybe": ["(sail l k)"], "opt": "4"}, "(sail l k)", True),
        ("next-action", {"yes": ["(sail l k)"], "no": [], "maybe": [], "opt": "4"}, "(sail k l)", False),
        ("verification", {"unmet": []}, "The plan is valid.", True),
        ("verification", {"unmet": []}, "(at c k)", False),
        ("verification", {"unmet": ["(at c k)", "(empty)"]}, "(empty)", True),
        ("verification", {"unmet": ["(at c k)", "(empty)"]}, "(on c)", False),
        ("verification", {"unmet": ["(at c k)"]}, "valid", False),
        # Static facts may be named; false ones may not.
        ("execution", ["(at c k)", "(empty)"], "(empty)\n(at c k)\n(link k l)", True),
        ("execution", ["(at c k)", "(empty)"], "(empty)\n(at c k)\n(link k m)", False),
    ],
)
def test_open_answers_are_scored_as_defined(kind: str, recorded: object, reply: str, verdict: bool) -> None:
    read = answer(asked(kind, "open", recorded), reply)
    assert (read.status, read.right) == ("read", verdict)


FETCHED = "(sail l k)\n(board c k)\n(sail k l)\n(debark c l)"
"""The shortest plan."""


@pytest.mark.parametrize(
    ("kind", "recorded", "reply", "fault", "text"),
    [
        ("applicability", ["(sail l k)"], "(sail l k)\n(board c l)", "wrong", "(board c l) is not applicable"),
        ("applicability", ["(sail l k)", "(sail l l)"], "(sail l k)", "incomplete", "(sail l l) is missing"),
        ("applicability", ["(sail l k)"], "Dive!", "unreadable", "Dive!"),
        ("validation", 3, "4", "wrong", "4, and 3 is right"),
        ("replanning", {}, FETCHED, "", ""),
        ("replanning", {}, "(sail l k)\n(board c l)", "inapplicable", "(board c l): (at c l) (ferry l)"),
        ("replanning", {}, "(sail l k)", "goal-missed", "(at c l)"),
        ("optimal-plan", {"cost": "4"}, FETCHED, "", ""),
        ("optimal-plan", {"cost": "4"}, f"{FETCHED}\n(sail l k)", "too-costly", "costs 5, and 4 is enough"),
        ("goal-shuffling", {}, f"{FETCHED}\n(sail l k)", "", ""),
    ],
)
def test_the_first_broken_link(kind: str, recorded: object, reply: str, fault: str, text: str) -> None:
    read = answer(asked(kind, "open", recorded), reply)
    assert (read.fault, read.text) == (fault, text)


def test_a_shorter_plan_keeps_the_order() -> None:
    plan = ["(sail l k)", "(sail k l)", "(sail l k)", "(board c k)", "(sail k l)", "(debark c l)"]
    question = asked("justification", "open", [], certificate={"plan": plan})
    assert answer(question, "\n".join(plan[2:])).right is True
    assert answer(question, "\n".join(plan)).right is False
    assert answer(question, "\n".join(plan[3:])).right is False
    assert answer(question, "\n".join([*plan[2:], "(sail l k)"])).right is False


def test_unknown_objects_have_their_status() -> None:
    assert answer(asked("reachability", "open", ["(ferry m)"]), "(ferry z)").status == "unknown-object"
    assert answer(asked("reachability", "open", ["(ferry m)"]), "(swims c)").status == "unreadable"


@pytest.mark.parametrize("kind", ["applicability", "progression", "validation"])
def test_recorded_answers_of_acpbench_are_right(shared: Path, kind: str) -> None:
    every = [item for item in read_questions(shared / "acpbench") if (item.kind, item.form) == (kind, "open")]
    asked, replies = every[::4], {}
    for question in asked:
        task = task_of(question)
        replies[question.id] = oracle_reply(question, Teller(task, *words(task, "original"), "pddl"))
    scored = score_replies(asked, replies, lambda task: words(task, "original"))
    assert [item.verdict for item in scored] == ["right"] * 10


def test_the_command_counts_what_is_not_read_apart(tmp_path: Path) -> None:
    asked = questions("applicability", "bool", 6)
    (tmp_path / "questions.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, asked)))
    wrong = "no" if asked[3].answer == "yes" else "yes"
    texts = [*(question.answer for question in asked[:3]), wrong, "?"]
    lines = [json.dumps({"id": question.id, "reply": text}) for question, text in zip(asked, texts, strict=False)]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines))
    files = (tmp_path / "questions.jsonl", tmp_path / "replies.jsonl")
    code, out, _ = run_command("questions", "score", *files, "--json")
    group = json.loads(out)["groups"][0]
    assert code == 0
    assert group["counts"] == {"no reply": 1, "right": 3, "unreadable": 1, "wrong": 1}
    # Wilson's interval of 3 of 4.
    assert group["interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)
    _, out, _ = run_command("questions", "score", *files)
    assert "75% (30% to 95%)" in out


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text('{"id": 3}\n')
    code, _, err = run_command("questions", "score", tmp_path / "questions.jsonl", tmp_path / "none")
    assert code == 2
    assert "questions.jsonl:1: not a question" in err


def test_open_questions_without_pddl_are_refused() -> None:
    question = msgspec.structs.replace(asked("validation", "open", 3), PDDL_domain="")
    with pytest.raises(InputError, match="question 1: open answers are read and scored by its PDDL"):
        [*score_replies([question], {"1": "3"}, words)]


# ── the oracle ────────────────────────────────────────────────────────────────────────────────────


def verdicts(kind: str, form: Form, mistake: str = "", style: Style = "nl") -> Counter[str]:
    asked, replies = questions(kind, form, 8 if mistake else 3, style=style), {}
    for each in asked:
        task = task_of(each)
        replies[each.id] = oracle_reply(each, Teller(task, *words(task), style), mistake)
    return Counter(each.verdict for each in score_replies(asked, replies, words))


@pytest.mark.parametrize(("kind", "form"), ASKED)
def test_what_is_recorded_is_right_in_words(kind: str, form: Form) -> None:
    assert set(verdicts(kind, form)) == {"right"}


@pytest.mark.parametrize("kind", TOPICS)
def test_what_is_recorded_is_right_in_pddl(kind: str) -> None:
    assert set(verdicts(kind, "open", style="pddl")) == {"right"}


def test_an_oracle_that_trusts_plans_can_progress_but_not_validate() -> None:
    assert set(verdicts("progression", "open", "trust-plans")) == {"right"}
    # Half of the sequences are plans.
    assert verdicts("validation", "bool", "trust-plans") == {"right": 4, "wrong": 4}
    assert set(verdicts("validation", "open", "trust-plans")) == {"wrong"}
    assert set(verdicts("applicability", "choice", "mumble")) == {"unreadable"}
