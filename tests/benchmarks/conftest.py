"""What the benchmarks share: a stopwatch, and the table that all of them write to."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest


class Row(NamedTuple):
    """One measurement beside that of a peer; times in seconds."""

    what: str
    ours: float
    peer: str
    theirs: float


class Bench:
    """Measures, and collects what was measured."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    @staticmethod
    def seconds(action: Callable[[], object], runs: int = 3) -> float:
        """The median wall time of an action."""
        times = []
        for _ in range(runs):
            gc.collect()
            began = time.perf_counter()
            action()
            times.append(time.perf_counter() - began)
        return statistics.median(times)

    def ratio(self, what: str, ours: float, peer: str, theirs: float) -> float:
        """Notes a row; returns how many times as long as we the peer takes."""
        self.rows.append(Row(what, ours, peer, theirs))
        return theirs / ours

    def table(self) -> str:
        """The rows in Markdown."""
        lines = ["| what | here | peer | peer's | times as fast |", "|---|---|---|---|---|"]
        lines += [
            f"| {row.what} | {_time(row.ours)} | {row.peer} | {_time(row.theirs)} | {row.theirs / row.ours:.3g} |"
            for row in self.rows
        ]
        return "\n".join(lines)


def _time(value: float) -> str:
    return f"{value:.3g} s" if value >= 0.1 else f"{1000 * value:.3g} ms" if value >= 1e-4 else f"{1e6 * value:.3g} µs"


@pytest.fixture(scope="session")
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The measurements of this run, printed as a table in the end."""
    collected = Bench()
    yield collected
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and collected.rows:
        reporter.write_line("")
        reporter.write_line(collected.table())
