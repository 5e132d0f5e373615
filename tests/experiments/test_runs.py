"""Runs: results, records, what a run needs and what it refuses, and that nothing secret is ever written."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InfrastructureError, InputError, MissingExtraError
from pddl2nl.experiments import RunSpec, run, run_spec
from pddl2nl.experiments.records.reader import event_from_json
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import Task, parse_task
from pddl2nl.policies import RunEvent

TURNS = ["Action: (lift red table)", "Action: look around", "Action: (put red shelf)"]
PLAN = "[PLAN]\n(lift red table)\n(put red shelf)\n[PLAN END]"
BARE: dict[str, Any] = {"style": "pddl", "example": "none", "steps": 6}
FIELDS = [
    "outcome",
    "fault",
    "plan",
    "steps",
    "mistakes",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "usd",
    "seconds",
    "record",
    "cache_hits",
    "accounts",
]


@pytest.fixture(scope="module")
def task(cups: Any) -> Task:
    return parse_task(cups.domain, cups.problem)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _kept(path: Path) -> tuple[RunEvent, ...]:
    """The events of a record without the digest, which only the file has."""
    return tuple(event_from_json({**line, "digest": ""} if "digest" in line else line) for line in _lines(path))


# ── results ──────────────────────────────────────────────────────────────────────────────────────


def test_a_run_needs_no_file_and_writes_none(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(task, "act", ScriptedModel(TURNS), **BARE)
    assert result.solved
    assert result.plan == ("(lift red table)", "(put red shelf)")
    assert (result.steps, result.spent.calls, result.spent.usd, result.path) == (3, 3, 0.0, None)
    assert list(tmp_path.iterdir()) == []


def test_the_json_has_the_documented_fields_in_their_order(task: Task) -> None:
    solved = run(task, "act", ScriptedModel(TURNS), **BARE).as_json()
    assert list(solved) == FIELDS
    assert solved["fault"] is None
    missed = run(task, "basic", ScriptedModel(["[PLAN]\n(lift red table)\n[PLAN END]"]), **BARE).as_json()
    assert missed["outcome"] == "goal-missed"
    assert missed["fault"] == {"step": 1, "status": "goal-missed", "text": missed["fault"]["text"]}
    assert missed["plan"] == ["(lift red table)"]
    assert json.loads(json.dumps(missed)) == missed


def test_a_one_shot_plan_is_given_as_it_was_read(task: Task) -> None:
    result = run(task, "basic", ScriptedModel(["[PLAN]\n(put red shelf)\n(lift red table)\n[PLAN END]"]), **BARE)
    assert result.outcome == "inapplicable"
    assert result.proposed == ("(put red shelf)", "(lift red table)")


# ── records ──────────────────────────────────────────────────────────────────────────────────────


def test_the_record_holds_every_event_and_everything_to_run_it_again(task: Task, tmp_path: Path, cups: Any) -> None:
    path = tmp_path / "deep" / "run.jsonl"
    result = run(task, "act", ScriptedModel(TURNS), record=path, seed=7, **BARE)
    assert result.path == path
    assert [item.name for item in path.parent.iterdir()] == ["run.jsonl"]
    assert _kept(path) == result.events
    assert (result.started.domain_pddl, result.started.problem_pddl) == (cups.domain, cups.problem)


def test_runs_in_parallel_write_records_of_their_own(task: Task, tmp_path: Path) -> None:
    spec = RunSpec.of(task, "random", steps=5, out=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda seed: run_spec(replace(spec, seed=seed % 2)), range(16)))
    paths = {result.path for result in results}
    assert len(paths) == 16
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in paths if path is not None}
    for result in results:
        assert result.path is not None
        assert _kept(result.path) == result.events


def test_a_record_that_cannot_be_written_is_infrastructure(task: Task, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot write"):
        run(task, "random", steps=1, record=tmp_path / "file" / "run.jsonl")


@pytest.mark.parametrize("number", [1, 3, 14, 15])
def test_a_disk_that_fills_up_leaves_no_record_that_looks_whole(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    from pddl2nl.experiments.records.writer import RecordWriter

    write, written = RecordWriter.write, []

    def full(self: RecordWriter, event: RunEvent) -> None:
        written.append(event)
        if len(written) == number:
            raise InfrastructureError("cannot write the record: no space left")
        write(self, event)

    monkeypatch.setattr(RecordWriter, "write", full)
    with pytest.raises(InfrastructureError, match="no space left"):
        run(task, "act", ScriptedModel(TURNS), record=tmp_path / "run.jsonl", **BARE)
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl.partial"]
    assert len(written) == number


def test_the_first_event_names_example_prompts_names_and_limits(task: Task, tmp_path: Path, cups: Any) -> None:
    problem, plan = tmp_path / "shown.pddl", tmp_path / "shown.plan"
    problem.write_text(cups.shown, encoding="utf-8")
    plan.write_text("(lift green sink)\n(put green door)\n", encoding="utf-8")
    model = ScriptedModel(["nothing"])
    result = run(task, "react", model, example=problem, example_plan=plan, steps=1, budget_calls=3)
    started = result.started
    assert started.example == {
        "source": "file",
        "problem": cups.shown,
        "plan": ["(lift green sink)", "(put green door)"],
        "thoughts": "template",
        "thought_texts": [
            "In order to apply the action 'put' to cup cup_0 and place place_1 I need that cup_0 is 'held'.",
            "My goal asks that cup_0 and place_1 are in relation 'at'. I can bring this about now.",
        ],
        "thoughts_note": "",
    }
    assert {"react.txt", "problem.txt"} <= set(started.prompts)
    assert started.names == {"red": "cup_0", "blue": "cup_1", "shelf": "place_0", "table": "place_1"}
    limits = ("steps", "budget_calls", "budget_tokens", "budget_usd")
    assert [started.spec[name] for name in limits] == [1, 3, None, None]
    assert started.wording["domain"] == "cups"
    assert (started.spec["temperature"], started.spec["max_tokens"]) == (0.0, None)


# ── what is needed, and what is refused ──────────────────────────────────────────────────────────


def test_a_money_limit_needs_a_known_price(task: Task) -> None:
    base = {**BARE, "budget_usd": 1.0}
    endpoint = {"base_url": "http://127.0.0.1:9/v1"}
    with pytest.raises(InputError, match="--budget-usd"):
        run(task, "act", "my-llama", **endpoint, **base)
    asked = {"style": "nl", "translator": "llm", "models": {"translator": "my-llama"}}
    with pytest.raises(InputError, match="--budget-usd"):
        run(task, "act", ScriptedModel(TURNS), **{**base, **endpoint, **asked})
    assert run(task, "act", ScriptedModel(TURNS), **base).outcome == "solved"


def test_without_a_planner_the_options_that_replace_it_are_named(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cups: Any
) -> None:
    def missing(*arguments: Any, **options: Any) -> Any:
        raise MissingExtraError("up-fast-downward", "planners", "planning")

    monkeypatch.setattr("pddl2nl.baselines.solve", missing)
    from pddl2nl.experiments.planners import _search

    _search.forget()
    with pytest.raises(InputError, match="--steps N"):
        run(task, "act", ScriptedModel(TURNS), example="none")
    with pytest.raises(InputError, match="--example PROBLEM with --example-plan FILE"):
        run(task, "act", ScriptedModel(TURNS), steps=4)
    problem, plan = tmp_path / "shown.pddl", tmp_path / "shown.plan"
    problem.write_text(cups.shown, encoding="utf-8")
    with pytest.raises(InputError, match="--example-plan FILE"):
        run(task, "basic", ScriptedModel([PLAN]), example=problem)
    plan.write_text("(lift green sink)\n(put green door)\n", encoding="utf-8")
    assert run(task, "basic", ScriptedModel([PLAN]), style="pddl", example=problem, example_plan=plan).solved


def test_an_example_must_have_a_valid_plan(task: Task, tmp_path: Path, cups: Any) -> None:
    problem, plan = tmp_path / "shown.pddl", tmp_path / "shown.plan"
    problem.write_text(cups.shown, encoding="utf-8")
    plan.write_text("(lift green sink)\n", encoding="utf-8")
    with pytest.raises(InputError, match="no valid plan"):
        run(task, "basic", ScriptedModel([PLAN]), example=problem, example_plan=plan)


# ── with a planner ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("needs_planner")
def test_the_step_limit_is_twice_the_length_of_ffs_plan(task: Task) -> None:
    result = run(task, "act", ScriptedModel(["Action: look around"] * 9), style="pddl", example="none")
    assert (result.outcome, result.steps) == ("budget", 4)
    assert result.started.spec["steps"] == 4
