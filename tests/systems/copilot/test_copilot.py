"""The copilot: its tools on files of its own, what it is judged by, and the experiment that compares agents."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import run
from pddl2nl.experiments.specification.experiment import Experiment
from pddl2nl.experiments.sweep import run_all
from pddl2nl.llm import ScriptedCall, ScriptedModel, ScriptedReply
from pddl2nl.pddl import Task
from pddl2nl.plugins import systems
from pddl2nl.reports.recheck import doubt
from pddl2nl.tasks import shipped_task

PROBLEM = """(define (problem mine) (:domain blocksworld-4ops)
(:objects block_0 block_1 block_2)
(:init (handempty) (ontable block_0) (on block_1 block_0) (on block_2 block_1) (clear block_2))
(:goal (and (on block_2 block_0))))"""
WRITE = ScriptedCall("write_file", {"file": "problem.pddl", "text": PROBLEM})


@pytest.fixture(scope="module")
def task() -> Task:
    return shipped_task("blocksworld", "p01")


def asked(name: str, **arguments: Any) -> ScriptedCall:
    return ScriptedCall(name, {"problem": "problem.pddl", **arguments})


def results(task: Task, calls: Sequence[ScriptedCall], **options: Any) -> list[tuple[str, str]]:
    """The status and the answer of each call, one a reply."""
    script = ScriptedModel([ScriptedReply(calls=(call,)) for call in calls])
    record = run(task, "tools-copilot", model=script, steps=len(calls), **options)
    return [(event.status, event.result) for event in record.events if event.event == "tool-called"]


def answered(result: tuple[str, str]) -> Mapping[str, Any]:
    assert result[0] == "look-around"
    data: Mapping[str, Any] = json.loads(result[1])
    return data


def test_the_tools_work_on_the_files_that_the_model_wrote(task: Task, needs_planner: None) -> None:
    plan = ["(unstack block_2 block_1)"]
    calls = [WRITE, asked("check"), asked("plan"), asked("validate", plan=plan), asked("simulate", plan=plan)]
    written, checked, planned, validated, simulated = results(task, calls)
    assert written == ("look-around", "problem.pddl is written.")
    assert answered(checked)["ok"] is True
    assert answered(planned)["status"] == "solved"
    assert answered(validated)["verdict"] == "goal-not-satisfied"
    assert "(holding block_2)" in answered(simulated)["atoms"]
    assert "told" not in answered(simulated)


def test_what_is_wrong_with_a_file_is_answered(task: Task) -> None:
    broken = ScriptedCall("write_file", {"file": "problem.pddl", "text": "(define (problem x) (:domain"})
    _, checked, planned = results(task, [broken, asked("check"), asked("plan")])
    assert answered(checked)["ok"] is False
    assert planned[0] == "look-around"
    assert "problem.pddl" in planned[1]


@pytest.mark.parametrize(
    "name", ["../p.pddl", "/etc/p.pddl", "domain.pddl", "p.txt", "", "x" * 99 + ".pddl", "a/b.pddl"]
)
def test_files_are_written_in_the_folder_of_the_run_alone(task: Task, name: str) -> None:
    [(status, result)] = results(task, [ScriptedCall("write_file", {"file": name, "text": PROBLEM})])
    assert (status, "a file is called by" in result) == ("unreadable", True)


@pytest.mark.parametrize("name", ["p01", "../../etc/passwd", "other.pddl", "domain.pddl/"])
def test_no_other_file_is_read_and_no_shipped_problem(task: Task, name: str) -> None:
    _, (status, result) = results(task, [WRITE, ScriptedCall("plan", {"problem": name})])
    assert (status, result) == (
        "unreadable",
        "Nothing was done, because there is no such file of yours; there are domain.pddl, problem.pddl.",
    )


def test_a_tool_can_be_left_out(task: Task) -> None:
    status, result = results(task, [asked("simulate", plan=[])], tools=["check"])[0]
    assert status == "unreadable"
    assert "there are write_file, check, submit_plan, give_up" in result


@pytest.mark.parametrize(
    ("plan", "outcome"),
    [
        (["(unstack block_2 block_1)", "(put-down block_2)"], "goal-missed"),
        (["(pick-up block_0)"], "inapplicable"),
        (["(fly block_0)"], "unreadable"),
    ],
)
def test_the_plan_is_judged_by_the_task_and_not_by_the_file(task: Task, plan: list[str], outcome: str) -> None:
    easy = PROBLEM.replace("(on block_2 block_0)", "(handempty)")
    calls = (
        ScriptedCall("write_file", {"file": "problem.pddl", "text": easy}),
        ScriptedCall("submit_plan", {"plan": plan}),
    )
    record = run(task, "tools-copilot", model=ScriptedModel([ScriptedReply(calls=calls)]))
    assert record.outcome == outcome
    assert doubt(record) == ""


@pytest.mark.parametrize("tools", [["check", "plan", "validate", "simulate"], ["plan"], []])
def test_the_oracle_models_plans_and_submits(task: Task, tools: list[str], tmp_path: Path, needs_planner: None) -> None:
    record = run(task, "tools-copilot", model="oracle", tools=tools, record=tmp_path / "run.jsonl")
    assert (record.outcome, doubt(record)) == ("solved", "")
    called = {event.name for event in record.events if event.event == "tool-called"}
    assert called == {"write_file", *tools, "submit_plan"}
    assert run(task, "tools-copilot", model=f"replay:{tmp_path}", tools=tools).finished.plan == record.finished.plan


def test_the_oracle_submits_its_mistakes(task: Task, needs_planner: None) -> None:
    assert run(task, "tools-copilot", model="oracle:invented-action").outcome == "unreadable"


def test_the_experiment_compares_agents_and_planners(tmp_path: Path, needs_planner: None) -> None:
    text = systems()["copilot"].file("experiments/agents.toml").read_text(encoding="utf-8")
    said = tomllib.loads(text)
    experiment = Experiment(
        name="agents",
        domains=[{"shipped": ["blocksworld"], "instances": ["p01"]}],
        models=["oracle"],
        policies=said["policies"],
        seeds=[1],
        baselines=said["baselines"][1:],
    )
    summary = run_all(experiment.jobs.values(), tmp_path)
    assert len(experiment.jobs) == 7
    assert summary.outcomes == {"solved": 7}
