"""Reports: metrics as pure functions of stored records, the tables, and the pages that show every run.

`pddl2nl.reports.html` writes pages, `pddl2nl.reports.tables` makes and writes tables, `pddl2nl.reports.plots` draws.
"""

from __future__ import annotations

from pddl2nl.experiments.records.stored import PlannerRecord, Record, RunRecord, read_record
from pddl2nl.reports.coverage import Aggregate, aggregate
from pddl2nl.reports.gathering import Gathered, gather, gathered
from pddl2nl.reports.metrics import add_metric, all_metrics, measure
from pddl2nl.reports.recheck import Recheck, recheck
from pddl2nl.reports.summaries import BrokenLink, RunSummary, summarize

__all__ = [
    "all_metrics",
    "Aggregate",
    "BrokenLink",
    "Gathered",
    "PlannerRecord",
    "Recheck",
    "Record",
    "RunRecord",
    "RunSummary",
    "add_metric",
    "aggregate",
    "gather",
    "gathered",
    "measure",
    "read_record",
    "recheck",
    "summarize",
]
