"""VAL's verdicts, failure times and metric values on the temporal and preference tasks, all of them ours too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from pddl2nl.pddl import load_task
from pddlval import VAL_TIME_TOLERANCE, VAL_TOLERANCE, Report, validate

VERDICTS = {
    "valid": "valid",
    "goal-not-satisfied": "goal-not-satisfied",
    "failed-to-execute": "inapplicable",
    "bad-plan": "bad-plan",
}
SMALL = 120_000
"""Tasks whose verdicts have no more bytes are looked at in every run of the tests; all of them take half a minute."""


def _judged(shared: Path, *, small: bool) -> Iterator[tuple[str, dict[str, str], Report]]:
    for verdicts in sorted((shared / "temporal").glob("*/*/verdicts.jsonl")):
        if small and verdicts.stat().st_size > SMALL:
            continue
        home = verdicts.parent
        task = load_task(home / "domain.pddl", home / "problem.pddl")
        for text in verdicts.read_text().splitlines():
            val = json.loads(text)
            place = f"{home.parent.name}/{home.name} {val['kind']}"
            yield place, val, validate(task, val["plan"], "PLAN", VAL_TOLERANCE, VAL_TIME_TOLERANCE)


def _differences(val: dict[str, str], report: Report) -> list[str]:
    found = []
    if report.verdict != VERDICTS[val["verdict"]]:
        found.append(f"{report.verdict}, not {val['verdict']}")
    if val["value"] is not None and _number(report.cost) != val["value"]:
        found.append(f"value {report.cost}, not {val['value']}")
    if val["failed_time"] is not None and _number(report.time) != val["failed_time"]:
        found.append(f"failed at {report.time}, not {val['failed_time']}")
    return found


def _number(value: Fraction | int | None) -> str | None:
    return None if value is None else f"{float(value):.10g}"


def test_small_tasks(shared: Path) -> None:
    judged = list(_judged(shared, small=True))
    assert [(place, each) for place, val, report in judged for each in _differences(val, report)] == []
    kinds = {val["kind"] for _, val, _ in judged}
    assert len(judged) > 350
    assert kinds >= {"raw", "touching", "overlap", "no-duration", "hard-0.3", "swapped"}


@pytest.mark.heavy
def test_all_tasks(shared: Path) -> None:
    judged = list(_judged(shared, small=False))
    assert [(place, each) for place, val, report in judged for each in _differences(val, report)] == []
    assert len(judged) == 1_448
