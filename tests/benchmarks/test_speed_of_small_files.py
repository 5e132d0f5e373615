"""Speed of reading tasks of all sizes, beside Fast Downward's parser: ``pytest -m benchmark``, on a quiet machine.

CPU times, medians of interleaved runs; ours include all checks.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pddl2nl.pddl import load_task

if TYPE_CHECKING:
    from conftest import Bench

pytestmark = pytest.mark.benchmark

SIZES = (0, 3_000, 5_000, 10_000, 20_000, 50_000)
"""Bytes of a domain and its problem: the classes that are compared."""
RUNS = 7


def tasks_of(shared: Path, least: int, most: int) -> list[tuple[str, str]]:
    """The tasks of a size, as the paths of domain and problem."""
    pairs = [(domain, domain.with_name("problem.pddl")) for domain in sorted((shared / "ipc").glob("*/*/domain.pddl"))]
    sizes = {pair: pair[0].stat().st_size + pair[1].stat().st_size for pair in pairs}
    return [(str(domain), str(problem)) for (domain, problem), size in sizes.items() if least <= size < most]


def cpu(action: Callable[[], object]) -> float:
    """The CPU time of an action."""
    began = time.process_time()
    action()
    return time.process_time() - began


@pytest.mark.parametrize(("least", "most"), list(pairwise(SIZES)))
def test_reading_tasks_of_a_size(
    least: int, most: int, shared: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fast_downward")
    # Its options module reads the command line when it is imported.
    monkeypatch.setattr(sys, "argv", ["translate", "domain.pddl", "problem.pddl"])
    parser = importlib.import_module("fast_downward.translate.pddl_parser")
    ours = theirs = 0.0
    for domain, problem in tasks_of(shared, least, most):
        times: list[tuple[float, float]] = []
        with contextlib.redirect_stdout(io.StringIO()):
            for _ in range(RUNS + 1):
                own = cpu(lambda: load_task(domain, problem))  # noqa: B023 (called at once)
                times.append((own, cpu(lambda: parser.open(domain, problem))))  # noqa: B023
        # The first run warms up.
        ours += statistics.median(own for own, _ in times[1:])
        theirs += statistics.median(other for _, other in times[1:])
    assert (
        bench.ratio(f"reading tasks of {least // 1000} to {most // 1000} KB", ours, "Fast Downward's parser", theirs)
        >= 1
    )
