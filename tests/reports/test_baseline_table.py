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


@pytest.fixture
def table(write: Any, act_events: Any, planned: Any) -> BaselineTable:
    """Two visitall tasks, one with three walks and one with two, of which a third broke; and one of another domain."""
    records: dict[str, Record] = {}

    def walk(name: str, problem: str, outcome: Any) -> None:
        started = structs.replace(
            act_events[0], policy="random", model="none", problem_pddl=problem, suite=name.partition("-")[0]
        )
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
    visitall = table.rows[1]
    assert visitall.label == "visitall"
    walks, brfs, lmcut, ff = visitall.cells
    # A third of the one task's walks, and half of the other's that were scored.
    assert walks.solved == pytest.approx(1 / 3 + 1 / 2)
    assert (walks.tasks, walks.broken, dict(walks.unsolved)) == (2, 1, {"budget": 2, "gave-up": 1})
    assert (brfs.solved, brfs.tasks, dict(brfs.unsolved), brfs.mean_seconds) == (1, 2, {"timeout": 1}, 2.0)
    assert (lmcut.tasks, lmcut.broken, lmcut.mean_seconds, str(lmcut)) == (0, 1, None, "–")
    assert (str(ff), ff.mean_seconds) == ("2 of 2", 2.0)


def test_what_broke_is_apart_and_the_sum_is_that_of_the_rows(table: BaselineTable) -> None:
    assert [record.id for record in table.broken] == ["visitall-two-2", "visitall-one-lmcut"]
    assert [str(cell) for cell in table.total.cells] == ["0.8 of 2", "1 of 2", "–", "3 of 3"]
    assert table.total.cells[3].mean_seconds == 3.0


def test_the_papers_numbers_stand_beside_the_domains_that_it_has(table: BaselineTable) -> None:
    own, visitall = table.rows
    assert (own.paper, visitall.paper, table.total.paper) == (None, (8, 20, 20, 20), (8, 20, 20, 20))


def test_the_table_as_text_markdown_csv_and_json(table: BaselineTable) -> None:
    text = written([table.table()], "text").strip().split("\n")
    assert text[0].split() == ["paper"]
    assert text[1].split() == ["rnd", "BrFS", "LM-cut", "FF", "rnd", "BrFS", "LM-cut", "FF"]
    assert text[4].split() == [
        "visitall",
        *["0.8", "of", "2", "1", "of", "2", "–", "2", "of", "2", "8", "20", "20", "20"],
    ]
    assert text[-1].split() == ["seconds", "a", "plan", "–", "2.0", "–", "3.0"]
    markdown = written([table.table()], "markdown").strip().split("\n")
    assert markdown[0] == "|  | rnd | BrFS | LM-cut | FF | paper: rnd | paper: BrFS | paper: LM-cut | paper: FF |"
    assert markdown[3] == "| visitall | 0.8 of 2 | 1 of 2 | – | 2 of 2 | 8 | 20 | 20 | 20 |"
    assert len({line.count("|") for line in markdown}) == 1
    lines = list(csv.DictReader(io.StringIO(written([table.table()], "csv"))))
    assert [line["line"] for line in lines] == ["own", "visitall", "sum", "seconds a plan"]
    assert (lines[1]["BrFS"], lines[1]["paper: BrFS"]) == ("1", "20")
    assert lines[1]["BrFS: details"] == "1 timeout; 2.000 s a plan"
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
    assert [error["run"] for error in data["infrastructure_errors"]] == ["visitall-two-2", "visitall-one-lmcut"]


def test_of_nothing_there_is_an_empty_table() -> None:
    empty = baseline_table([], "scaled")
    assert (empty.rows, empty.total.paper) == ((), None)
    assert [str(cell) for cell in empty.total.cells] == ["–"] * 4
    assert written([empty.table()], "text").split()[:2] == ["paper", "rnd"]
