"""Experiments made by hand, as the tests of tables make them."""

from tests.reports.tables.conftest import build_fixture, heads, small_experiment

__all__ = ["build_fixture", "heads", "small_experiment"]
