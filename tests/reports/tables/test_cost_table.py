"""What a solved task costs, by column."""

from __future__ import annotations

from dataclasses import replace

from pddl2nl.experiments.layout import LayoutRow
from pddl2nl.reports.tables.costs import cost_table

SPENT = {"tokens": 1.0, "prompt-tokens": 900.0, "cached-tokens": 600.0, "new-tokens": 300.0, "completion-tokens": 60.0}


def _with(found, values):
    """The runs of the first two columns, with values by column."""
    runs = {
        name: replace(run, values=run.values | values[name[2:4]]) if name[2:4] in values else run
        for name, run in found.runs.items()
    }
    cells = {place: tuple(runs[run.name] for run in here) for place, here in found.cells.items()}
    return replace(found, runs=runs, cells=cells)


def test_failed_runs_are_paid_for_by_the_solved_ones(build, heads):
    # Of four tasks the first column solves two, the second none.
    found = build((LayoutRow("ferry", tasks=4),), heads, {(0, 0): 2, (0, 1): 0})
    found = _with(found, {"c0": SPENT | {"usd": 0.01, "seconds": 3.0}, "c1": SPENT})
    table = cost_table(found)
    assert table is not None
    assert [line.label for line in table.lines] == ["NL Bas", "NL Act"], "a column without tokens is left out"
    assert [cell.text for cell in table.lines[0].cells] == ["2", "1,800", "1,200", "600", "120", "0.0200", "6.0"]
    assert [cell.text for cell in table.lines[1].cells] == ["0", *"–" * 6]


def test_a_cost_that_some_run_lacks_is_not_shown(build, heads):
    found = build((LayoutRow("ferry", tasks=2),), heads, {(0, 0): 2})
    found = _with(found, {"c0": SPENT})
    (line,) = cost_table(found).lines
    assert [cell.text for cell in line.cells] == ["2", "900", "600", "300", "60", "–", "–"]


def test_there_is_no_table_where_no_model_was_asked(build, heads):
    assert cost_table(build((LayoutRow("ferry", tasks=2),), heads, {(0, 4): 2})) is None
