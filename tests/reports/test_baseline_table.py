"""The table of the baselines: what is counted, what is averaged, and the paper's numbers beside it."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from msgspec import structs

from pddl2nl.policies.events import Fault, Finished
from pddl2nl.reports import Record, read_record
from pddl2nl.reports.tables import written
from pddl2nl.reports.tables.baselines import BaselineTable, baseline_table
from tests.records import changed


@pytest.fixture
def table(write: Any, act_events: Any, planned: Any) -> BaselineTable:
    """Two visitall tasks, one with three walks and one with two, of which a third broke; and one of another domain."""
    records: dict[str, Record] = {}

    def walk(name: str, problem: str, outcome: Any) -> None:
        started = changed(act_events[0], policy="random", models={}, problem_pddl=problem, suite=name.partition("-")[0])
        fault = None if outcome == "solved" else Fault(9, outcome, f"because of {name}")
        records[name] = read_record(write(name, [started, Finished(outcome, fault, seconds=0.5)]))

    def search(name: str, problem: str, planner: str, status: str, seconds: float) -> None:
        plan = planned.plan if status == "solved" else None
        made = structs.replace(
            planned,
            planner=planner,
            problem_pddl=problem,
            status=status,
            plan=plan,
            seconds=seconds,
            suite=name.partition("-")[0],
        )
        records[name] = read_record(write(name, made))

    for number, outcome in enumerate(("solved", "budget", "budget")):
        walk(f"visitall-one-{number}", "one", outcome)
    for number, outcome in enumerate(("solved", "gave-up", "infrastructure-error")):
        walk(f"visitall-two-{number}", "two", outcome)
    search("visitall-one-ff", "one", "ff", "solved", 1.0)
    search("visitall-two-ff", "two", "ff", "solved", 3.0)
    search("visitall-one-brfs", "one", "brfs", "timeout", 60.0)
    search("visitall-two-brfs", "two", "brfs", "solved", 2.0)
    search("visitall-one-lmcut", "one", "lmcut", "error", 0.0)
    search("own-one-ff", "three", "ff", "solved", 5.0)
    search("own-one-lama", "three", "lama", "solved", 5.0)
    return baseline_table(records.values(), "primary")


def test_a_walk_counts_with_its_share_of_the_seeds(table: BaselineTable) -> None:
    visitall: Any = table.as_json()["domains"]["visitall"]
    # A third of the one task's walks, and half of the other's that were scored.
    assert visitall["random"]["solved"] == pytest.approx(1 / 3 + 1 / 2, abs=1e-6)
    assert visitall["random"] | {"solved": 0, "mean_seconds": 0} == {
        "solved": 0,
        "tasks": 2,
        "unsolved": {"budget": 2, "gave-up": 1},
        "broken": 1,
        "mean_seconds": 0,
        "paper": 8,
    }
    brfs = {"solved": 1, "tasks": 2, "unsolved": {"timeout": 1}, "broken": 0, "mean_seconds": 2.0, "paper": 20}
    assert visitall["brfs"] == brfs
    lmcut = visitall["lmcut"]
    assert (lmcut["solved"], lmcut["tasks"], lmcut["broken"], lmcut["mean_seconds"]) == (0, 0, 1, None)
    assert table.unsolved() == [("visitall", "BrFS", {"timeout": 1})]


def test_what_broke_is_apart_and_domains_without_the_papers_numbers_have_none(table: BaselineTable) -> None:
    assert [run.name for run in table.broken] == ["visitall-one-lmcut", "visitall-two-2"]
    data: Any = table.as_json()
    papers = [[cell["paper"] for cell in row.values()] for row in (*data["domains"].values(), data["sum"])]
    assert papers == [[None] * 4, [8, 20, 20, 20], [8, 20, 20, 20]]
    assert data["sum"]["ff"]["mean_seconds"] == 3.0


def test_the_table_as_text_markdown_csv_and_json(table: BaselineTable) -> None:
    text = written([table.table()], "text").split("\n")
    assert text[2].split() == ["domain", "rnd", "BrFS", "LM-cut", "FF", "rnd", "BrFS", "lmc", "FF"]
    lines = {line.label: [cell.text for cell in line.cells] for line in table.table().lines}
    paper = ["8 of 20", "20 of 20", "20 of 20", "20 of 20"]
    assert lines["visitall (2)"] == ["0.8 (1 broken)", "1", "– (1 broken)", "2", *paper]
    assert lines["own (1)"] == ["", "", "", "1", "", "", "", ""]
    assert lines["sum (3)"] == ["0.8 of 2 (1 broken)", "1 of 2", "– (1 broken)", "3", *paper]
    assert lines["seconds a plan"] == ["–", "2.0", "–", "3.0", "", "", "", ""]
    markdown = written([table.table()], "markdown").split("\n")
    assert markdown[0].startswith("| domain | rnd | BrFS | LM-cut | FF | paper: ")
    rows = list(csv.DictReader(io.StringIO(written([table.table()], "csv"))))
    assert [row["domain"] for row in rows] == ["own (1)", "visitall (2)", "sum (3)", "seconds a plan"]
    assert rows[1]["rnd: details"].startswith("2 of 5 runs")
    data: Any = table.as_json()
    assert data["domains"]["visitall"]["random"]["solved"] == round(5 / 6, 6)
    assert data["sum"]["ff"] == {
        "solved": 3,
        "tasks": 3,
        "unsolved": {},
        "broken": 0,
        "mean_seconds": 3.0,
        "paper": 20,
    }
    assert [error["run"] for error in data["infrastructure_errors"]] == ["visitall-one-lmcut", "visitall-two-2"]


def test_of_nothing_there_is_an_empty_table() -> None:
    empty = baseline_table([], "scaled")
    assert empty.as_json()["domains"] == {}
    assert [line.label for line in empty.table().lines] == ["seconds a plan"]
