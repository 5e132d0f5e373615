"""``pddl2nl watch``: lines from standard input, an answer to each, an exit code for the end."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from tests.cli.one_command import refused


@pytest.fixture
def plan(tmp_path: Path) -> str:
    path = tmp_path / "plan.txt"
    path.write_text("(unstack c b) (put-down c) (unstack b a) (stack b c)", encoding="utf-8")
    return str(path)


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_changes_are_told_and_bad_lines_are_skipped(
    plan: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"DONE\n\n; a comment\nwhat?\n\xff\xfe\n(not (clear b)) ; lost\n(clear b)\n")
    assert main(["watch", "blocksworld", "p01", plan]) == 0
    output = capsys.readouterr()
    assert output.out.splitlines() == [
        "start: the plan works: next is step 1 (unstack c b)",
        "line 1: the plan works: next is step 2 (put-down c)",
        "line 6: step 3 (unstack b a) is broken: (clear b) will not hold",
        "line 7: the plan works: next is step 2 (put-down c)",
    ]
    assert [line.partition(": ")[0] for line in output.err.splitlines()] == ["line 4", "line 5"]


def test_json_answers_each_line(plan: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    feed(monkeypatch, b"(not (clear c))\n(= (fuel) 3)\n")
    assert main(["watch", "blocksworld", "p01", plan, "--json"]) == 1
    start, broken, bad = map(json.loads, capsys.readouterr().out.splitlines())
    first = {"number": 1, "action": "(unstack c b)", "unmet": ["(clear c)"], "conflict": None}
    assert start == {"line": 0, "next": 1, "broken": None, "error": None}
    assert broken == {"line": 1, "next": 1, "broken": first, "error": None}
    assert (bad["broken"], bad["error"]) == (first, "(fuel): the domain has no function 'fuel'")


def test_a_line_is_answered_before_the_next_one_is_read(plan: str) -> None:
    command = [sys.executable, "-m", "pddl2nl", "watch", "blocksworld", "p01", plan, "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        answers = [json.loads(process.stdout.readline())]
        for line in ("(not (clear c))", "(clear c)"):
            process.stdin.write(f"{line}\n")
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait() == 0
    assert [answer["broken"] is None for answer in answers] == [True, False, True]


def test_standard_input_is_not_the_plan() -> None:
    assert "standard input is for the facts" in refused("watch", "blocksworld", "p01", "-")
