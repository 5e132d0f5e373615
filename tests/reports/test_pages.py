"""Which page and place a run gets, and the first page: every number of a comparison opens what is behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.experiments.layout import LayoutColumn, LayoutRow
from pddl2nl.reports.gathering import Gathered, gathered
from pddl2nl.reports.html.pages import overview_of, plan_pages
from pddl2nl.reports.summaries import RunSummary


def _run(name, task="p01", seed=1, policy="act", task_id=None):
    return RunSummary(name, Path(name), "s", task, task_id or task, "d", "p", 2, policy, "m", seed=seed)


def test_runs_of_one_task_stand_on_one_page_in_the_order_of_their_numbers():
    runs = [_run(f"{task}-{seed}", task, seed) for task in ("p10", "p2") for seed in (2, 1)]
    plan = plan_pages(gathered(runs))
    assert [page.name for page in plan.pages] == ["task-s-p2", "task-s-p10"]
    assert [[run.anchor for run in page.runs] for page in plan.pages] == [
        ["run-p2-1", "run-p2-2"],
        ["run-p10-1", "run-p10-2"],
    ]
    assert plan.page_of()["run-p2-1"] == "task-s-p2"


@given(st.lists(st.text(max_size=12), max_size=12, unique=True))
def test_no_name_chooses_a_path_or_an_anchor(names):
    plan = plan_pages(gathered([_run(name, task=name, task_id=str(index)) for index, name in enumerate(names)]))
    anchors = [run.anchor for run in plan.runs]
    pages = [page.name for page in plan.pages]
    assert len(set(anchors)) == len(anchors) == len(names)
    assert len(set(pages)) == len(pages)
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert all(set(name) <= allowed and len(name) < 100 for name in (*anchors, *pages))


def test_a_comparison_opens_its_columns_and_its_instances(experiment_of: Callable[..., Gathered]) -> None:
    columns = [LayoutColumn("Bas", "NL", policy="basic"), LayoutColumn("Act", "NL", policy="act")]
    rows = [LayoutRow("ferry", "primary"), LayoutRow("ferry", "primary", "PlanBench"), LayoutRow("ferry", "scaled")]

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> bool | str:
        if row.variant and column.name == "Bas":
            return "absent"
        return task < (3 if column.name == "Act" else 1)

    plan = plan_pages(experiment_of(columns, rows, result))
    overview = overview_of(plan, plots=False)
    primary, scaled, variant = (part.lines for part in overview["comparisons"][0].sections)
    compared, _, a, b, *_, better, equal, worse, _, _, _, _ = primary[0].cells
    assert compared.against
    assert compared.show == (("a", "1"), ("b", "0"), ("row", "0"), ("which", ""))
    assert (a.show, b.show) == ((("row", "0"), ("column", "1")), (("row", "0"), ("column", "0")))
    assert (better.text, better.show[-1]) == ("2", ("which", "better"))
    assert (equal.text, equal.show[-1]) == ("2", ("which", "equal"))
    assert (worse.text, worse.show) == ("0", ())
    assert ("row", "2") in scaled[0].cells[0].show
    # One column with itself on other rows: nothing stands side by side.
    assert variant[0].cells[0].show == ()
    assert [cell.show[0] for cell in variant[0].cells[2:4]] == [("row", "0"), ("row", "1")]
