"""The coverage table."""

from __future__ import annotations

import dataclasses
import io

from rich.console import Console

from pddl2nl.policies.events import Fault, Finished
from pddl2nl.reports import Cell, Column, CoverageTable, Row, coverage_table, print_coverage, read_record


def _print(table, width=120):
    stream = io.StringIO()
    print_coverage(table, Console(file=stream, width=width, highlight=False))
    return stream.getvalue()


def _renamed(events, **fields):
    return [dataclasses.replace(events[0], **fields), *events[1:]]


def test_rows_columns_and_sums(write, act_events, basic_events, planned):
    other = _renamed(act_events, domain="ferry")
    records = [
        read_record(write(name, item))
        for name, item in {"a": act_events, "b": basic_events, "c": planned, "d": other}.items()
    ]
    table = coverage_table(records)
    assert table.columns == (Column("basic", "m"), Column("act", "m"), Column("lmcut"))
    assert [row.label for row in table.rows] == ["blocksworld-4ops", "ferry"]
    assert table.rows[0].cells == (Cell(0, 1), Cell(1, 1), Cell(1, 1))
    assert table.rows[1].cells == (Cell(), Cell(1, 1), Cell())
    assert [str(cell) for cell in table.total.cells] == ["0 of 1", "2 of 2", "1 of 1"]
    assert table.as_json()["columns"][1]["domains"]["ferry"] == {"solved": 1, "runs": 1}


def test_the_text_is_plain_and_holds_every_cell(write, act_events, basic_events):
    table = coverage_table([read_record(write("a", act_events)), read_record(write("b", basic_events))])
    text = _print(table)
    assert "\x1b" not in text
    rows = [line.split() for line in text.splitlines()]
    assert ["blocksworld-4ops", "0", "of", "1", "1", "of", "1"] in rows
    assert ["sum", "0", "of", "1", "1", "of", "1"] in rows
    assert "no language model was asked" not in text


def test_oracle_columns_say_that_no_language_model_was_asked(write, act_events):
    text = _print(coverage_table([read_record(write("a", _renamed(act_events, model="oracle")))]))
    assert "oracle" in text
    assert "no language model was asked" in text


def test_infrastructure_errors_come_first_and_count_nowhere(write, act_events):
    broken = [*act_events[:3], Finished("infrastructure-error", Fault(1, "infrastructure-error", "503 [bold]"))]
    table = coverage_table([read_record(write("bad", broken)), read_record(write("good", act_events))])
    assert [record.id for record in table.broken] == ["bad"]
    assert table.total.cells == (Cell(1, 1, 1),)
    text = _print(table)
    assert text.index("Infrastructure errors: 1") < text.index("bad: 503 [bold]") < text.index("Coverage")
    assert "1 of 1 (1 broken)" in text


def test_a_row_may_bear_another_name(write, act_events):
    table = coverage_table([read_record(write("a", act_events))], label=lambda record: "blocksworld")
    assert [row.label for row in table.rows] == ["blocksworld"]


def test_a_narrow_terminal_cuts_no_number_off():
    labels = ("basic", "cot", "act", "react")
    columns = (*(Column(label, "oracle") for label in labels), *map(Column, ("random", "brfs", "lmcut", "ff", "lama")))
    total = Row("sum", (Cell(10, 10),) * 9)
    text = _print(CoverageTable(columns, (Row("blocksworld", (Cell(2, 2),) * 9),), total, ()), width=80)
    assert "…" not in text
    assert ["sum", *["10/10"] * 9] in [line.split() for line in text.splitlines()]
