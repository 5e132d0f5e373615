"""What the benchmarks share: a stopwatch, and the table that all of them write to."""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import time
from collections.abc import Callable
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
        self.notes: list[str] = []
        """Lines below the table."""

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

    @staticmethod
    def cpu(*command: str, runs: int = 1) -> float:
        """The least CPU time of a command, that of the processes which it starts included."""
        times = []
        for _ in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    def ratio(self, what: str, ours: float, peer: str, theirs: float) -> float:
        """Notes a row; returns how many times as long as we the peer takes."""
        self.rows.append(Row(what, ours, peer, theirs))
        return theirs / ours

    def table(self) -> str:
        """The rows in Markdown."""
        lines = ["| what | here | peer | peer's | times as fast |", "|---|---|---|---|---|"]
        lines += [
            f"| {row.what} | {_time(row.ours)} | {row.peer} | {_time(row.theirs)} | {_times(row)} |"
            for row in self.rows
        ]
        return "\n".join(lines)


def _times(row: Row) -> str:
    times = row.theirs / row.ours
    return f"{times:,.0f}" if times >= 10 else f"{times:.2g}"


def _time(value: float) -> str:
    return f"{value:.3g} s" if value >= 0.1 else f"{1000 * value:.3g} ms" if value >= 1e-4 else f"{1e6 * value:.3g} µs"


_COLLECTED = pytest.StashKey[Bench]()


@pytest.fixture(scope="session")
def bench(pytestconfig: pytest.Config) -> Bench:
    """The measurements of this run, printed as a table in the end."""
    return pytestconfig.stash.setdefault(_COLLECTED, Bench())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Prints the table."""
    collected = config.stash.get(_COLLECTED, None)
    if collected is not None and (collected.rows or collected.notes):
        terminalreporter.write_line("")
        for text in [*([collected.table()] if collected.rows else []), *collected.notes]:
            terminalreporter.write_line(text)
