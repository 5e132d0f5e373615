"""VAL's verdicts and texts on real IPC tasks: ours are the same, wherever VAL is sound."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from pddl2nl.pddl import Task, UnsupportedError, load_task
from validators import Report, read_plan, val_text, validate

NOT_EXECUTED = {
    "assembly": "forall",
    "miconic-fulladl": "imply",
    "philosophers": "derived predicate",
    "psr-large": "derived predicate",
    "schedule": "conditional effect",
}
"""Suites that the simulator refuses, with the construct that it must name."""

DIFFERENCES = {
    ("arity", "other"): "VAL crashes on too few arguments, and takes too many",
    ("unknown-action", "other"): "VAL stops with 255, without a verdict, where the domain has no types",
    ("unknown-action", "bad-plan"): "the same verdict, but VAL exits with 0 and gives no reason",
    ("unknown-object", "other"): "VAL stops with 255, without a verdict, where the domain has types",
    ("unknown-object", "failed-to-execute"): "VAL takes any name for an object where the domain has no types",
    ("argument", "bad-plan"): "the same verdict, but VAL exits with 0 and names neither place nor reason",
}
"""Where we differ on purpose, by the kind of plan and VAL's verdict: all of these are bad plans here."""

VERDICTS = {
    "valid": "valid",
    "goal-not-satisfied": "goal-not-satisfied",
    "failed-to-execute": "inapplicable",
}


class Line(NamedTuple):
    """A plan of the corpus with what VAL and we say about it."""

    place: str
    task: Task
    val: dict[str, str]
    report: Report

    @property
    def differs(self) -> bool:
        return (self.val["kind"], self.val["verdict"]) in DIFFERENCES


@cache
def _lines(folder: Path) -> tuple[Line, ...]:
    return tuple(_read(folder))


def _read(folder: Path) -> Iterator[Line]:
    for verdicts in sorted(folder.glob("*/*/verdicts.jsonl")):
        home = verdicts.parent
        if home.parent.name in NOT_EXECUTED:
            continue
        task = load_task(home / "domain.pddl", home / "problem.pddl")
        for text in verdicts.read_text().splitlines():
            line = json.loads(text)
            place = f"{home.parent.name}/{home.name} {line['kind']}"
            yield Line(place, task, line, validate(task, line["plan"], "PLAN"))


@pytest.fixture(scope="module")
def lines(shared: Path) -> tuple[Line, ...]:
    return _lines(shared / "ipc")


@pytest.fixture(scope="module")
def sound(lines: tuple[Line, ...]) -> list[Line]:
    return [line for line in lines if not line.differs]


def test_the_corpus_is_all_there(lines: tuple[Line, ...], sound: list[Line]) -> None:
    assert len(lines) == 1012
    assert len(sound) == 773
    kinds = {"valid", "empty", "truncated", "dropped", "swapped", "shuffled", "duplicated", "upper", "timed"}
    assert {line.val["kind"] for line in sound} == kinds | {"commented", "argument"}


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


def test_costs_are_vals(sound: list[Line]) -> None:
    wrong = [
        line.place
        for line in sound
        if line.val["value"] is not None
        and (line.report.cost is None or f"{float(line.report.cost):.10g}" != line.val["value"])
    ]
    assert wrong == []
    assert all(line.report.cost is None for line in sound if line.report.verdict == "inapplicable")


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
    wrong = [
        line.place
        for line in sound
        if not _equal(val_text(line.task, line.val["plan"], line.report, "PLAN", verbose), line.val[key])
    ]
    assert wrong == []


def test_the_comparison_can_fail() -> None:
    assert _equal("Checking plan: P\nab\n", "before\nChecking plan: P\nab\n")
    assert not _equal("Checking plan: P\nab\n", "Checking plan: P\nac\n")
    assert _equal("Checking plan: P\n1\n2\n3\n", "Checking plan: P\n[...]\n3\n")
    assert not _equal("Checking plan: P\n1\n2\n3\n", "Checking plan: Q\n[...]\n3\n")
    assert not _equal("Checking plan: P\n1\n2\n3\n", "Checking plan: P\n[...]\n4\n")


def test_where_we_differ_it_is_on_purpose(lines: tuple[Line, ...]) -> None:
    differing = [line for line in lines if line.differs]
    assert {(line.val["kind"], line.val["verdict"]) for line in differing} == set(DIFFERENCES)
    assert [line.place for line in differing if line.report.verdict != "bad-plan"] == []
    for line in differing:
        (diagnostic, *_) = line.report.diagnostics
        assert diagnostic.line >= 1
        assert "Bad plan description!\nPLAN:" in val_text(line.task, line.val["plan"], line.report, "PLAN")
    sound_ones = Counter(line.report.verdict for line in lines if not line.differs)
    assert sound_ones["bad-plan"] == 0


def test_refused_suites_are_refused_by_name(shared: Path) -> None:
    refused = 0
    for suite, construct in NOT_EXECUTED.items():
        for home in sorted((shared / "ipc" / suite).iterdir()):
            task = load_task(home / "domain.pddl", home / "problem.pddl")
            with pytest.raises(UnsupportedError, match=construct) as caught:
                validate(task, "")
            assert f"{home / 'domain.pddl'}:" in str(caught.value)
            refused += 1
    assert refused == 10


def test_explanations_are_true(sound: list[Line]) -> None:
    """Every cause told is checked by walking through the plan's states with the simulator's own steps."""
    from validators import Simulator
    from validators.semantics import holds

    checked = 0
    for line in sound:
        if not line.report.explanation or line.val["kind"] == "timed":
            continue
        simulator = Simulator(line.task)
        states = [simulator.initial]
        for action in read_plan(line.val["plan"]).actions[: (line.report.failed_step or 10**6) - 1]:
            successor = simulator.step(states[-1], action).successor
            assert successor is not None
            states.append(successor)
        for cause in line.report.explanation:
            held = [holds(cause.literal, state.__contains__) for state in states]
            assert not held[-1]
            assert cause.never_held == (not any(held))
            losses = [number for number in range(1, len(held)) if held[number - 1] and not held[number]]
            assert cause.deleted_by_step == (losses[-1] if losses else None)
            if line.report.verdict == "goal-not-satisfied":
                assert cause.lost_after_step == (losses[0] if losses else None)
            checked += 1
    assert checked > 500
