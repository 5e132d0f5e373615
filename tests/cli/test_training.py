"""``pddl2nl training export`` and ``pddl2nl training rewards``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pddl2nl.experiments.runs import run
from pddl2nl.tasks import shipped_task
from tests.cli.one_command import run_command


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.usefixtures("needs_planner")
def test_records_become_rows_split_by_domain(tmp_path: Path) -> None:
    for domain, policy in (("blocksworld", "react"), ("blocksworld", "basic"), ("ferry", "basic")):
        run(shipped_task(domain, "p01"), policy, "oracle", record=tmp_path / "runs" / f"{domain}-{policy}.jsonl")
    result = run_command("training", "export", tmp_path / "runs", "--test", "ferry", "--out", tmp_path / "rows")
    assert result.code == 0
    trained, tested = lines(tmp_path / "rows" / "pairs-train.jsonl"), lines(tmp_path / "rows" / "pairs-test.jsonl")
    assert {row["domain_name"] for row in trained} == {"blocksworld-4ops"}
    assert {row["domain_name"] for row in tested} == {"ferry"}
    assert {row["policy"] for row in trained} == {"react", "basic"}
    assert len(lines(tmp_path / "rows" / "prompts-train.jsonl")) == 1, "only the first prompt of Basic asks for a plan"


@pytest.mark.usefixtures("needs_planner")
def test_prompts_of_a_shipped_set_with_replies_are_rewarded(tmp_path: Path) -> None:
    result = run_command("training", "export", "--domain", "blocksworld", "--style", "pddl", "--out", tmp_path)
    assert result.code == 0
    assert not (tmp_path / "pairs-train.jsonl").exists(), "no run, no pairs"
    rows = lines(tmp_path / "prompts-train.jsonl")
    assert [row["optimum"] for row in rows] == sorted(row["optimum"] for row in rows)  # type: ignore[type-var]
    replies = "".join(json.dumps(row | {"completion": "[PLAN]\n(fly)\n[PLAN END]"}) + "\n" for row in rows[:2])
    rewards = run_command("training", "rewards", "-", "--json", text=replies)
    assert [json.loads(line) for line in rewards.out.splitlines()] == [
        {"format": 0.0, "prefix": 0.0, "goals": 0.0, "validity": 0.0, "length": 0.0}
    ] * 2
    assert "2 replies" in run_command("training", "rewards", "-", text=replies).out


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["training", "export"], "", "expected RECORDS, a folder of records, --domain NAME or --suite DIR"),
        (["training", "export", "--suite", "nowhere"], "", "nowhere"),
        (["training", "export", "--domain", "blocksworld", "-P", "depth=3"], "", "depth"),
        (["training", "export", "--domain", "blocksworld", "--test", "fery"], "", "--test fery: no row is of this"),
        (["training", "export", "--domain", "blocksworld", "--policy", "act"], "", "the tasks: no rows can be made"),
        (["training", "export", "nowhere"], "", "no such folder"),
        (["training", "rewards", "-"], "{}\n", "-:1: completion is missing"),
        (["training", "rewards", "-"], '{"domain": "(", "problem": "", "completion": ""}\n', "-:1: "),
    ],
)
def test_bad_input_is_named(arguments: list[str], text: str, message: str, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path)] if arguments[1] == "export" else []
    result = run_command(*arguments, *out, text=text)
    assert result.code != 0
    assert message in result.err
    assert not list(tmp_path.iterdir()), "no file is left of rows that were refused"
