"""``pddl2nl replay``, as a user types it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.planners import Planned
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.events import event_to_json
from pddl2nl.tasks import shipped_task
from tests.cli.one_command import run_command

call = partial(run_command, "replay")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of a short run that looks around and dances."""
    path = tmp_path / "runs" / "act.jsonl"
    model = ScriptedModel(["Action: look around", "Action: dance"])
    run_spec(RunSpec(shipped_task("blocksworld", "p01"), "act", model=model, example="none", steps=2, record=path))
    return path


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_an_untouched_record_is_identical(record: Path) -> None:
    assert call(record) == (0, f"{record}: identical (10 events)\n", "")
    code, out, _ = call(record, "--json")
    assert code == 0
    assert json.loads(out) == {
        "record": str(record),
        "identical": True,
        "complete": True,
        "events": 10,
        "changed": "",
        "difference": None,
    }


def test_a_folder_is_replayed_with_its_killed_runs_and_without_its_planners(record: Path) -> None:
    lines = record.read_text(encoding="utf-8").split("\n")
    killed = record.with_name("killed.jsonl.partial")
    killed.write_text("\n".join([*lines[:4], lines[4][:20]]), encoding="utf-8")
    planned = record.with_name("ff.jsonl")
    planned.write_text(json.dumps(event_to_json(Planned("ff", "d", "p", "", "", "solved"))), encoding="utf-8")
    code, out, error = call(record.parent.parent)
    assert code == 0
    assert out.splitlines() == [
        f"{record}: identical (10 events)",
        f"{killed}: identical as far as it goes (4 events; the record has no end)",
    ]
    assert "ff.jsonl: a planner's record" in error
    assert call(planned)[0] == 2


def test_a_changed_prompt_is_shown_with_its_diff(record: Path) -> None:
    other = record.with_name("other.jsonl")
    other.write_bytes(record.read_bytes())
    _edit(record, '"text": "pick up', '"text": "lift')
    code, out, _ = call(record, other)
    assert code == 1
    lines = out.splitlines()
    assert lines[0].startswith(f"{record}: different at event 2: prompted, messages: recorded [")
    assert len(lines[0]) < 600
    assert any("first different in message 1 (system), line" in line for line in lines)
    assert any(line.startswith("  -system: ") and "pick up" in line for line in lines)
    assert any(line.startswith("  +system: ") and "lift" in line for line in lines)
    assert lines[-1] == f"{other}: identical (10 events)"
    found: list[dict[str, Any]] = [json.loads(line) for line in call(record, other, "--json")[1].splitlines()]
    assert [item["identical"] for item in found] == [False, True]
    assert found[0]["difference"]["field"] == "messages"


def test_what_is_no_record_is_an_error_and_the_others_are_replayed(record: Path, tmp_path: Path) -> None:
    code, out, error = call(tmp_path / "none.jsonl", record)
    assert code == 2
    assert out == f"{record}: identical (10 events)\n"
    assert "none.jsonl: the record cannot be read: No such file" in error
    (tmp_path / "empty").mkdir()
    code, _, error = call(tmp_path / "empty")
    assert code == 2
    assert "no record" in error
    (tmp_path / "foreign.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    code, _, error = call(tmp_path / "foreign.jsonl")
    assert code == 2
    assert "foreign.jsonl:1: not an event of a run" in error
