"""``pddl2nl training export`` and ``pddl2nl training rewards``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from pddl2nl.cli import training as group
from pddl2nl.experiments.runs import run
from pddl2nl.tasks import shipped_task


def call(*arguments: str | Path, text: str = "") -> Result:
    app = typer.Typer()
    group.register(app)
    return CliRunner().invoke(app, [*map(str, arguments)], input=text)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.usefixtures("needs_planner")
def test_records_become_rows_split_by_domain(tmp_path: Path) -> None:
    for domain, policy in (("blocksworld", "react"), ("blocksworld", "basic"), ("ferry", "basic")):
        run(shipped_task(domain, "p01"), policy, "oracle", record=tmp_path / "runs" / f"{domain}-{policy}.jsonl")
    result = call("training", "export", tmp_path / "runs", "--test", "ferry", "--out", tmp_path / "rows")
    assert result.exit_code == 0, result.output
    trained, tested = lines(tmp_path / "rows" / "pairs-train.jsonl"), lines(tmp_path / "rows" / "pairs-test.jsonl")
    assert {row["domain_name"] for row in trained} == {"blocksworld-4ops"}
    assert {row["domain_name"] for row in tested} == {"ferry"}
    assert {row["policy"] for row in trained} == {"react", "basic"}
    assert len(lines(tmp_path / "rows" / "prompts-train.jsonl")) == 1, "only the first prompt of Basic asks for a plan"


@pytest.mark.usefixtures("needs_planner")
def test_prompts_of_a_shipped_set_with_replies_are_rewarded(tmp_path: Path) -> None:
    result = call("training", "export", "--domain", "blocksworld", "--style", "pddl", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert not (tmp_path / "pairs-train.jsonl").exists(), "no run, no pairs"
    rows = lines(tmp_path / "prompts-train.jsonl")
    assert [row["optimum"] for row in rows] == sorted(row["optimum"] for row in rows)  # type: ignore[type-var]
    replies = "".join(json.dumps(row | {"completion": "[PLAN]\n(fly)\n[PLAN END]"}) + "\n" for row in rows[:2])
    rewards = call("training", "rewards", "-", "--json", text=replies)
    assert [json.loads(line) for line in rewards.output.splitlines()] == [
        {"format": 0.0, "prefix": 0.0, "goals": 0.0, "validity": 0.0, "length": 0.0}
    ] * 2
    assert "2 replies" in call("training", "rewards", "-", text=replies).output


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["training", "export"], "", "expected RECORDS"),
        (
            ["training", "export", "--domain", "blocksworld", "--test", "fery"],
            "",
            "--test fery: no row is of this",
        ),
        (["training", "export", "nowhere"], "", "no such folder"),
        (["training", "rewards", "-"], "{}\n", "-:1: completion is missing"),
        (["training", "rewards", "-"], '{"domain": "(", "problem": "", "completion": ""}\n', "-:1: "),
    ],
)
def test_bad_input_is_named(arguments: list[str], text: str, message: str, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path)] if arguments[1] == "export" else []
    result = call(*arguments, *out, text=text)
    assert result.exit_code != 0
    assert message in result.output + str(result.exception)
