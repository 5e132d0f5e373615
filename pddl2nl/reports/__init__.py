"""Reports: metrics as pure functions of stored records, the coverage table, and the page that shows every run."""

from __future__ import annotations

from pddl2nl.reports.html import render_report, write_report
from pddl2nl.reports.metrics import METRICS, Metric, aggregate
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.records import (
    Column,
    PlannerRecord,
    Record,
    RecordFolder,
    RunRecord,
    read_record,
    read_records,
)
from pddl2nl.reports.table import ORACLE_NOTE, Cell, CoverageTable, Row, coverage_table, print_coverage

__all__ = [
    "METRICS",
    "ORACLE_NOTE",
    "Cell",
    "Column",
    "CoverageTable",
    "Metric",
    "PlannerRecord",
    "Recheck",
    "Record",
    "RecordFolder",
    "Row",
    "RunRecord",
    "aggregate",
    "coverage_table",
    "print_coverage",
    "read_record",
    "read_records",
    "recheck",
    "render_report",
    "write_report",
]
