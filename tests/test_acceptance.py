"""The three jobs, end to end, on real tasks of the planning competitions that nobody here wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.nl import Reader, Teller, convert, explain, make_names
from pddl2nl.nl.reading.told import read_problem
from pddl2nl.pddl import GroundAtom, Task, load_task
from pddlval import Plan, Report, read_plan, validate

ADL = {"assembly", "miconic-fulladl", "philosophers", "psr-large", "schedule"}
"""Suites with disjunctions, quantifiers, conditional effects and derived predicates."""

TASKS = (
    "airport/p01-airport1-p1",
    "assembly/prob02",
    "childsnack-opt14-strips/child-snack_pfile01",
    "hiking-opt14-strips/ptesting-1-2-3",
    "hiking-opt14-strips/ptesting-2-2-4",
    "miconic-fulladl/f1-0",
    "miconic-fulladl/f11-1",
    "parking-opt14-strips/p_12_7-01",
    "pegsol-08-strips/p01",
    "pegsol-opt11-strips/p11",
    "philosophers/p01-phil2",
    "psr-large/p01-s29-n2-l5-f30",
    "psr-large/p19-s144-n10-l2-f10",
    "rovers/p02",
    "rovers/p11",
    "schedule/probschedule-18-2",
    "schedule/probschedule-2-0",
    "sokoban-opt08-strips/p03",
    "tetris-opt14-strips/p02-4",
    "tpp/p01",
    "tpp/p09",
    "transport-opt08-strips/p01",
    "transport-opt11-strips/p03",
    "visitall-opt11-strips/problem05-half",
    "visitall-opt14-strips/p-05-5",
)


LONG = {
    "hiking-opt14-strips/ptesting-1-2-3",
    "hiking-opt14-strips/ptesting-2-2-4",
    "miconic-fulladl/f11-1",
    "parking-opt14-strips/p_12_7-01",
    "philosophers/p01-phil2",
    "psr-large/p19-s144-n10-l2-f10",
    "rovers/p11",
    "schedule/probschedule-18-2",
    "sokoban-opt08-strips/p03",
    "tetris-opt14-strips/p02-4",
    "tpp/p09",
    "transport-opt08-strips/p01",
    "transport-opt11-strips/p03",
}
"""Tasks that take seconds; each has a quick one of its suite or kind beside it."""


def test_at_least_twenty_tasks_of_ten_suites_are_tried() -> None:
    suites = {name.split("/")[0].split("-")[0] for name in TASKS}
    assert len(TASKS) >= 20
    assert len(suites) >= 10
    assert {name.split("/")[0] for name in TASKS} >= ADL


NUMERIC = (
    "counters/rnd_instance_12_3",
    "depots/pfile1",
    "elevators/p01",
    "factory-robot/pfile1",
    "fo-farmland/instance_2_100_1229",
    "minecraft-sword-advanced/prob_15x15_3",
    "plant-watering/instance_4_1",
    "rover-linear/pfile2",
    "sailing/instance_4_2_1229",
    "tpp/p01",
    "worksworld/batch01-2f",
)


OUTCOMES = {"valid": "solved", "goal-not-satisfied": "goal-missed", "inapplicable": "inapplicable"}


def _plans(folder: Path, task: Task) -> Iterator[tuple[Plan, Report]]:
    """Plans of a task, one of each verdict, for which actions can be told."""
    seen = {"bad-plan"}
    for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines():
        text = json.loads(line)["plan"]
        report = validate(task, text)
        if report.verdict not in seen:
            seen.add(report.verdict)
            yield read_plan(text), report


@pytest.mark.parametrize("name", NUMERIC)
def test_a_numeric_task_is_told_and_judged_without_a_planner(name: str, shared: Path) -> None:
    folder = shared / "numeric" / name
    task = load_task(folder / "domain.pddl", folder / "problem.pddl")
    told = convert(task)
    names = make_names(task, "typed")
    teller = Teller(task, told.wording, names)
    again = read_problem(told.problem_text, task.domain, told.wording)
    values = {item.fluent: item.value for item in again.init_values}
    assert values == {
        GroundAtom((item.fluent[0], *(names.to_nl[arg] for arg in item.fluent.args))): item.value
        for item in task.problem.init_values
    }
    reader = Reader(task, told.wording, names)
    judged = set()
    for plan, report in _plans(folder, task):
        lines = [teller.action(step.action) for step in plan.steps]
        assert [reading.action for reading in reader.read("\n".join(lines)).chosen] == [s.action for s in plan.steps]
        assert all(sentence.endswith(".") for sentence in explain(report, teller))
        result = run(task, "basic", ScriptedModel(["\n".join(["[PLAN]", *lines, "[PLAN END]"])]), example="none")
        assert result.outcome == OUTCOMES[report.verdict]
        judged.add(report.verdict)
    assert "valid" in judged


def _task(shared: Path, name: str) -> Task:
    return load_task(shared / "ipc" / name / "domain.pddl", shared / "ipc" / name / "problem.pddl")


@pytest.fixture(scope="module")
def played(request: pytest.FixtureRequest, shared: Path, needs_planner: None) -> Iterator[dict[str, Future[RunRecord]]]:
    """The runs on the selected tasks, two at a time, since each waits for planners most of its time."""
    names = [
        item.callspec.params["name"]
        for item in request.session.items
        if item.path == Path(__file__) and isinstance(item, pytest.Function) and "played" in item.fixturenames
    ]
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(run, _task(shared, name), policy="react", model="oracle") for name in names}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.heavy] if n in LONG else []) for n in TASKS])
def test_a_real_task_is_told_and_solved_from_what_was_told(
    name: str, shared: Path, played: dict[str, Future[RunRecord]]
) -> None:
    task = _task(shared, name)
    told = convert(task)
    assert all(told.names.to_nl[item] in told.objects_text for item in task.objects)
    assert told.init_text.count("\nand ") >= len(set(task.problem.init)) - 1
    result = played[name].result()
    assert result.outcome == "solved"
    assert result.mistakes == 0
