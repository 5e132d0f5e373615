"""Suites that are estimated to cost too much keep the tasks that a cheap planner solves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.baselines import PlannerResult, TaskTexts
from pddl2nl.errors import InputError
from pddl2nl.experiments.specification.domains import SolvedBy
from pddl2nl.experiments.specification.experiment import ExperimentSpec, load_experiment
from pddl2nl.experiments.specification.filters import limit_costs, narrow
from pddl2nl.experiments.specification.product import jobs_of, layout_of, placed_jobs
from pddl2nl.pddl import parse_task

Load = Callable[[str], ExperimentSpec]

DOMAIN = (
    "(define (domain lamps) (:predicates (lit ?x) (dark ?x)) "
    "(:action on :parameters (?x) :precondition (dark ?x) :effect (and (lit ?x) (not (dark ?x)))))"
)


def problem(objects: int) -> str:
    names = " ".join(f"l{n}" for n in range(objects))
    dark = " ".join(f"(dark l{n})" for n in range(objects))
    return f"(define (problem of-{objects}) (:domain lamps) (:objects {names}) (:init {dark}) (:goal (lit l0)))"


@pytest.fixture
def load(tmp_path: Path) -> Load:
    for suite, sizes in (("small", (1, 2)), ("large", (1, 2, 40, 50))):
        folder = tmp_path / "bench" / suite
        folder.mkdir(parents=True)
        (folder / "domain.pddl").write_text(DOMAIN, encoding="utf-8")
        for number, size in enumerate(sizes, 1):
            (folder / f"p{number:02}.pddl").write_text(problem(size), encoding="utf-8")

    def load_(costlier: str) -> ExperimentSpec:
        path = tmp_path / "spec.toml"
        path.write_text(
            'domains = [{ suite = "bench", solved-by = "ff", within = "5m", memory = "1g", '
            f"costlier = {costlier} }}]\n"
            'models = ["oracle"]\nseeds = [1, 2, 3]\n[[columns]]\npolicy = "basic"\n[[columns]]\npolicy = "random"\n',
            encoding="utf-8",
        )
        return load_experiment(path)

    return load_


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Planners that solve everything (FF) or what is small (the others); which were asked."""
    found: list[str] = []

    def solve(texts: TaskTexts, planner: str, *, time_limit: int, memory_limit_mb: int | None) -> PlannerResult:
        assert (time_limit, memory_limit_mb) == (300, 1024)
        found.append(planner)
        if planner == "ff" or len(parse_task(texts.domain, texts.problem).problem.objects) < 50:
            return PlannerResult(planner, "solved", (), 0, 1.5, 3, "s")
        return PlannerResult(planner, "timeout", None, None, float(time_limit), None, "s")

    monkeypatch.setattr("pddl2nl.experiments.specification.filters.solve", solve)
    monkeypatch.setattr("pddl2nl.experiments.planner_cache.version", lambda: "Fast Downward 0")
    return found


def told(said: ExperimentSpec) -> dict[tuple[str, str], list[str]]:
    return {(one.row, one.section): [task.name for task in one.tasks] for one in said.domains}


@pytest.mark.usefixtures("needs_planner")
def test_only_what_costs_too_much_is_narrowed_and_stands_in_a_section_of_its_own(load: Load, asked: list[str]) -> None:
    text = '{ than = 0.02, as = "gpt-4o-2024-08-06", solved-by = "brfs" }'
    decided = narrow(load(text))
    assert {*asked} == {"ff"}
    # Estimates reckon with as many turns as FF's plan has steps.
    assert {task.plan_length for one in decided.domains for task in one.tasks} == {0}
    limited = limit_costs(decided)
    # Its own price counts for nothing: the oracle is free.
    assert [note for note in limited.notes if note.startswith("large: as gpt-4o-2024-08-06 its 4 tasks are estimated")]
    filters = {one.row: {task.filters for task in one.tasks} for one in limited.domains}
    assert filters == {"large": {(SolvedBy("brfs", 300, 1024),)}, "small": {()}}
    said = narrow(limited)
    assert asked.count("brfs") == 4
    assert told(said) == {("large", "solved by brfs"): ["p01", "p02", "p03"], ("small", ""): ["p01", "p02"]}
    layout = layout_of(said, placed_jobs(said))
    # Below what is not limited, as in the paper, though its name comes first.
    assert [(row.label, row.section, row.tasks) for row in layout.rows] == [
        ("small", "", 2),
        ("large", "solved by brfs", 3),
    ]
    assert len(jobs_of(said)) == 5 * (3 + 3)


@pytest.mark.usefixtures("needs_planner")
def test_what_costs_little_is_left_alone(load: Load, asked: list[str]) -> None:
    decided = narrow(load('{ than = 150, as = "gpt-4o-2024-08-06", solved-by = "brfs" }'))
    assert limit_costs(decided) == decided
    assert "brfs" not in asked
    some = '{ than = 0, as = "gpt-4o-2024-08-06", solved-by = "brfs" }'
    plain = narrow(load(f'{some}, section = "all"'))
    moved = limit_costs(plain).domains
    assert {one.section for one in moved} == {"solved by brfs"}
    assert {one.part for one in moved} == {"all"}, "columns that name a section are for what it was"


@pytest.mark.parametrize(
    ("costlier", "message"),
    [
        ('{ than = "x", as = "m", solved-by = "brfs" }', r"domains\[0\].costlier.than is 'x'; expected a number"),
        ('{ than = 1, as = "m" }', r"domains\[0\].costlier.solved-by is missing"),
        (
            '{ than = 1, as = "m", solvedby = "ff" }',
            "unknown key .*costlier.solvedby; did you mean 'solved-by'",
        ),
        ("150", r"domains\[0\].costlier is 150; expected a table"),
    ],
)
def test_what_is_wrong_is_said(load: Load, costlier: str, message: str) -> None:
    with pytest.raises(InputError, match=rf":1:\d+: {message}"):
        load(costlier)


@pytest.mark.usefixtures("needs_planner", "asked")
def test_a_price_that_is_not_known_is_said(load: Load) -> None:
    with pytest.raises(InputError, match=r":1:\d+: costlier needs the price of 'nobody', which is not known"):
        limit_costs(narrow(load('{ than = 1, as = "nobody", solved-by = "brfs" }')))
