"""Tables of a report: made once as data (`Table`), then written as text, CSV, Markdown, LaTeX, JSON or HTML."""

from __future__ import annotations

from pddl2nl.reports.tables.coverage import coverage_json, coverage_table, runs_table
from pddl2nl.reports.tables.grid import ORACLE_NOTE
from pddl2nl.reports.tables.kinds import TABLES, tables_of
from pddl2nl.reports.tables.metrics import links_table, metrics_tables
from pddl2nl.reports.tables.model import Heading, Line, Section, Table, TableCell
from pddl2nl.reports.tables.suites import families_table, suites_table
from pddl2nl.reports.tables.tokens import tokens_table
from pddl2nl.reports.tables.writers import (
    FORMATS,
    csv_text,
    latex_text,
    markdown_text,
    plain_text,
    print_tables,
    table_json,
    written,
)

__all__ = [
    "FORMATS",
    "ORACLE_NOTE",
    "TABLES",
    "Heading",
    "Line",
    "Section",
    "Table",
    "TableCell",
    "coverage_json",
    "coverage_table",
    "csv_text",
    "families_table",
    "latex_text",
    "links_table",
    "markdown_text",
    "metrics_tables",
    "plain_text",
    "print_tables",
    "runs_table",
    "suites_table",
    "table_json",
    "tables_of",
    "tokens_table",
    "written",
]
