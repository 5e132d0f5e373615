"""All mechanisms through the openai client itself, against a real HTTP server on loopback; and no key anywhere."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import run
from pddl2nl.llm import ScriptedModel
from pddl2nl.pddl import Task
from pddl2nl.tasks import shipped_task
from tests.experiments.mechanisms import ASKING
from tests.llm.chat_server import ChatServer, Trouble

KEY = "sk-known-key-0987654321"
FAULTS = [
    Trouble(401, json.dumps({"error": {"message": f"Incorrect key {KEY}", "code": "invalid_api_key"}})),
    Trouble(403),
    Trouble(404),
    Trouble(400),
    Trouble(200, f"<html>{KEY}</html>"),
    Trouble(200, "{}"),
]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def task() -> Task:
    return shipped_task("blocksworld", "p01")


def _oracle(task: Task) -> Any:
    from pddl2nl.experiments.models import ModelContext, make_model
    from pddl2nl.nl import choose_wording

    return make_model("oracle", ModelContext(task.domain, choose_wording(None, task.domain))).model


@pytest.mark.usefixtures("needs_planner")
@pytest.mark.parametrize("policy", ASKING)
def test_a_mechanism_solves_a_task_over_http_with_faults_on_the_way(policy: str, task: Task, tmp_path: Path) -> None:
    rng = random.Random(policy)
    passing = [Trouble(429), Trouble(500), Trouble(503), Trouble(408), Trouble(drop=True)]

    def fault(number: int) -> Trouble | None:
        return rng.choice(passing) if rng.random() < 0.3 else None

    with ChatServer(_oracle(task), fault) as server:
        result = run(task, policy, "gpt-4o-2024-08-06", base_url=server.base_url, record=tmp_path / "run.jsonl")
        calls = len(server.calls)
    assert result.solved, result
    assert result.spent.calls <= calls
    assert result.spent.prompt_tokens > 0
    assert result.spent.usd is not None
    assert result.spent.usd > 0
    started = json.loads((tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert (started["models"]["planner"], started["base_url"]) == ("gpt-4o-2024-08-06", server.base_url)
    assert KEY not in (tmp_path / "run.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("policy", ASKING)
@pytest.mark.parametrize("trouble", FAULTS, ids=["401", "403", "404", "400", "html", "no-completion"])
def test_no_fault_is_scored_and_no_key_is_shown(
    policy: str,
    trouble: Trouble,
    task: Task,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(ScriptedModel([]), lambda number: trouble) as server:
        result = run(
            task, policy, "m", base_url=server.base_url, example="none", steps=3, record=tmp_path / "run.jsonl"
        )
        assert len(server.calls) == 1
    assert result.outcome == "infrastructure-error"
    assert result.mistakes == 0
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file())
    shown = "".join(capfd.readouterr())
    for text in (written, shown, caplog.text, repr(result), str(result.as_json()), result.message):
        assert KEY not in text


def test_credentials_in_the_base_url_are_not_recorded(task: Task, tmp_path: Path) -> None:
    with ChatServer(ScriptedModel(["no plan"])) as server:
        url = server.base_url.replace("http://", "http://me:secret@")
        run(task, "basic", "m", base_url=url, example="none", record=tmp_path / "run.jsonl")
    text = (tmp_path / "run.jsonl").read_text(encoding="utf-8")
    assert server.base_url in text
    assert "secret" not in text
