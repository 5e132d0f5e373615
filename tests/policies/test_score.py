"""Score: likelihoods by hand, how endpoints give them, and the errors of those that do not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InputError
from pddl2nl.experiments import run
from pddl2nl.experiments.records.replay import replay_record
from pddl2nl.llm import Completion, Message, OpenAIModel, Request, ScriptedModel
from pddl2nl.llm.constraint import Constraint
from pddl2nl.llm.replies import read_logprob
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.policies.events import Acted, Finished, Prompted, Replied
from pddl2nl.tasks import shipped_task
from tests.llm.chat_server import Call, ChatServer, Trouble

TASK = shipped_task("ferry", "p01")
OPTIONS: dict[str, Any] = {"example": "none", "cache": "none", "steps": 1}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-mind")


class Rating:
    """A model that rates actions by a function of their text."""

    name = "rating"

    def __init__(self, rate: Callable[[str], float]):
        self.rate = rate
        self.rated: list[str] = []

    def complete(self, request: Request) -> Completion:
        assert request.likelihood
        text = str(request.constraint.only)
        self.rated.append(text)
        return Completion(f"Action: {text}", logprob=self.rate(text))


def acted(model: Any, **options: Any) -> tuple[list[str], Finished]:
    result = run(TASK, "score", model, **{**OPTIONS, **options})
    finished = result.finished
    assert isinstance(finished, Finished)
    return [event.text for event in result.events if isinstance(event, Acted)], finished


def test_every_applicable_action_is_rated_once_and_the_likeliest_is_done() -> None:
    # The second action of the state is the likeliest.
    model = Rating(lambda text: -5.0 if len(model.rated) == 2 else -50.0)
    done, finished = acted(model)
    assert finished.calls == len(set(model.rated)) == len(model.rated) > 1
    assert done == [model.rated[1]]
    assert finished.turns == {"executed": 1}


def test_likelihoods_are_compared_per_byte_and_equals_in_order() -> None:
    # The same likelihood of each byte: a sum would prefer the shortest.
    model = Rating(lambda text: -0.5 * len(text.encode()))
    assert acted(model)[0] == [model.rated[0]]
    longest = Rating(lambda text: -9.0)
    assert len(acted(longest)[0][0]) == max(map(len, longest.rated))


def test_likelihoods_under_the_constraint_are_refused() -> None:
    _, finished = acted(Rating(lambda text: 0.0))
    assert finished.outcome == "infrastructure-error"
    assert "add up to more than 1" in finished.message


def test_a_model_without_likelihoods_is_named() -> None:
    _, finished = acted(ScriptedModel(["Action: put down block_0"]))
    assert finished.outcome == "infrastructure-error"
    assert "no likelihoods, which --policy score needs" in finished.message


@pytest.mark.usefixtures("needs_planner")
def test_the_oracle_is_sure_and_its_record_is_replayed(tmp_path: Path) -> None:
    result = run(TASK, "score", "oracle", record=tmp_path / "run.jsonl")
    assert result.outcome == "solved"
    assert replay_record(tmp_path / "run.jsonl").difference is None
    asked = [event for event in result.events if isinstance(event, Prompted)]
    replied = [event for event in result.events if isinstance(event, Replied)]
    assert all(event.likelihood for event in asked)
    assert all(event.logprob is not None for event in replied)


@pytest.mark.parametrize("option", [{"constrain": "format"}, {"feedback": "minimal"}])
def test_options_about_what_a_model_writes_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"does not use it|has no option"):
        acted("oracle", **option)


# ── endpoints ────────────────────────────────────────────────────────────────────────────────────


def tokens(*said: tuple[str, float]) -> dict[str, Any]:
    return {"choices": [{"logprobs": {"content": [{"token": text, "logprob": value} for text, value in said]}}]}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (tokens(("Action:", -9.0), (" go", -1.0), (" left", -2.0)), -3.0),
        (tokens(("Action: ", -9.0), ("g", -1.0), ("o left", -2.0), ("<|end|>", -7.0)), -3.0),
        (tokens(("go left", -0.25)), -0.25),
        (tokens(("Action:", -9.0), (" go", -1.0), (" right", -2.0)), None),
        (tokens((" left", -2.0)), None),
        ({"choices": [{"logprobs": None}]}, None),
        ({"choices": []}, None),
        (tokens(("go left", math.inf)), None),
        (
            {
                "prompt_logprobs": [
                    None,
                    {"7": {"logprob": -9.0, "rank": 1, "decoded_token": "Action:"}},
                    {"8": {"logprob": -1.5, "rank": 3, "decoded_token": " go"}, "9": {"logprob": -0.1}},
                    {"5": {"logprob": -0.5, "rank": 1, "decoded_token": " left"}},
                ]
            },
            -2.0,
        ),
    ],
)
def test_the_tokens_of_the_action_are_added_up(data: dict[str, Any], expected: float | None) -> None:
    assert read_logprob(data, "go left") == expected


def test_a_token_may_be_a_part_of_a_character() -> None:
    parts = [{"token": "?", "bytes": [byte], "logprob": -1.0} for byte in "ö".encode()]
    assert read_logprob({"choices": [{"logprobs": {"content": parts}}]}, "ö") == -2.0


ASKED = Request((Message("user", "Go."),), constraint=Constraint((("go left",),), action="Action: "), likelihood=True)


def answered(settings: ModelSettings, answer: dict[str, Any]) -> tuple[Completion, dict[str, Any]]:
    sent: list[Call] = []

    def fault(call: Call) -> Trouble:
        sent.append(call)
        return Trouble(200, json.dumps(answer))

    with ChatServer(ScriptedModel([]), fault=fault) as server:
        reply = OpenAIModel("m", server.base_url, settings=settings, max_retries=0).complete(ASKED)
    return reply, dict(sent[0].body)


def test_the_likelihood_of_a_completion_is_that_of_one_that_a_grammar_allows_only() -> None:
    answer = tokens(("Action:", -9.0), (" go", -1.0), (" left", -2.0))
    answer["choices"][0] |= {"finish_reason": "stop", "message": {"content": "Action: go left"}}
    answer["usage"] = {"prompt_tokens": 20, "completion_tokens": 3}
    reply, sent = answered(ModelSettings(constrain="grammar"), answer)
    assert (reply.text, reply.logprob, reply.usage.completion_tokens) == ("Action: go left", -3.0, 3)
    assert sent["logprobs"] is True
    assert '"go left"' in sent["grammar"]


def test_the_likelihood_of_a_prompts_end_needs_no_grammar() -> None:
    said = [{"1": {"logprob": -2.5, "decoded_token": " go left"}}]
    answer = {"choices": [{"finish_reason": "length", "message": {"content": "!"}}], "prompt_logprobs": said}
    reply, sent = answered(ModelSettings(likelihood="prompt"), answer)
    assert (reply.text, reply.finish, reply.logprob) == ("Action: go left", "text", -2.5)
    assert sent["messages"][-1] == {"role": "assistant", "content": "Action: go left"}
    assert (sent["prompt_logprobs"], sent["continue_final_message"], sent["max_tokens"]) == (0, True, 1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (ModelSettings(constrain="grammar"), r"no likelihood of '.* \(logprobs\), which --policy score needs"),
        (ModelSettings(likelihood="prompt"), r"\(prompt_logprobs\)"),
        (ModelSettings(constrain="json_schema"), "it obeys JSON schemas"),
    ],
)
def test_an_endpoint_that_cannot_is_a_clear_error_and_no_verdict(settings: ModelSettings, words: str) -> None:
    with ChatServer(ScriptedModel(["Action: whatever"])) as server:
        _, finished = acted(OpenAIModel("m", server.base_url, settings=settings))
    assert finished.outcome == "infrastructure-error"
    assert re.search(words, finished.message), finished.message
