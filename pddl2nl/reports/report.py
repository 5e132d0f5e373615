"""The tables of a report, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from pddl2nl.reports.comparison import compare, comparison_table, comparisons, corrected
from pddl2nl.reports.gathering import Gathered, own_tables
from pddl2nl.reports.reviewing import doubts, how_table
from pddl2nl.reports.tables import Table, links_table, metrics_tables, table_json, tables_of


def report_tables(
    gathered: Gathered, columns: Sequence[str], metric: str, *, paper: bool, seeds: bool = False, how: bool = True
) -> Sequence[Table]:
    """All tables of a report, in their order.

    ``columns`` are headings of columns to compare with one another by a metric; none for the best with each other one.
    ``seeds`` adds a column for each seed to the tables of coverage; ``how`` puts the table of how it was run first.
    """
    first = [how_table(gathered)] if how else []
    if own_tables(gathered.runs.values()) and not columns:
        # What they ask is not compared, say, question by question.
        return [*first, *tables_of(gathered, paper=paper)]
    chosen = [compare(gathered, a, b, metric) for a, b in combinations(dict.fromkeys(columns), 2)]
    made = corrected(chosen) if columns else comparisons(gathered, metric)
    compared = comparison_table(made, best=not columns)
    tables = [*first, *tables_of(gathered, paper=paper, seeds=seeds), *metrics_tables(gathered), links_table(gathered)]
    return tables if compared is None else [*tables, compared]


def alarms_of(gathered: Gathered) -> tuple[str, ...]:
    """What to read before the numbers: `Gathered.alarms`, and what to doubt."""
    found = [f"  {sentence}" for sentence in doubts(gathered)]
    return (*gathered.alarms, *(["What to doubt", *found] if found else []))


def report_json(gathered: Gathered, tables: Sequence[Table], drawn: Sequence[str]) -> dict[str, object]:
    """The object that ``pddl2nl report --json`` prints; ``drawn`` are the files of plots."""
    return {
        "name": gathered.layout.name,
        "runs": len(gathered.runs),
        "missing": len(gathered.missing),
        "infrastructure_errors": [{"run": run.name, "message": run.message} for run in gathered.broken],
        "notes": [*gathered.alarms],
        "doubts": [*doubts(gathered)],
        "how": {line.label: line.cells[0].text for line in how_table(gathered).lines},
        "tables": [table_json(table) for table in tables],
        "plots": drawn,
    }
