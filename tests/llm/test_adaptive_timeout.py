"""The time-out of a call: longer after a time-out and after slow replies, unless the user has set it."""

from __future__ import annotations

import pytest

from pddl2nl.llm import Completion, EndpointError, Message, OpenAIModel, Request, ScriptedModel, Usage
from pddl2nl.llm.settings import ModelSettings
from tests.llm.chat_server import ChatServer, Trouble

REQUEST = Request((Message("user", "Go."),), max_tokens=100)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")
    monkeypatch.setattr("pddl2nl.llm.endpoint.client._DEFAULT_TIMEOUT", 0.2)


def test_a_machine_that_needs_longer_than_the_default_is_heard_at_a_later_attempt() -> None:
    with ChatServer(ScriptedModel(["late"]), lambda number: Trouble(503, delay=0.6) if number < 2 else None) as server:
        assert OpenAIModel("m", server.base_url, settings=ModelSettings()).complete(REQUEST).text == "late"


def test_a_slow_reply_lengthens_the_wait_for_the_longest_one() -> None:
    class Slow:
        name = "slow"

        def complete(self, request: Request) -> Completion:
            return Completion("x", usage=Usage(10, 5))

    with ChatServer(Slow(), delay=0.1) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings())
        reply = model.complete(REQUEST)
    # 5 of 100 tokens in at least 0.1 s, thrice the expected time of all.
    assert 6 <= model._timeout <= 3 * reply.seconds * 100 / 5


def test_a_time_out_that_the_user_set_stays_as_it_is() -> None:
    with ChatServer(ScriptedModel(["late"]), delay=0.5) as server:
        model = OpenAIModel("m", server.base_url, settings=ModelSettings(), timeout=0.2, max_retries=2)
        with pytest.raises(EndpointError, match=r"no answer within 0\.2 s; tried 3 times"):
            model.complete(REQUEST)
