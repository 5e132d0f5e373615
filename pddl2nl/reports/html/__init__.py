"""The pages of a report: tables, plots and every run step by step, in HTML that needs no network."""

from __future__ import annotations

from pddl2nl.reports.html.pages import RUNS_IN_ONE_FILE, write_html

__all__ = ["RUNS_IN_ONE_FILE", "write_html"]
