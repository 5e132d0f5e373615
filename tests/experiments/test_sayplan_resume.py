"""Records of SayPlan: a killed run goes on inside the search, and asks only for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.policies.sayplan.conftest import BUILDING, PLAN, SEARCH, command, plan

from pddl2nl.experiments.access import Access
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.resume import recollect
from pddl2nl.experiments.runs import run_spec
from pddl2nl.llm import Completion, Request
from pddl2nl.policies.spec import RunSpec
from pddl2nl.systems.sayplan.prompts import LAYOUT
from tests.policies.staged_model import Staged

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


@pytest.mark.parametrize("calls", range(5))
def test_a_killed_run_asks_only_for_the_rest_of_its_search(calls: int, tmp_path: Path, settled: Any) -> None:
    def spec(model: Staged, name: str) -> RunSpec:
        return RunSpec(BUILDING.task("example"), "sayplan", model, names="original", record=tmp_path / name)

    run_spec(spec(Onward(0), "whole.jsonl"))
    with pytest.raises(KeyboardInterrupt):
        run_spec(spec(Killed(calls), "cut.jsonl"))
    rest = Onward(calls)
    run_spec(spec(rest, "cut.jsonl"), Access(before=recollect(tmp_path / "cut.jsonl").before))
    assert len(rest.requests) == 6 - calls
    assert settled(tmp_path / "cut.jsonl") == settled(tmp_path / "whole.jsonl")
    assert replay_record(tmp_path / "cut.jsonl").identical
