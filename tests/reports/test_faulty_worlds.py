"""Runs in a world with faults, judged again in such a world."""

from __future__ import annotations

import pytest

from pddl2nl.policies.events import Acted, Finished, Rejected
from pddl2nl.reports.recheck import recheck
from pddl2nl.reports.records import read_record
from tests.records import tiny_start

PLAN = ("(pick-up a)", "(stack a b)")
"""Reaches the goal of the tiny task."""


def test_a_run_in_a_world_with_faults_is_judged_again_in_such_a_world(write) -> None:
    plan = (*PLAN, "(stack a b)")
    events = [*(Acted(number, action) for number, action in enumerate(plan, 1)), Finished("solved", plan=plan)]
    faulty = tiny_start(options={"faults": "fail (stack a b) at 2"})
    found = recheck(read_record(write("one", [faulty, *events])))
    assert (found.verdict, found.agrees, found.steps) == ("valid", True, 3)
    # By the model alone the second stack is not applicable.
    assert recheck(read_record(write("two", [tiny_start(), *events]))).verdict == "inapplicable"


@pytest.mark.parametrize(
    ("faults", "verdict", "agrees"),
    [
        ("fail (pick-up a) at 1", "inapplicable", False),
        ("fail (stack a b)", "goal-not-satisfied", False),
        ("fail (no-such-action)", "not-judged", False),
        ("what?", "not-judged", False),
    ],
)
def test_faults_that_do_not_lead_to_what_the_record_says(faults: str, verdict: str, agrees: bool, write) -> None:
    started = tiny_start(options={"faults": faults})
    done = [Acted(1, PLAN[0]), Acted(2, PLAN[1]), Finished("solved", plan=PLAN)]
    found = recheck(read_record(write("one", [started, *done])))
    assert (found.verdict, found.agrees) == (verdict, agrees)


def test_the_world_counts_an_action_that_it_refused(write) -> None:
    started = tiny_start(options={"faults": 'refuse (pick-up a) "it is stuck" at 1'})
    refused = Rejected(1, "world-error", "", PLAN[0], observation="I cannot pick up a: it is stuck.")
    done = [Acted(2, PLAN[0]), Acted(3, PLAN[1]), Finished("solved", plan=PLAN)]
    found = recheck(read_record(write("one", [started, refused, *done])))
    assert (found.verdict, found.agrees) == ("valid", True)
