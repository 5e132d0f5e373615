"""What every metric, table, plot and shipped specification keeps to: one that is added is tested the day it is."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import product
from typing import Any, get_args

import pytest
from msgspec import structs

from pddl2nl.errors import InputError
from pddl2nl.experiments.layout import LayoutColumn, LayoutRow, LayoutTable, TableLayout
from pddl2nl.experiments.records.stored import Record, read_record
from pddl2nl.experiments.specification.schema import TABLES as CORE_TABLES
from pddl2nl.experiments.specification.shipped import Specification, shipped_specs
from pddl2nl.plugins import systems
from pddl2nl.policies.events import Acted, Failed, Fault, Finished
from pddl2nl.policies.paper import paper_tables, papers, system_tables
from pddl2nl.policies.reporting import Comparable, RunMetric
from pddl2nl.questions import SYSTEM as QUESTIONS
from pddl2nl.reports.comparison import compare
from pddl2nl.reports.gathering import Gathered
from pddl2nl.reports.metrics import all_metrics, roles
from pddl2nl.reports.plots import NoDataError, Plot, all_plots
from pddl2nl.reports.tables import FORMATS, table_kinds, written
from pddl2nl.reports.tables.grid import paper_table
from pddl2nl.reports.tables.model import Heading
from tests.records import changed

METRICS, PLOTS, TABLES, NUMBERS = all_metrics(), all_plots(), table_kinds(), paper_tables()
BY_TASK = {table.kind for paper in papers().values() for table in paper.tables if table.lines in ("tasks", "other")}
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ACT, REACT = LayoutColumn("Act", "NL", policy="act"), LayoutColumn("ReA", "NL", policy="react")
WALK, FF = LayoutColumn("rnd", "Symb.", "walk", "random"), LayoutColumn("FF", "Symb.", "planner", "ff")


def has_events(name: str) -> bool:
    return bool(systems()[name].events) and systems()[name].package.startswith("pddl2nl.systems.")


def named(values: Any) -> Any:
    return pytest.param(values, id=str(getattr(values, "name", None) or values.key))


# ── metrics ──────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def records(write, act_events, basic_events, planned) -> dict[str, Record]:
    """A run of each kind: turn by turn, at once, of systems, a walk, planners with and without plans, a broken one."""
    walk = changed(act_events[0], policy="random", models={})
    broken = Finished("infrastructure-error", Fault(1, "infrastructure-error", "503"))
    items = {
        "act": act_events,
        "basic": basic_events,
        **{name: import_module(f"tests.systems.{name}.record").recorded() for name in systems() if has_events(name)},
        "walk": [walk, Acted(1, "(pick-up a)"), Finished("budget", Fault(1, "budget", "…"))],
        "planner": planned,
        "no plan": structs.replace(planned, status="unsolvable", plan=()),
        "broken": [*act_events[:3], Failed(1, "503"), broken],
    }
    return {name: read_record(write(name, item)) for name, item in items.items()}


@pytest.mark.parametrize("metric", [*map(named, METRICS.values())])
def test_a_metric_knows_its_name_direction_aggregation_and_when_it_is_comparable(metric: RunMetric) -> None:
    assert METRICS[metric.name] is metric
    assert NAME.fullmatch(metric.name)
    assert metric.summary
    assert not metric.summary.endswith(".")
    assert metric.better in ("higher", "lower")
    assert metric.together in ("sum", "mean")
    assert metric.comparable in get_args(Comparable)


@pytest.mark.parametrize("metric", [*map(named, METRICS.values())])
def test_a_metric_is_a_pure_function_of_the_stored_events(metric: RunMetric, records: dict[str, Record]) -> None:
    values = {name: metric.of(record) for name, record in records.items()}
    # No other role was asked here, nor is the model's price known.
    unknown = metric.name.startswith(("unsolvable", "usd", *(role for role in roles() if role != "planner")))
    # One that is never compared may need circumstances that these runs did not have.
    unknown = unknown or metric.comparable == "never"
    assert unknown or any(value is not None for value in values.values())
    for name, value in values.items():
        assert value is None or (math.isfinite(value) and value >= 0), name
        again = read_record(records[name].path)
        assert again == records[name], "measuring changes no record"
        assert metric.of(again) == value
        assert isinstance(metric.guessed(again), bool)


@pytest.mark.parametrize("metric", [*map(named, METRICS.values())])
def test_columns_are_compared_by_every_metric_that_may_be(
    metric: RunMetric, experiment_of: Callable[..., Gathered]
) -> None:
    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> dict[str, float]:
        return {"coverage": 1.0, metric.name: 1.0 + (column is ACT)}

    gathered = experiment_of([ACT, REACT], [LayoutRow("ferry")], result, 3, (1, 2))
    if metric.comparable == "never":
        with pytest.raises(InputError, match=f"'{metric.name}'.*is not compared"):
            compare(gathered, "NL Act", "NL ReA", metric.name)
    else:
        found = compare(gathered, "NL Act", "NL ReA", metric.name)
        assert (found.instances, found.differences) == (3, (1.0,) * 3)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def experiments(experiment_of: Callable[..., Gathered], hostile: str) -> dict[str, Gathered]:
    """A usual experiment, one of hostile names, one in which everything broke or is missing, and one of nothing."""

    def result(row: LayoutRow, column: LayoutColumn, task: int, seed: int | None) -> Any:
        asked = {"planner-prompt-tokens": 100.0} if column.kind == "model" else {}
        return {"coverage": float(task < 2), **asked} if task < 3 else "inapplicable"

    odd = [LayoutColumn(hostile, hostile), LayoutColumn("=1+1", "\x1b[31m\n|&%$#_{}~^\\")]
    rows = [LayoutRow("ferry", "primary"), LayoutRow("ferry", "primary", "PlanBench"), LayoutRow("ferry", "scaled")]
    return {
        "usual": experiment_of([ACT, REACT, WALK, FF], rows, result, 4, (1, 2)),
        "hostile": experiment_of(odd, [LayoutRow(hostile), LayoutRow("-2\r\n@x", "\\input{x}")], result, 3),
        "broken": experiment_of([ACT, FF], rows, lambda *run: "broken" if run[2] else "missing", 2),
        "nothing": Gathered(None, TableLayout("", (), (), {}), {}),
    }


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_whole_whatever_there_is_and_can_be_written_in_every_format(
    kind: str, experiments: dict[str, Gathered]
) -> None:
    assert NAME.fullmatch(kind)
    for name, gathered in experiments.items():
        table = TABLES[kind](gathered, LayoutTable(kind))
        assert table == TABLES[kind](gathered, LayoutTable(kind)), name
        assert table.title
        lines = [line for section in table.sections for line in section.lines]
        assert all(len(line.cells) == len(table.headings) for line in lines), name
        titled = TABLES[kind](gathered, LayoutTable(kind, "Of my own"))
        assert titled.title == "Of my own"
        for form in FORMATS:
            assert written([table], form).strip(), (name, form)
        rows = [*csv.reader(io.StringIO(written([table], "csv")))]
        assert len({len(row) for row in rows}) == 1, name


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_links_to_places_that_there_are(kind: str, experiments: dict[str, Gathered]) -> None:
    gathered = experiments["usual"]
    table = TABLES[kind](gathered, LayoutTable(kind))
    cells = [cell for section in table.sections for line in section.lines for cell in line.cells]
    # A line of one column over all rows is found by filters. These runs are of no task that a paper has, and no
    # questions.
    shown = [dict(cell.show) for cell in cells if cell.show]
    assert shown or kind in BY_TASK or kind in QUESTIONS.tables
    for filters in shown:
        assert any(gathered.cell(int(row), int(filters["column"])) for row in filters.get("row", "0,1,2").split(",")), (
            filters
        )


def test_a_specification_may_ask_for_the_tables_that_there_are() -> None:
    assert tuple(TABLES) == (*CORE_TABLES, *system_tables())


# ── plots ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("plot", [*map(named, PLOTS.values())])
def test_a_plot_is_drawn_or_says_why_not(plot: Plot, experiments: dict[str, Gathered]) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'pddl2nl[plots]'")
    assert PLOTS[plot.key] is plot
    assert NAME.fullmatch(plot.key)
    assert plot.title
    assert plot.caption.endswith(".")
    for name in ("broken", "nothing"):
        with pytest.raises(NoDataError) as caught:
            plot.figure(experiments[name])
        assert len(str(caught.value)) > 10, name
    for name in ("usual", "hostile"):
        with suppress(NoDataError):
            assert plot.figure(experiments[name]).axes


# ── shipped specifications ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shipped", [*map(named, shipped_specs())])
def test_a_shipped_specification_explains_itself(shipped: Specification) -> None:
    assert NAME.fullmatch(shipped.name)
    assert 40 < len(shipped.about) < 200


def test_every_table_of_the_papers_stands_in_a_shipped_specification() -> None:
    texts = {each.text for each in shipped_specs()}
    loaded = {table.paper for each in shipped_specs() if "tables=[{" in each.text for table in tables_in(each)}
    assert [name for name in {*NUMBERS} - loaded if not any(f'"{name}"' in text for text in texts)] == []


def tables_in(shipped: Specification) -> Sequence[LayoutTable]:
    """The tables of an experiment; none where it needs a folder of others."""
    try:
        return shipped.load().tables
    except InputError:
        return ()


@pytest.mark.parametrize(
    ("key", "paper"), [*product([name for name, table in NUMBERS.items() if table.lines == "domains"], (True, False))]
)
def test_the_papers_numbers_stand_apart_from_ours(key: str, paper: bool, experiment_of: Any) -> None:
    columns = [
        LayoutColumn(one.name, one.group, one.kind, one.policy, "m", one.style, one.wording)  # type: ignore[arg-type]
        for one in paper_table(key).columns
    ]
    [row, *_] = [row for row in paper_table(key).rows if row.values]
    gathered = experiment_of(columns, [LayoutRow(row.label, row.section, row.variant)], lambda *run: True, 1)
    kind = NUMBERS[key].kind
    table = TABLES[kind](gathered, LayoutTable(kind, paper=key), paper=paper)
    ours = [heading for heading in table.headings if not heading.paper]
    theirs = [Heading(heading.name, heading.group) for heading in table.headings if heading.paper]
    assert bool(theirs) is paper
    assert set(theirs) <= set(ours)
    assert any("paper" in note for note in table.notes) is paper
