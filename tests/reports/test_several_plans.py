"""Runs that proposed several plans: pages show all of them, and tables count the one that counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pddl2nl.experiments.records.stored import RunRecord
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import parse_task
from pddl2nl.policies.spec import RunSpec
from pddl2nl.reports import read_record, recheck
from pddl2nl.reports.gathering import gathered
from pddl2nl.reports.html import write_html
from pddl2nl.reports.html.run import run_turns
from pddl2nl.reports.metrics import all_metrics
from pddl2nl.tasks import shipped_domain

PROBLEM = """(define (problem tiny) (:domain blocksworld-4ops) (:objects a b)
  (:init (handempty) (ontable a) (ontable b) (clear a) (clear b)) (:goal (on a b)))"""


def _plan(*actions: str) -> str:
    return "\n".join(["[PLAN]", *actions, "[PLAN END]"])


GOOD = _plan("(pick-up a)", "(stack a b)")
EARLY = _plan("(stack a b)", "(pick-up a)")
SHORT = _plan("(pick-up a)")
LEFT_AGAIN = _plan("(pick-up a)", "(stack a b)", "(unstack a b)", "(stack b a)")

Recorded = Callable[..., RunRecord]


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    """A recorded run of Basic in PDDL against scripted replies."""

    def _recorded(*replies: str, budget_calls: int | None = None, **options: int) -> RunRecord:
        task = parse_task(shipped_domain("blocksworld").domain_path.read_text(encoding="utf-8"), PROBLEM)
        spec = RunSpec(
            task,
            "basic",
            options,
            ScriptedModel(replies),
            style="pddl",
            example="none",
            out=tmp_path,
            budget_calls=budget_calls,
        )
        path = run_spec(spec).path
        assert path is not None
        record = read_record(path)
        assert isinstance(record, RunRecord)
        return record

    return _recorded


def test_tables_count_the_plan_that_counts_and_the_calls_of_all(recorded: Recorded) -> None:
    several, alone = recorded(EARLY, SHORT, GOOD, samples=3), recorded(GOOD)
    for name in ("coverage", "plan-length", "steps", "mistakes", "look-arounds"):
        assert all_metrics()[name].of(several) == all_metrics()[name].of(alone), name
    assert (all_metrics()["calls"].of(several), all_metrics()["calls"].of(alone)) == (3.0, 1.0)
    failed, once = recorded(EARLY, SHORT, samples=2), recorded(EARLY)
    for name in ("coverage", "steps", "mistakes"):
        assert all_metrics()[name].of(failed) == all_metrics()[name].of(once), name


def test_a_page_shows_every_plan_and_says_which_one_counts(recorded: Recorded, tmp_path) -> None:
    record = recorded(EARLY, SHORT, GOOD, rounds=2)
    turns = run_turns(record.events)
    assert [turn.counts for turn in turns] == [False, False, True]
    assert [[step.status for step in turn.steps] for turn in turns] == [
        ["inapplicable", "not-reached"],
        ["executed"],
        ["executed", "executed"],
    ]
    assert [turn.judged.outcome for turn in turns if turn.judged] == ["inapplicable", "goal-missed", "solved"]
    page = write_html(gathered([record]), tmp_path / "page.html", plots=False).read_text(encoding="utf-8")
    assert "Plan 1 (sample 1, no correction yet): inapplicable; it does not count." in page
    assert "Plan 3 (sample 1, round 2): solved; this plan counts." in page
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))


def test_a_plan_that_cannot_be_read_has_a_turn_of_its_own(recorded: Recorded) -> None:
    turns = run_turns(recorded("I do not know.", GOOD, samples=2).events)
    assert [(len(turn.calls), len(turn.steps), turn.counts) for turn in turns] == [(1, 0, False), (1, 2, True)]


@pytest.mark.parametrize(
    ("replies", "options", "verdict"),
    [
        ((EARLY, GOOD), {"samples": 2}, "valid"),
        ((EARLY, SHORT), {"samples": 2}, "goal-not-satisfied"),
        ((SHORT, EARLY), {"rounds": 1}, "goal-not-satisfied"),
        ((LEFT_AGAIN, SHORT), {"rounds": 1, "budget_calls": 1}, "goal-not-satisfied"),
        ((GOOD.replace("[PLAN END]", "(stack a b)\n[PLAN END]"),), {"samples": 2}, "valid"),
        ((GOOD.replace("[PLAN END]", "(stack a b)\n[PLAN END]"),), {"rounds": 1, "budget_calls": 1}, "valid"),
    ],
)
def test_the_plan_that_counts_is_judged_again_with_the_same_verdict(
    recorded: Recorded, replies: tuple[str, ...], options: dict[str, int], verdict: str
) -> None:
    again = recheck(recorded(*replies, **options))
    assert again.verdict == verdict
    assert again.agrees
