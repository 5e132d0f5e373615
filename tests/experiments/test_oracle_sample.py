"""The oracle on one short benchmark of every shipped domain: if it fails, the prompt lost something.

All 260 benchmarks under all mechanisms: ``tests/benchmarks/test_oracle_all.py``.
"""

from __future__ import annotations

import pytest

from pddl2nl.experiments import run
from pddl2nl.tasks import shipped_domain, shipped_domains


@pytest.mark.parametrize("domain", shipped_domains())
def test_it_solves_a_short_benchmark(domain: str, needs_planner: None) -> None:
    shipped = shipped_domain(domain)
    # The step limit is FF's plan's, which the manifest knows; the oracle needs no example: one planner's run is enough.
    short = min(shipped.benchmarks, key=lambda each: (each.ff_length or 0, each.name))
    result = run(shipped.task(short.name), "react", "oracle", example="none", steps=2 * (short.ff_length or 1))
    assert (result.outcome, result.mistakes) == ("solved", 0), result.message
