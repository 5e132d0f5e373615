"""Which page and place a run gets."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.html.pages import plan_pages
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
