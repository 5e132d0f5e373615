"""Records of SayPlan: each preset is replayed; a killed run goes on inside the search, and asks only for the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments.models import Access
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.writer import is_volatile, recollect
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Request
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.sayplan.sayplan import LAYOUT
from tests.policies.staged_model import Staged
from tests.systems.sayplan.conftest import BUILDING, PLAN, SEARCH, command, plan

REPLIES = {
    SEARCH: [*map(command, ("expand(jacks_room)", "contract(jacks_room)", "expand(kitchen)", "terminate"))],
    PLAN: [plan("goto(moon)"), plan("goto(kitchen)", "access(fridge)")],
}


class Killed(Staged):
    """A model that is asked so many times until the process is killed."""

    base_url = "http://localhost/v1"

    def __init__(self, calls: int):
        super().__init__(REPLIES, LAYOUT)
        self.calls = calls

    def complete(self, request: Request) -> Completion:
        if len(self.requests) >= self.calls:
            raise KeyboardInterrupt
        return super().complete(request)


class Onward(Staged):
    """The model after so many calls."""

    base_url = "http://localhost/v1"

    def __init__(self, calls: int):
        left = [*REPLIES[SEARCH], *REPLIES[PLAN]][calls:]
        super().__init__({SEARCH: left[:-2], PLAN: left[-2:]}, LAYOUT)


def lasting(record: Path) -> list[dict[str, Any]]:
    """A record's events without what differs between two runs of one specification."""
    events = map(json.loads, record.read_text(encoding="utf-8").splitlines())
    return [{key: each[key] for key in each if not is_volatile(each["event"], key)} for each in events]


@pytest.mark.parametrize("calls", [1, 4])
def test_a_killed_run_asks_only_for_the_rest_of_its_search(calls: int, tmp_path: Path) -> None:
    def spec(model: Staged, name: str) -> RunSpec:
        return RunSpec(BUILDING.task("example"), "sayplan", model=model, names="original", record=tmp_path / name)

    run_spec(spec(Onward(0), "whole.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        run_spec(spec(Killed(calls), "cut.jsonl"))
    rest = Onward(calls)
    run_spec(spec(rest, "cut.jsonl"), Access(before=recollect(tmp_path / "cut.jsonl").before))
    assert len(rest.requests) == 6 - calls
    assert lasting(tmp_path / "cut.jsonl") == lasting(tmp_path / "whole.jsonl")
    assert replay_record(tmp_path / "cut.jsonl").identical


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize(
    ("policy", "model"),
    [
        ("sayplan", "oracle:missing-open"),
        pytest.param("sayplan-exact", "oracle", marks=pytest.mark.heavy),
        pytest.param("sayplan-queries", "oracle:bad-json", marks=pytest.mark.heavy),
    ],
)
def test_a_record_is_replayed_from_itself_alone(policy: str, model: str, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    run_spec(RunSpec(BUILDING.task("example"), policy, model=model, names="original", record=record))
    assert replay_record(record).identical
