"""``pddl2nl audit planbench``: the table, JSON, CSV and exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from pddl2nl.cli.app import main
from tests.cli.one_command import refused
from tests.interop.conftest import PLAN, Shelves

REPLY = "take box_2 off shelf_2\nput box_2 onto shelf_3\ntake box_1 off shelf_1\nput box_1 onto shelf_2\n"


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path)


def test_the_table_counts_agreements(shelves: Shelves, capsys: pytest.CaptureFixture[str]) -> None:
    shelves.results({"llm_raw_response": REPLY})
    assert main(["audit", "planbench", str(shelves.root)]) == 0
    head, _, row, *_ = filter(str.strip, capsys.readouterr().out.splitlines())
    assert head.split()[:3] == ["file", "policy", "replies"]
    assert row.split()[:5] == ["shelves/some_model/task_1_plan_generation.json", "planbench", "1", "1", "1"]


def test_json_holds_the_rows_and_every_disagreement(shelves: Shelves, capsys: pytest.CaptureFixture[str]) -> None:
    file = shelves.results({"llm_raw_response": REPLY, "extracted_llm_plan": PLAN[0], "llm_correct": False})
    assert main(["audit", "planbench", str(shelves.root), str(file), "--reading", "default", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [(row["file"], row["policy"], row["agreement"]) for row in data["rows"]] == [
        ("shelves/some_model/task_1_plan_generation.json", "default", 0.0),
        ("all files", "default", 0.0),
    ]
    assert data["disagreements"] == [
        {
            "file": "shelves/some_model/task_1_plan_generation.json",
            "instance": 1,
            "policy": "default",
            "recorded": False,
            "ours": True,
        }
    ]


def test_a_recorded_plan_with_another_verdict_is_exit_code_1(
    shelves: Shelves, capsys: pytest.CaptureFixture[str]
) -> None:
    shelves.results({"llm_raw_response": REPLY, "llm_correct": False})
    assert main(["audit", "planbench", str(shelves.root), "--csv"]) == 1
    first = next(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert (first["replies"], first["recorded plan agrees"]) == ("1", "0")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((), "no results/CONFIG/ENGINE/TASK.json"), (("--reading", "best"), "no reading policy 'best'")],
)
def test_bad_input_is_exit_code_2(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused("audit", "planbench", str(tmp_path), *arguments)


def test_a_file_that_cannot_be_read_is_reported_and_skipped(
    shelves: Shelves, capsys: pytest.CaptureFixture[str]
) -> None:
    shelves.results({"llm_raw_response": REPLY})
    shelves.write("configs/sokoban.yaml", "instance_dir: sokoban\n")
    shelves.write("results/sokoban/model/task_1_plan_generation.json", "{}")
    assert main(["audit", "planbench", str(shelves.root), "--json"]) == 1
    printed = capsys.readouterr()
    data = json.loads(printed.out)
    assert [Path(item["file"]).parts[-3] for item in data["unread"]] == ["sokoban"]
    assert data["unread"][0]["reason"] in printed.err
    assert any(row["replies"] for row in data["rows"])
