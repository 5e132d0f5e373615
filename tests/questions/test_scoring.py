"""Answers to questions: what was recorded as right is read and right in the words of the question, and in PDDL."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import msgspec
import pytest

from pddl2nl.cli import questions as command
from pddl2nl.errors import InputError
from pddl2nl.nl import Names, Teller, Wording, make_names, template_wording
from pddl2nl.pddl import GroundAtom, Task, parse_task
from pddl2nl.questions.acpbench import read_questions
from pddl2nl.questions.answers import AnswerReader, ReadAnswer
from pddl2nl.questions.making import make_questions
from pddl2nl.questions.question import FORMS, Form, Question
from pddl2nl.questions.scoring import score_replies
from pddlval import GroundAction
from tests.cli.one_command import run_command
from tests.questions.test_making import ISLANDS, SEARCHED, TWO_AND_ONE

pytestmark = pytest.mark.usefixtures("needs_planner")
FAST = ("applicability", "progression", "reachability", "action-reachability", "validation", "justification")


def words(task: Task, names: str = "typed") -> tuple[Wording, Names]:
    wording = template_wording(task.domain)
    return wording, make_names(task, names, wording)


@cache
def questions(kind: str, form: Form) -> tuple[Question, ...]:
    task = parse_task(ISLANDS, TWO_AND_ONE)
    return tuple(make_questions(task, Teller(task, *words(task)), kind, form, 6))


def right_reply(question: Question, *, pddl: bool) -> str:
    """The recorded answer, as a model would write it."""
    if question.form != "open":
        return f"Answer: {question.answer}"
    task = parse_task(question.PDDL_domain, question.PDDL_problem)
    teller = Teller(task, *words(task), style="pddl" if pddl else "nl")

    def action(text: str) -> str:
        return teller.action(GroundAction.parse(text))

    def fact(text: str) -> str:
        return teller.fact(GroundAtom(text.strip("()").split()))

    match question.kind:
        case "applicability":
            return "\n".join(f"{number}. {action(text)}" for number, text in enumerate(question.answer, 1))
        case "progression":
            added, deleted = ("\n".join(map(fact, question.answer[key])) for key in ("pos", "neg"))
            return f"Becomes true:\n{added}\nBecomes false:\n{deleted}"
        case "reachability":
            return fact(question.answer[0])
        case "action-reachability":
            return action(question.answer[0])
        case "validation":
            return f"The answer is {question.answer}."
        case "justification":
            return "\n".join(map(action, question.certificate["shorter_plan"]))
        case "landmarks":
            return fact(question.answer["yes"][0]) if question.answer["yes"] else "None."
    return action(question.answer["yes"][0])


@pytest.mark.parametrize("pddl", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [*FAST, *(pytest.param(kind, marks=pytest.mark.heavy) for kind in SEARCHED)])
def test_the_recorded_answer_is_read_and_right(kind: str, form: Form, pddl: bool) -> None:
    asked = questions(kind, form)
    replies = {question.id: right_reply(question, pddl=pddl) for question in asked}
    assert [item.verdict for item in score_replies(asked, replies, words)] == ["right"] * len(asked)
    assert len(asked) >= 4


@pytest.mark.parametrize("kind", FAST)
def test_nonsense_is_not_read(kind: str) -> None:
    for form in FORMS:
        asked = questions(kind, form)
        replies = {question.id: "Well, that depends." for question in asked}
        assert {item.verdict for item in score_replies(asked, replies, words)} == {"unreadable"}


def answer(question: Question, reply: str) -> ReadAnswer:
    task = parse_task(question.PDDL_domain, question.PDDL_problem)
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
    ],
)
def test_open_answers_are_scored_as_defined(kind: str, recorded: object, reply: str, verdict: bool) -> None:
    read = answer(asked(kind, "open", recorded), reply)
    assert (read.status, read.right) == ("read", verdict)


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


@pytest.mark.parametrize("kind", ["applicability", "progression", "validation", "justification"])
def test_recorded_answers_of_acpbench_are_right(shared: Path, kind: str) -> None:
    asked = [item for item in read_questions(shared / "acpbench") if (item.kind, item.form) == (kind, "open")]
    replies = {}
    for question in asked:
        match kind:
            case "applicability":
                replies[question.id] = "\n".join(question.answer)
            case "progression":
                replies[question.id] = " ".join(f"[{', '.join(question.answer[key])}]" for key in ("pos", "neg"))
            case "validation":
                replies[question.id] = f"{question.answer}"
            case _:
                plan = question.question.split('"')[1].lower().replace(") (", ")\n(").split("\n")
                *left_out, mark = (text.lower() for text in question.answer[0])
                if mark == "-1":
                    start = next(at for at in range(len(plan)) if plan[at : at + 2] == left_out)
                else:
                    start = [at for at, text in enumerate(plan) if text == left_out[0]][int(mark) - 1]
                replies[question.id] = "\n".join(plan[:start] + plan[start + len(left_out) :])
    scored = score_replies(asked, replies, lambda task: words(task, "original"))
    assert [item.verdict for item in scored] == ["right"] * 40


def test_the_command_counts_what_is_not_read_apart(tmp_path: Path) -> None:
    asked = questions("applicability", "bool")
    (tmp_path / "questions.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, asked)))
    wrong = "no" if asked[3].answer == "yes" else "yes"
    texts = [*(right_reply(question, pddl=False) for question in asked[:3]), wrong, "?"]
    lines = [json.dumps({"id": question.id, "reply": text}) for question, text in zip(asked, texts, strict=False)]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines))
    files = (tmp_path / "questions.jsonl", tmp_path / "replies.jsonl")
    code, out, _ = run_command(command.register, "questions", "score", *files, "--json")
    group = json.loads(out)["groups"][0]
    assert code == 0
    assert group["counts"] == {"no reply": 1, "right": 3, "unreadable": 1, "wrong": 1}
    # Wilson's interval of 3 of 4.
    assert group["interval"] == pytest.approx([0.3006, 0.9544], abs=1e-4)
    _, out, _ = run_command(command.register, "questions", "score", *files)
    assert "75% (30% to 95%)" in out


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text('{"id": 3}\n')
    code, _, err = run_command(command.register, "questions", "score", tmp_path / "questions.jsonl", tmp_path / "none")
    assert code == 2
    assert "questions.jsonl:1: not a question" in err


def test_open_questions_without_pddl_are_refused() -> None:
    question = msgspec.structs.replace(asked("validation", "open", 3), PDDL_domain="")
    with pytest.raises(InputError, match="question 1: open answers are read and scored by its PDDL"):
        [*score_replies([question], {"1": "3"}, words)]
