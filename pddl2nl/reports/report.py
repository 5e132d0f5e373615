"""The tables of a report, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from pddl2nl.reports.comparison import compare, comparison_table, comparisons, corrected
from pddl2nl.reports.gathering import Gathered, own_tables
from pddl2nl.reports.tables import Table, links_table, metrics_tables, table_json, tables_of


def report_tables(gathered: Gathered, columns: Sequence[str], metric: str, *, paper: bool) -> Sequence[Table]:
    """All tables of a report, in their order.

    ``columns`` are headings of columns to compare with one another by a metric; none for the best with each other one.
    """
    if own_tables(gathered.runs.values()) and not columns:
        # What they ask is not compared, say, question by question.
        return tables_of(gathered, paper=paper)
    chosen = [compare(gathered, a, b, metric) for a, b in combinations(dict.fromkeys(columns), 2)]
    made = corrected(chosen) if columns else comparisons(gathered, metric)
    compared = comparison_table(made, best=not columns)
    tables = [*tables_of(gathered, paper=paper), *metrics_tables(gathered), links_table(gathered)]
    return tables if compared is None else [*tables, compared]


def report_json(gathered: Gathered, tables: Sequence[Table], drawn: Sequence[str]) -> dict[str, object]:
    """The object that ``pddl2nl report --json`` prints; ``drawn`` are the files of plots."""
    return {
        "name": gathered.layout.name,
        "runs": len(gathered.runs),
        "missing": len(gathered.missing),
        "infrastructure_errors": [{"run": run.name, "message": run.message} for run in gathered.broken],
        "notes": [*gathered.alarms],
        "tables": [table_json(table) for table in tables],
        "plots": drawn,
    }
