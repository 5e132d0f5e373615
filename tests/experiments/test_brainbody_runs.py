"""Runs of BrainBody: two models with accounts of their own, records that repeat a run, options, estimates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import RunSpec, run, run_spec
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.llm import ScriptedModel
from pddl2nl.policies.events import Started
from pddl2nl.systems.brainbody.primitives import parse_robot
from pddl2nl.tasks import shipped_domain, shipped_task

TASK = shipped_task("household", "v08")
PLAN = "0: Walk to the light switch\n1: Switch it off\n2: Done."
ACTS = ["<char0> [walk] <lightswitch>", "<char0> [switchoff] <lightswitch>"]


def started(result: Any) -> Started:
    event = result.events[0]
    assert isinstance(event, Started)
    return event


def test_each_model_has_an_account_and_the_record_repeats_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    brain, body = ScriptedModel([PLAN], name="brain"), ScriptedModel(ACTS, name="body")
    result = run_spec(RunSpec(TASK, "brainbody", brain, body_model=body, preview="on", signal="terse", record=path))
    assert result.solved
    assert {role: account["calls"] for role, account in result.accounts.items()} == {"planner": 1, "body": 2}
    first = started(result)
    assert (first.model, first.body_model) == ("brain", "body")
    assert {name: first.settings[name] for name in ("feedback_loops", "signal", "body", "preview", "dead_ends")} == {
        "feedback_loops": 3,
        "signal": "terse",
        "body": "llm",
        "preview": "on",
        "dead_ends": "ignore",
    }
    assert first.prompts.keys() == {f"brainbody/{name}.txt" for name in ("plan", "act", "feedback", "form")}
    replayed = replay_record(path)
    assert replayed.identical, replayed.difference


def test_one_model_plays_both_roles_where_no_other_is_named() -> None:
    result = run(TASK, "brainbody", ScriptedModel([PLAN, *ACTS]))
    assert result.solved
    assert {role: account["calls"] for role, account in result.accounts.items()} == {"planner": 1, "body": 2}
    assert started(result).body_model is None


def test_a_robot_of_the_users_own_is_used_and_recorded(tmp_path: Path) -> None:
    robot = {
        "format": 1,
        "hidden": ["switched-on"],
        "primitives": [
            {"name": "go", "slots": ["to"], "actions": [{"action": "walk", "slots": {"to": "?to"}}]},
            {"name": "off", "slots": ["it"], "actions": [{"action": "switchoff", "slots": {"it": "?f"}}]},
        ],
    }
    file, path = tmp_path / "robot.json", tmp_path / "run.jsonl"
    file.write_text(json.dumps(robot))
    acts = ["<char0> [go] <lightswitch>", "<char0> [off] <lightswitch>"]
    result = run_spec(RunSpec(TASK, "brainbody", ScriptedModel([PLAN, *acts]), robot=file, record=path))
    assert result.solved
    recorded = parse_robot(started(result).world["robot"], TASK.domain)
    assert (recorded.words, recorded.hidden) == (("go", "off"), {"switched-on"})
    file.unlink()
    replayed = replay_record(path)
    assert replayed.identical, replayed.difference


@pytest.mark.parametrize(
    ("policy", "options", "message"),
    [
        ("brainbody", {"body": "legs"}, "--body legs: no such choice; there are llm, reader, embedding, none"),
        ("brainbody", {"feedback_loops": -1}, "--feedback-loops -1: at least 0 is needed"),
        ("brainbody", {"body": "reader", "body_model": "oracle"}, "--body-model: --body reader has no use for it"),
        ("brainbody", {"embedding_model": "m"}, "--embedding-model: --body llm has no use for it"),
        ("brainbody-open", {"feedback_loops": 2}, "it is for brainbody"),
        ("base", {"body": "reader"}, "it is for brainbody, brainbody-open"),
        ("hvr", {"signal": "raw"}, "it is for brainbody"),
        ("brainbody", {"replans": 1}, "it is for hvr"),
        ("brainbody", {"robot": "nowhere.json"}, "nowhere.json: no such file"),
    ],
)
def test_an_option_without_an_effect_is_refused(policy: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        run(TASK, policy, ScriptedModel([]), **options)
    assert message in str(caught.value)


@pytest.mark.usefixtures("needs_planner")
def test_any_domain_has_commands() -> None:
    result = run(shipped_domain("blocksworld").task("p01"), "brainbody", "oracle", body="reader")
    assert result.solved
    assert "robot" not in started(result).world
