"""Reports: metrics as pure functions of stored records, the tables, and the pages that show every run.

The module that writes pages is imported at its first use, because a metric needs no templates.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pddl2nl.reports.gathering import Gathered, gather, gathered
from pddl2nl.reports.metrics import METRICS, Aggregate, Metric, aggregate, measure
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.records import PlannerRecord, Record, RunRecord, read_record
from pddl2nl.reports.summaries import BrokenLink, RunSummary, summarize

if TYPE_CHECKING:
    from pddl2nl.reports.html import render_report, write_html

__all__ = [
    "METRICS",
    "Aggregate",
    "BrokenLink",
    "Gathered",
    "Metric",
    "PlannerRecord",
    "Recheck",
    "Record",
    "RunRecord",
    "RunSummary",
    "aggregate",
    "gather",
    "gathered",
    "measure",
    "read_record",
    "recheck",
    "render_report",
    "summarize",
    "write_html",
]


def __getattr__(name: str) -> Any:
    if name not in ("render_report", "write_html"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.html"), name)
