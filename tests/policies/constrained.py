"""Runs with ``--constrain`` behind a server, and what is sent with which prompt."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from pddl2nl.experiments import RunRecord, run
from pddl2nl.llm import OpenAIModel, ScriptedModel
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import Call, ChatServer, Trouble
from tests.llm.grammar import drawn


def asked(
    domain: str, policy: str, level: str, answer: Callable[[str], str] | int, problem: str = "p01"
) -> tuple[list[tuple[str, str]], RunRecord]:
    """The stage and the grammar of each prompt of a run, and its result.

    ``answer`` answers a stage; or it is a seed, and the replies are drawn from the grammars.
    """
    rng = random.Random(f"{policy} {level} {answer}")
    sent: list[tuple[str, str]] = []

    def fault(call: Call) -> Trouble:
        stage = call.body["messages"][0]["content"].splitlines()[0].removeprefix("Stage: ")
        sent.append((stage, call.body.get("grammar", "")))
        said = answer(stage) if callable(answer) else drawn(sent[-1][1], rng) if sent[-1][1] else "1. Go on"
        message = {"role": "assistant", "content": said}
        return Trouble(200, json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}))

    with ChatServer(ScriptedModel([]), fault=fault) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(constrain="grammar"))
        options: dict[str, Any] = {"cache": "none", "constrain": level, "budget_calls": 12}
        return sent, run(shipped_task(domain, problem), policy, model, **options)
