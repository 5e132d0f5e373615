"""Records that were changed after they were written are named, and counted in no table; records of honest runs count.

`tests/reports/test_tampered_records.py` changes everything else that a record holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pddl2nl.cli.app import main
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.experiments.runs import run
from pddl2nl.llm import ContextWindowError, EndpointError, ScriptedModel, ScriptedReply
from pddl2nl.pddl import load_task
from pddl2nl.reports.recheck import doubt
from tests.answering import Answering
from tests.records import rewrite


@pytest.fixture
def record(lamps: tuple[Path, Path], tmp_path: Path) -> Path:
    """A run that executes an action, makes a mistake and does not reach the goal."""
    path = tmp_path / "runs" / "one.jsonl"
    replies = ["Action: apply the action 'switch-on' to lamp lamp_0", "Action: nonsense", "Action: look around"]
    task = load_task(*lamps)
    result = run(task, "act", ScriptedModel(replies), record=path, example="none", steps=3, cache="none")
    assert (result.outcome, result.mistakes, len(result.plan)) == ("budget", 1, 1)
    return path


LIT = "apply the action 'switch-on' to lamp lamp_0"
HONEST: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "no plan": ("basic", ScriptedModel(["I do not know."]), {}),
    "empty": ("basic", ScriptedModel([ScriptedReply("", finish="empty")]), {}),
    "refused": ("basic", ScriptedModel([ScriptedReply("No.", finish="refused")]), {}),
    "cut off": ("basic", ScriptedModel([ScriptedReply(f"[PLAN]\n{LIT[:9]}", finish="length")]), {}),
    "inapplicable": ("basic", ScriptedModel([f"[PLAN]\n{LIT}\n{LIT}\n[PLAN END]"]), {}),
    "two unreadable lines": ("basic", ScriptedModel([f"[PLAN]\n{LIT}\nsing\n{LIT}\ndance\n[PLAN END]"]), {}),
    "said at once that there is no plan": ("basic", ScriptedModel(["There is no plan."]), {}),
    "several plans": ("basic", ScriptedModel([f"[PLAN]\n{LIT}\n[PLAN END]", "No idea."]), {"options": {"samples": 2}}),
    "goal missed": ("cot", ScriptedModel([f"[PLAN]\n{LIT}\n[PLAN END]"]), {}),
    "translated": ("basic", ScriptedModel(["[PLAN]\nlight\n[PLAN END]", "(switch-on a)"]), {"translator": "llm"}),
    "thoughts": ("react", ScriptedModel(["x"] * 12), {"thoughts": "llm"}),
    "worded": ("act", ScriptedModel(["x"] * 60), {"wording": "llm"}),
    "budget of calls": ("act", ScriptedModel(["Action: look around"] * 9), {"budget_calls": 2}),
    "claimed done": ("act", ScriptedModel(["I am finished."] * 9), {}),
    "claimed unsolvable": ("act", ScriptedModel(["There is no plan."] * 9), {}),
    "too long": ("act", Answering(ContextWindowError("too long")), {}),
    "no answer": ("act", Answering(EndpointError("503")), {}),
    "random": ("random", "none", {}),
}


@pytest.mark.parametrize("name", HONEST)
def test_no_run_is_doubted_however_it_ends(lamps: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    policy, model, options = HONEST[name]
    path = tmp_path / "runs" / "one.jsonl"
    result = run(load_task(*lamps), policy, model, record=path, example="none", steps=3, cache="none", **options)
    assert doubt(read_record(path)) == "", result.outcome


def test_a_report_lists_them_first(record: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rewrite(record, lambda events: events[-1].update(outcome="solved", fault=None))
    assert main(["report", str(record.parent)]) == 0
    assert capfd.readouterr().out.startswith(
        "Not as recorded: 1 run is in no cell of the tables\n  one: the outcome is"
    )


def test_a_replay_finds_another_name_of_the_model(record: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace('"models": {"planner": "script"', '"models": {"planner": "gpt-5"'), encoding="utf-8")
    replayed = replay_record(record)
    assert not replayed.identical
    assert replayed.changed == "line 1 is not as it was written"
    assert main(["replay", str(record)]) == 1
    assert "the file is not as recorded: line 1 is not as it was written" in capfd.readouterr().out


def test_a_replay_says_what_it_cannot_vouch_for(record: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rewrite(record, lambda events: events[0].update(models={"planner": "gpt-5"}))
    main(["replay", str(record)])
    assert "that gpt-5 gave the replies is what the record says" in capfd.readouterr().out
