"""``python -m pddlval``, and what it shares with ``pddl2nl validate``."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pddlval.__main__ import main
from pddlval.command import judge_batch

pytestmark = pytest.mark.usefixtures("here")

TASK = ["domain.pddl", "problem.pddl"]

TANK = """(define (domain tank)
  (:requirements :numeric-fluents)
  (:predicates (drained))
  (:functions (level))
  (:action pour :parameters () :precondition (< (level) 2) :effect (increase (level) 1.00005))
  (:action drain :parameters () :precondition (>= (level) 2.00015) :effect (drained)))
"""
EMPTY_TANK = "(define (problem empty) (:domain tank) (:init (= (level) 0)) (:goal (drained)))"
ALMOST_FULL = "(pour) (pour) (drain)"


def test_exit_codes_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TASK, "good.plan"]) == 0
    assert capsys.readouterr().out == (
        "Checking plan: good.plan\nPlan executed successfully - checking goal\nPlan valid\nFinal value: 6 \n"
        "\nSuccessful plans:\nValue: 6\n good.plan 6 \n\n"
    )
    assert main([*TASK, "good.plan", "short.plan"]) == 1
    out = capsys.readouterr().out
    assert out.count("Checking plan:") == 2
    assert out.endswith("\n\nFailed plans:\n short.plan \n")


def test_json_is_an_object_a_plan_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TASK, "short.plan", "good.plan", "bad.plan", "--json"]) == 1
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(answer["plan"], answer["verdict"]) for answer in answers] == [
        ("short.plan", "goal-not-satisfied"),
        ("good.plan", "valid"),
        ("bad.plan", "bad-plan"),
    ]


@pytest.fixture
def tank(here: Path) -> list[str]:
    """A task with a plan that only VAL's tolerance lets pass: 0.00005 are missing."""
    names = ["tank.pddl", "empty.pddl", "almost.plan"]
    for name, text in zip(names, (TANK, EMPTY_TANK, ALMOST_FULL), strict=True):
        (here / name).write_text(text)
    return names


@pytest.mark.parametrize("options", [[], ["-v"], ["--json"]])
def test_numbers_are_exact_unless_vals_tolerance_is_asked_for(
    tank: list[str], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*tank, *options]) == 1
    exact = capsys.readouterr().out
    assert main([*tank, *options, "--val-tolerance"]) == 0
    tolerant = capsys.readouterr().out
    if options == ["--json"]:
        assert (json.loads(exact)["failed_step"], json.loads(exact)["unmet"]) == (3, ["(>= (level) 2.00015)"])
        assert json.loads(tolerant)["verdict"] == "valid"
    else:
        assert "Plan failed to execute" in exact
        assert "Plan valid\n" in tolerant
    assert ("Adding (drained)" in tolerant) is (options == ["-v"])


def test_a_batch_takes_the_tolerance_too(tank: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = dict(zip(("domain", "problem", "plan"), tank, strict=True))
    (here / "batch.jsonl").write_text(json.dumps(entry))
    assert main(["--batch", "batch.jsonl", "--json"]) == 1
    assert main(["--batch", "batch.jsonl", "--json", "--val-tolerance"]) == 0
    verdicts = [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()]
    assert verdicts == ["inapplicable", "valid"]


def test_help_names_every_option_and_what_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0
    assert "--val-tolerance judge as VAL does: numbers may miss by 0.0001, times by 0.01 (default: exact)" in said
    assert "-t N judge as VAL's -t does: times may miss by N" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.pddl", "problem.pddl", "good.plan"], "none.pddl"),
        (["domain.pddl", "none.pddl", "good.plan"], "none.pddl"),
        (["domain.pddl", "problem.pddl", "none.plan"], "none.plan: no such file"),
        (["domain.pddl", "problem.pddl", "no\0ne.plan"], "null byte"),
        (["broken.pddl", "problem.pddl", "good.plan"], "broken.pddl:"),
        (["domain.pddl", ".", "good.plan"], "."),
    ],
)
def test_bad_input_is_one_message_and_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert message in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("arguments", [[], ["domain.pddl"], TASK, ["--batch", "x"], [*TASK, "--batch", "x", "--json"]])
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


def _batch(*lines: object) -> tuple[int, list[dict[str, object]]]:
    written: list[str] = []
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    code = judge_batch([f"{text}\n" for text in texts], written.append)
    assert all(text.endswith("\n") and text.count("\n") == 1 for text in written), "one write a line"
    return code, [json.loads(text) for text in written]


def test_a_batch_answers_line_by_line_in_order() -> None:
    task = {"domain": "domain.pddl", "problem": "problem.pddl"}
    code, answers = _batch(
        {**task, "plan": "short.plan"}, {**task, "plan_text": "(UNSTACK C A)"}, "", {**task, "plan": "good.plan"}
    )
    assert code == 1
    assert [answer["plan"] for answer in answers] == ["short.plan", "line 2", "good.plan"]
    assert [answer["steps"] for answer in answers] == [1, 1, 6]
    assert _batch({**task, "plan": "good.plan"})[0] == 0


def test_a_batch_goes_on_after_a_bad_line() -> None:
    task = {"domain": "domain.pddl", "problem": "problem.pddl"}
    code, answers = _batch(
        {**task, "domain": "none.pddl", "plan": "good.plan"},
        {**task, "domain": "broken.pddl", "plan": "good.plan"},
        {**task, "domain": "broken.pddl", "plan": "good.plan"},
        {**task, "plan": "none.plan"},
        {**task, "plan": "no\0ne.plan"},
        {**task, "plan": "no\ud800ne.plan"},
        "[" * 100_000,
        "{not json",
        "[1]",
        {"domain": "domain.pddl"},
        {**task},
        {**task, "plan": "short.plan"},
        {**task, "plan": "good.plan"},
    )
    assert code == 2
    assert [set(answer) == {"plan", "error"} for answer in answers] == [True] * 11 + [False] * 2
    assert [answer["plan"] for answer in answers[:4]] == ["good.plan"] * 3 + ["none.plan"]
    assert answers[-1]["verdict"] == "valid"
    assert "line 7 is not JSON" in str(answers[6]["error"])


def test_bytes_that_are_no_utf8_spoil_their_line_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = json.dumps({"domain": "domain.pddl", "problem": "problem.pddl", "plan": "good.plan"}).encode()
    (here / "batch.jsonl").write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\xff\xfe\n" + good + b"\n")
    assert main(["--batch", "batch.jsonl", "--json"]) == 2
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer.get("verdict") for answer in answers] == ["valid", None, "valid"]


def test_as_a_process(here: Path, root: Path) -> None:
    def run(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pddlval", *arguments],
            cwd=here,
            env={"PYTHONPATH": str(root)},
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )

    assert run(*TASK, "good.plan").returncode == 0
    done = run(*TASK, "-", text="(foo)")
    assert (done.returncode, done.stderr) == (1, "")
    entry = json.dumps({"domain": "domain.pddl", "problem": "problem.pddl", "plan": "good.plan"})
    assert json.loads(run("--batch", "-", "--json", text=entry).stdout)["verdict"] == "valid"
    assert run("none.pddl", "problem.pddl", "good.plan").returncode == 2


@pytest.mark.parametrize("jobs", [2, None])
def test_several_processes_answer_as_one_does(monkeypatch: pytest.MonkeyPatch, jobs: int | None) -> None:
    monkeypatch.setattr("pddlval.command._WORTH_PROCESSES", 0.01)
    lines = [
        json.dumps({"domain": "domain.pddl", "problem": problem, "plan_text": plan})
        for number in range(150)
        for problem, plan in (("problem.pddl", f"; {number}\n(nonsense)"), ("absent.pddl", ""), ("problem.pddl", "("))
    ]
    lines.insert(77, "no JSON")
    alone, together = io.StringIO(), io.StringIO()
    assert judge_batch(lines, alone.write) == judge_batch(lines, together.write, jobs=jobs) == 2
    assert together.getvalue() == alone.getvalue()


def test_a_process_for_each_processor_that_this_one_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    # As under Slurm, which gives a job some of the machine's processors.
    monkeypatch.setattr("pddlval.command._WORTH_PROCESSES", 0.0)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {3}, raising=False)
    asked: list[int] = []

    def in_processes(judge: object, numbered: object, jobs: int) -> Iterator[tuple[str, int]]:
        asked.append(jobs)
        yield from ()

    monkeypatch.setattr("pddlval.command._in_processes", in_processes)
    assert judge_batch(["no JSON"], lambda _: None, jobs=None) == 2
    assert asked == [1]


def test_ctrl_c_ends_with_130_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("pddlval.__main__.judge_files", interrupted)
    assert main([*TASK, "good.plan"]) == 130
