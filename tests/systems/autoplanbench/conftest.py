"""Experiments made by hand, as the tests of tables make them."""

from tests.reports.tables.conftest import build_fixture, experiment, heads

__all__ = ["build_fixture", "experiment", "heads"]
