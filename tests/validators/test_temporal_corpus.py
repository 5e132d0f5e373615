"""VAL's verdicts, failure times and metric values on the temporal and preference tasks, all of them ours too."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from pddl2nl.pddl import load_task
from pddlval import VAL_TIME_TOLERANCE, VAL_TOLERANCE, Report, val_text, validate

VERDICTS = {
    "valid": "valid",
    "goal-not-satisfied": "goal-not-satisfied",
    "failed-to-execute": "inapplicable",
    "bad-plan": "bad-plan",
}
TOLERANCES = VAL_TOLERANCE, VAL_TIME_TOLERANCE
SMALL = 46_000
"""Tasks whose verdicts have no more bytes are looked at in every run of the tests; all of them take a minute."""


SLOW = "storage-preferences-qualitative/instance-7"
"""It has a hundred thousand instances of preferences."""
UNINITIALISED = "e+"
"""A step without a duration: VAL may print what it finds in memory, ``4.239685716e+175``."""

DIFFERENT_TEXTS = {("ipc-2008-peg-solitaire-temporal-satisficing-strips/instance-10 argument", "verbose")}
"""An action deletes a literal that it needs twice, beside other actions. VAL warns here and names the next reason; in
plans without time it refuses the action, as we do in both. The verdict is the same."""


def _judged(shared: Path, *, small: bool) -> Iterator[tuple[str, dict[str, str], Report]]:
    for verdicts in sorted((shared / "temporal").glob("*/*/verdicts.jsonl")):
        if small and (verdicts.stat().st_size > SMALL or str(verdicts.parent).endswith(SLOW)):
            continue
        home = verdicts.parent
        task = load_task(home / "domain.pddl", home / "problem.pddl")
        for text in verdicts.read_text().splitlines():
            val = json.loads(text)
            place = f"{home.parent.name}/{home.name} {val['kind']}"
            report = validate(task, val["plan"], "PLAN", *TOLERANCES)
            if report.verdict != "bad-plan":
                val["ours"] = val_text(task, val["plan"], report, "PLAN", True, *TOLERANCES)
                val["ours_plain"] = val_text(task, val["plan"], report, "PLAN", False, *TOLERANCES)
            yield place, val, report


def _differences(val: dict[str, str], report: Report) -> list[str]:
    found = []
    if report.verdict != VERDICTS[val["verdict"]]:
        found.append(f"{report.verdict}, not {val['verdict']}")
    if val["value"] is not None and _number(report.cost) != val["value"]:
        found.append(f"value {report.cost}, not {val['value']}")
    if val["failed_time"] is not None and _number(report.time) != val["failed_time"]:
        found.append(f"failed at {report.time}, not {val['failed_time']}")
    return found


def _differing_texts(val: dict[str, str]) -> Iterator[str]:
    """Which texts are not VAL's, byte for byte but for the order within one happening, which VAL's memory decides."""
    if "ours" in val:
        if val["ours_plain"] != val["val_plain"]:
            yield "plain"
        head, cut, tail = val["val_output"].partition("\n[...]\n")
        if cut and "Checking plan" in tail:
            head, cut, tail = tail, "", ""
        head = head[head.index("Checking plan") :] if "Checking plan" in head else ""
        ours = _blocks(val["ours"])
        if not cut:
            if ours != _blocks(head):
                yield "verbose"
        else:
            # The blocks that the cut goes through, or ends, are left out.
            begin, end = _blocks(head)[:-2], _blocks(tail)[2:]
            if (ours[: len(begin)], ours[len(ours) - len(end) :]) != (begin, end) and UNINITIALISED not in tail:
                yield "verbose"


def _blocks(text: str) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in text.split("\n"):
        if not line.strip():
            blocks.append([])
        blocks[-1].append(line)
    return [sorted(block) for block in blocks]


def _number(value: Fraction | int | None) -> str | None:
    return None if value is None else f"{float(value):.10g}"


def test_small_tasks(shared: Path) -> None:
    judged = list(_judged(shared, small=True))
    assert [(place, each) for place, val, report in judged for each in _differences(val, report)] == []
    assert [(place, each) for place, val, _ in judged for each in _differing_texts(val)] == []
    kinds = {val["kind"] for _, val, _ in judged}
    assert len(judged) > 70
    assert kinds >= {"empty", "hard-0.3", "swapped"}


@pytest.mark.heavy
def test_all_tasks(shared: Path) -> None:
    judged = list(_judged(shared, small=False))
    assert [(place, each) for place, val, report in judged for each in _differences(val, report)] == []
    assert {(place, each) for place, val, _ in judged for each in _differing_texts(val)} == DIFFERENT_TEXTS
    assert len(judged) == 1_448
