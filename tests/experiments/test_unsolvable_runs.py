"""Runs on tasks without a plan: their step limit, what is known of them, and whether a model says so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import RunSpec, planners, run
from pddl2nl.experiments.planners import UNSOLVABLE_STEPS, shipped_as_solvable
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.runs import run_job
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import Task, parse_problem
from pddl2nl.reports import all_metrics, read_record
from pddl2nl.tasks import shipped_domain, shipped_domains

MECHANISMS = ("basic", "react")
SAID = "The goal cannot be reached."
UNSOLVABLE = """(define (problem odd) (:domain blocksworld-4ops) (:objects a b - block)
 (:init (ontable a) (ontable b) (clear a) (clear b) (handempty))
 (:goal (and (on a b) (on b a))))
"""


@pytest.fixture(scope="module")
def task() -> Task:
    """Two blocks, each of which shall stand on the other: what a delete relaxation does not see through."""
    domain = shipped_domain("blocksworld").domain
    text = UNSOLVABLE.replace("blocksworld-4ops", domain.name)
    if not domain.types:
        text = text.replace(" - block", "")
    return Task(domain, parse_problem(text, domain))


# ── the step limit ───────────────────────────────────────────────────────────────────────────────


def test_a_task_that_is_proved_to_have_no_plan_has_a_step_limit_of_its_own(task: Task, needs_planner: None) -> None:
    result = run(task, "random", seed=3)
    assert (result.outcome, result.steps) == ("budget", UNSOLVABLE_STEPS)
    assert result.started.spec["steps"] == UNSOLVABLE_STEPS
    assert result.started.solvable is False


def test_a_limit_that_is_given_stands(task: Task) -> None:
    result = run(task, "random", steps=7)
    assert (result.steps, result.started.solvable) == (7, None)


def test_where_nothing_is_proved_the_limit_is_asked_for(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise InputError("ff found no plan (timeout); give the step limit by --steps N")

    monkeypatch.setattr(planners, "ff_plan", fails)
    with pytest.raises(InputError, match="--steps N"):
        run(task, "random")
    # Nothing needs one here, and nothing is known.
    told = run(task, "basic", ScriptedModel([SAID]), example="none", unsolvable="tell")
    assert told.started.solvable is None


def test_the_limit_is_twice_the_longest_optimal_plan_of_the_primary_set() -> None:
    lengths = [each.optimal_length for name in shipped_domains() for each in shipped_domain(name).benchmarks]
    assert 2 * max(filter(None, lengths)) <= UNSOLVABLE_STEPS


# ── what is known of a task ──────────────────────────────────────────────────────────────────────


def test_a_shipped_problem_is_known_by_its_text_wherever_it_lies(tmp_path: Path) -> None:
    shipped = shipped_domain("visitall")
    copy = tmp_path / "copy.pddl"
    copy.write_text(shipped.benchmarks[0].path.read_text(encoding="utf-8"), encoding="utf-8")
    text = copy.read_text(encoding="utf-8")
    assert shipped_as_solvable(Task(shipped.domain, parse_problem(text, shipped.domain, str(copy)))) is True


def test_every_shipped_problem_is_known_as_its_manifest_says() -> None:
    for name in shipped_domains():
        shipped = shipped_domain(name)
        for each in (*shipped.instances[:1], *shipped.unsolvable[:1]):
            assert shipped_as_solvable(shipped.task(each.name)) is each.solvable


def test_of_other_problems_nothing_is_known(task: Task, lamps: Any) -> None:
    from pddl2nl.pddl import load_task

    assert shipped_as_solvable(task) is None
    assert shipped_as_solvable(load_task(*lamps)) is None


def test_a_plan_at_once_is_judged_by_a_proof_where_the_prompt_tells(task: Task, needs_planner: None) -> None:
    def solvable(how: str) -> bool | None:
        result = run(task, "basic", ScriptedModel([SAID]), example="none", unsolvable=how)
        known: bool | None = result.started.solvable
        return known

    # A planner costs time, and is not asked for what nobody wants to know.
    assert (solvable("silent"), solvable("tell")) == (None, False)


# ── whether a model says so ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", MECHANISMS)
def test_the_oracle_says_so(task: Task, policy: str, needs_planner: None, tmp_path: Path) -> None:
    result = run(task, policy, "oracle", unsolvable="tell", record=tmp_path / "one.jsonl")
    assert result.outcome == "gave-up"
    assert result.fault.status == "claimed-unsolvable"
    assert set(result.as_json()["fault"]) == {"step", "status", "text"}
    record = read_record(tmp_path / "one.jsonl")
    assert all_metrics()["unsolvable-claimed"].of(record) == 1
    assert all_metrics()["coverage"].of(record) == 0


@pytest.mark.parametrize("how", ["silent", "tell"])
@pytest.mark.parametrize("policy", ["basic", "act"])
def test_a_run_that_says_so_is_replayed_from_its_record(task: Task, policy: str, how: str, tmp_path: Path) -> None:
    record = tmp_path / "one.jsonl"
    run(task, policy, ScriptedModel([SAID]), example="none", steps=5, unsolvable=how, record=record)
    assert replay_record(record).difference is None
    first = json.loads(record.read_text(encoding="utf-8").partition("\n")[0])
    assert first["spec"]["options"]["unsolvable"] == how
    file = {"basic": "no_plan.txt", "act": "no_plan_turn.txt"}[policy]
    assert (file in first["prompts"]) == (how == "tell")


def test_what_a_planner_proved_is_kept_by_a_replay(task: Task, needs_planner: None, tmp_path: Path) -> None:
    record = tmp_path / "one.jsonl"
    run(task, "act", ScriptedModel([SAID]), example="none", record=record)
    again = replay_record(record)
    assert again.identical
    assert again.events[0].solvable is False


# ── the option ───────────────────────────────────────────────────────────────────────────────────


def test_the_name_of_a_run_is_as_it_was_before_there_was_the_option(task: Task) -> None:
    spec = RunSpec.of(task, "act", model="oracle")
    assert run_job(spec).name == run_job(replace(spec, options={"unsolvable": "silent"})).name
    assert run_job(spec).name != run_job(replace(spec, options={"unsolvable": "tell"})).name
