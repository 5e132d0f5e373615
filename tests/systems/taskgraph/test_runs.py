"""Runs of taskgraph are recorded whole, and replay identically, with faults of the world too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import RunSpec, run_spec
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.llm import Completion, Request
from pddl2nl.policies.prompts import stage_of
from pddl2nl.reports.records import read_record
from pddl2nl.systems.taskgraph.prompting import CORRECT, REPLAN, subtask_reply
from pddl2nl.tasks import shipped_task


@pytest.mark.parametrize(
    ("instance", "settings"),
    [
        ("s05", {"model": "oracle:illegal-transition", "options": {"faults": "fail (pick-up *) once"}}),
        ("s01", {"options": {"graph": "fewshot+compatible", "check": "proved"}}),
        ("s01", {"policy": "taskgraph-beam"}),
    ],
)
def test_a_run_replays_identically(instance: str, settings: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    settings = {"policy": "taskgraph", "model": "oracle", "names": "original", **settings}
    run_spec(RunSpec(shipped_task("alfred", instance), record=path, steps=300, **settings))
    again = replay_record(path)
    assert again.identical, again.difference
    assert again.complete


BLOCKS = """{"format": 1, "nodes": [
  {"label": "T", "name": "Take", "targets": [{"variable": "?x", "role": "block"}],
   "ways": [["(pick-up ?x)"], ["(unstack ?x ?y)"]]},
  {"label": "P", "name": "Place", "targets": [{"variable": "?x", "role": "block"}, {"variable": "?y", "role": "block"}],
   "ways": [["(stack ?x ?y)"]]},
  {"label": "D", "name": "Drop", "targets": [{"variable": "?x", "role": "block"}], "ways": [["(put-down ?x)"]]}],
 "closed": ["handempty", "holding"], "known": ["(handempty)"], "rules": ["Build from below."],
 "graphs": {"mine": {"T": "PD", "P": "T", "D": "T"}}}"""
"""Subtasks of blocksworld, whose plans name blocks, as nothing has a class."""


WRONG = [("Take", "c"), ("Take", "d"), ("Place", "d", "a")]
RIGHT = [("Take", "c"), ("Drop", "c"), ("Take", "d"), ("Place", "d", "a"), ("Take", "c"), ("Place", "c", "d")]


class BlocksPlanner:
    """A model that takes two blocks at once until it is told."""

    name = "planner"

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        stage = stage_of(request.messages)
        return Completion(
            "<answer>keep</answer>" if stage == REPLAN else subtask_reply("", RIGHT if stage == CORRECT else WRONG)
        )


def test_any_domain_has_task_graphs_by_a_file_of_its_own(tmp_path: Path) -> None:
    path, file, model = tmp_path / "run.jsonl", tmp_path / "subtasks.json", BlocksPlanner()
    file.write_text(BLOCKS, encoding="utf-8")
    task = shipped_task("blocksworld", "example")
    result = run_spec(RunSpec(task, "taskgraph", {"graph": "mine"}, model, files={"subtasks.json": file}, record=path))
    assert result.outcome == "solved"
    system, question = (message.content for message in model.asked[0].messages)
    assert "Objects:\n- block: a, b, c, d" in system
    assert "- Build from below." in system
    assert '{"high_level": [["Take", "a"], ["Place", ["a", "a"]]]}' in system
    # Nothing is hidden, so the state is told, by the names that plans use.
    assert "- (d, on, b)" in question
    corrections = [request for request in model.asked if stage_of(request.messages) == CORRECT]
    assert (
        "step 2, Take(d): Take may not follow Take in the graph 'mine'; what may: Place, Drop"
        in corrections[0].messages[-1].content
    )
    # The record holds the file.
    file.unlink()
    again = replay_record(path)
    assert again.identical, again.difference


def test_another_model_revises_on_an_account_of_its_own(tmp_path: Path) -> None:
    class Replanner:
        """Keeps every plan."""

        name = "replanner"

        def complete(self, request: Request) -> Completion:
            assert request.purpose == "replanner"
            return Completion("<answer>keep</answer>")

    path = tmp_path / "run.jsonl"
    task = shipped_task("alfred", "s01")
    result = run_spec(RunSpec(task, "taskgraph", names="original", models={"replanner": Replanner()}, record=path))
    assert result.outcome == "solved"
    record = read_record(path)
    assert record.started.models == {"planner": "oracle", "replanner": "replanner"}
    calls = {role: used["calls"] for role, used in record.finished.used.items()}
    assert calls == {"planner": 2, "replanner": 2}
    assert replay_record(path).identical


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": "taskgraph-noreplan-high", "options": {"check": "proved"}}, "check=proved.* asks none"),
        ({"policy": "taskgraph-noreplan", "models": {"replanner": "oracle"}}, "taskgraph-noreplan has no such role"),
        ({"policy": "taskgraph", "models": {"embedding": "oracle"}}, "taskgraph has no such role"),
        ({"policy": "taskgraph", "options": {"graph": "prited"}}, "no graph 'prited'; did you mean 'printed'"),
        ({"policy": "basic", "options": {"graph": "printed"}}, "policy basic has no option 'graph'"),
        ({"policy": "taskgraph", "files": {"subtasks.json": "/nowhere.json"}}, "nowhere.json"),
    ],
)
def test_a_wrong_graph_or_file_is_refused_before_anything_is_asked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_spec(RunSpec(shipped_task("alfred", "s01"), **{"model": "oracle", **settings}))
