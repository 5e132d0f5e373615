"""VAL's verdicts and texts on real IPC and numeric tasks: ours are the same, wherever VAL is sound."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from pddl2nl.pddl import Task, load_task
from pddlval import VAL_TIME_TOLERANCE, VAL_TOLERANCE, Report, read_plan, val_text, validate

TOLERANCES = {"ipc": Fraction(0), "numeric": VAL_TOLERANCE}
"""Numbers are compared exactly; VAL does not, which a tolerance reproduces."""

REFUSED_BY_VAL = {
    "factory-robot": "the domain has actions without a precondition, which VAL's grammar demands",
    "sailing": "the same",
}
"""Suites whose domains VAL's parser refuses; every plan of theirs has exit code 255. We read them."""

DIFFERENCES = {
    ("arity", "other"): "VAL crashes on too few arguments, and takes too many",
    ("unknown-action", "other"): "VAL stops with 255, without a verdict, where the domain has no types",
    ("unknown-action", "bad-plan"): "the same verdict, but VAL exits with 0 and gives no reason",
    ("unknown-object", "other"): "VAL stops with 255, without a verdict, where the domain has types",
    ("unknown-object", "failed-to-execute"): "VAL takes any name for an object where the domain has no types",
    ("argument", "bad-plan"): "the same verdict, but VAL exits with 0 and names neither place nor reason",
}
"""Where we differ on purpose, by the kind of plan and VAL's verdict: all of these are bad plans here."""

UNDEFINED = ("shuffled", "other")
"""VAL calls the plan failed, but with ``-v`` it reads a value that is undefined for its advice, and stops with 0."""

VERDICTS = {"valid": "valid", "goal-not-satisfied": "goal-not-satisfied", "failed-to-execute": "inapplicable"}


class Line(NamedTuple):
    """A plan of the corpus with what VAL and we say about it."""

    suite: str
    place: str
    task: Task
    tolerance: Fraction
    val: dict[str, str]
    report: Report

    @property
    def case(self) -> tuple[str, str]:
        return (self.val["kind"], self.val["verdict"])

    @property
    def sound(self) -> bool:
        return self.suite not in REFUSED_BY_VAL and self.case not in DIFFERENCES and self.case != UNDEFINED

    def text(self, verbose: bool) -> str:
        return val_text(self.task, self.val["plan"], self.report, "PLAN", verbose, self.tolerance)


@cache
def _lines(shared: Path) -> tuple[Line, ...]:
    return tuple(line for corpus in TOLERANCES for line in _read(shared / corpus))


def _read(folder: Path) -> Iterator[Line]:
    tolerance = TOLERANCES[folder.name]
    for verdicts in sorted(folder.glob("*/*/verdicts.jsonl")):
        home = verdicts.parent
        task = load_task(home / "domain.pddl", home / "problem.pddl")
        for text in verdicts.read_text().splitlines():
            line = json.loads(text)
            place = f"{home.parent.name}/{home.name} {line['kind']}"
            report = validate(task, line["plan"], "PLAN", tolerance)
            yield Line(home.parent.name, place, task, tolerance, line, report)


@pytest.fixture(scope="module")
def lines(shared: Path) -> tuple[Line, ...]:
    return _lines(shared)


@pytest.fixture(scope="module")
def sound(lines: tuple[Line, ...]) -> list[Line]:
    return [line for line in lines if line.sound]


def test_the_corpus_is_all_there(lines: tuple[Line, ...], sound: list[Line]) -> None:
    assert len(lines) == 1152 + 346
    assert len(sound) == 1104
    kinds = {"valid", "empty", "truncated", "dropped", "swapped", "shuffled", "duplicated", "upper", "timed"}
    assert {line.val["kind"] for line in sound} == kinds | {"commented", "argument"}
    assert {line.suite for line in lines} >= {"schedule", "miconic-fulladl", "philosophers", "psr-large", "assembly"}


def test_verdicts_are_vals(sound: list[Line]) -> None:
    wrong = [line.place for line in sound if line.report.verdict != VERDICTS[line.val["verdict"]]]
    assert wrong == []


def test_failed_steps_are_vals(sound: list[Line]) -> None:
    wrong = []
    for line in sound:
        failed = line.val["failed_time"]
        if failed is not None:
            steps = read_plan(line.val["plan"]).steps
            assert line.report.failed_step is not None
            time = steps[line.report.failed_step - 1].time
            if float(failed) != (line.report.failed_step if time is None else time):
                wrong.append(line.place)
        elif line.report.failed_step is not None:
            wrong.append(line.place)
    assert wrong == []


def _equal(ours: str, vals: str) -> bool:
    """Whether a text is VAL's from ``Checking plan`` on, around the cut where it was cut."""
    head, cut, tail = vals.partition("\n[...]\n")
    if cut and "Checking plan" in tail:
        head, cut = tail, ""
    start = head.find("Checking plan")
    if not cut:
        return ours == head[start:]
    return ours.endswith(tail) and (start < 0 or ours.startswith(head[start:]))


@pytest.mark.parametrize(("verbose", "key"), [(False, "val_plain"), (True, "val_output")])
def test_texts_are_vals_byte_for_byte(sound: list[Line], verbose: bool, key: str) -> None:
    wrong = [line.place for line in sound if not _equal(line.text(verbose), line.val[key])]
    assert wrong == []


def test_where_we_differ_it_is_on_purpose(lines: tuple[Line, ...]) -> None:
    differing = [line for line in lines if line.case in DIFFERENCES and line.suite not in REFUSED_BY_VAL]
    assert {line.case for line in differing} == set(DIFFERENCES)
    assert [line.place for line in differing if line.report.verdict != "bad-plan"] == []
    for line in differing:
        (diagnostic, *_) = line.report.diagnostics
        assert diagnostic.line >= 1
        assert "Bad plan description!\nPLAN:" in line.text(verbose=False)
    sound_ones = Counter(line.report.verdict for line in lines if line.sound)
    assert sound_ones["bad-plan"] == 0


def test_domains_that_val_refuses_are_judged_all_the_same(lines: tuple[Line, ...]) -> None:
    refused = [line for line in lines if line.suite in REFUSED_BY_VAL]
    assert {line.suite for line in refused} == set(REFUSED_BY_VAL)
    assert {line.val["exit"] for line in refused} == {255}
    # ENHSP's plan, as it is and told otherwise, is valid; no plan at all is not; what was spoilt is told as that.
    expected = {"valid": "valid", "upper": "valid", "timed": "valid", "commented": "valid"}
    expected |= {"empty": "goal-not-satisfied"} | dict.fromkeys(
        ("arity", "unknown-action", "unknown-object"), "bad-plan"
    )
    wrong = [
        line.place for line in refused if line.report.verdict != expected.get(line.val["kind"], line.report.verdict)
    ]
    assert wrong == []
    assert len(refused) == 42


def test_where_vals_advice_reads_an_undefined_value_the_rest_agrees(lines: tuple[Line, ...]) -> None:
    undefined = [line for line in lines if line.case == UNDEFINED and line.suite not in REFUSED_BY_VAL]
    assert len(undefined) == 2
    for line in undefined:
        assert line.report.verdict == "inapplicable"
        assert _equal(line.text(verbose=False), line.val["val_plain"])
        body, _, _ = line.text(verbose=True).partition("\n\n\n")
        assert body.endswith("\n  Attempt to access undefined numeric expression!")
        assert body in line.val["val_output"]


# ── plans with time and preferences ───────────────────────────────────────────────────────────────


TEMPORAL_VERDICTS = {
    "valid": "valid",
    "goal-not-satisfied": "goal-not-satisfied",
    "failed-to-execute": "inapplicable",
    "bad-plan": "bad-plan",
}
TEMPORAL_TOLERANCES = VAL_TOLERANCE, VAL_TIME_TOLERANCE
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
            report = validate(task, val["plan"], "PLAN", *TEMPORAL_TOLERANCES)
            if report.verdict != "bad-plan":
                val["ours"] = val_text(task, val["plan"], report, "PLAN", True, *TEMPORAL_TOLERANCES)
                val["ours_plain"] = val_text(task, val["plan"], report, "PLAN", False, *TEMPORAL_TOLERANCES)
            yield place, val, report


def _differences(val: dict[str, str], report: Report) -> list[str]:
    found = []
    if report.verdict != TEMPORAL_VERDICTS[val["verdict"]]:
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
