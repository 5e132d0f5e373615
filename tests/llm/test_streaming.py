"""``--stream``: replies in pieces, which end with the first action, and time-outs of silences instead of replies."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.experiments import run
from pddl2nl.experiments.records.stored import read_record
from pddl2nl.llm import EndpointError, Message, OpenAIModel, Request, Usage, request_key
from pddl2nl.llm.endpoint.streaming import ReplyStream
from pddl2nl.llm.settings import ModelSettings
from pddl2nl.policies.events import Prompted, Replied
from pddl2nl.reports.recheck import doubt
from pddl2nl.tasks import shipped_task

UNTIL = r"(?mi)^action:.*\n"
ASKED = Request((Message("user", "Go on, please."),), max_tokens=100, until=UNTIL)
Pieces = Sequence[str | float | dict[str, Any]]
"""Texts, pauses in seconds, and whole events."""


def event(piece: str | dict[str, Any]) -> bytes:
    said = {"choices": [{"index": 0, "delta": {"content": piece}}]} if isinstance(piece, str) else piece
    return f"data: {json.dumps(said)}\n\n".encode()


@contextmanager
def streaming(pieces: Pieces, *, finish: str | None = "stop") -> Iterator[tuple[str, list[dict[str, Any]], list[int]]]:
    """A server that streams these pieces: its address, the bodies that it got, and how many pieces it sent each."""
    bodies: list[dict[str, Any]] = []
    sent: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            sent.append(0)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            try:
                for piece in pieces:
                    if isinstance(piece, float):
                        time.sleep(piece)
                        continue
                    self.wfile.write(event(piece))
                    sent[-1] += 1
                if finish is not None:
                    self.wfile.write(event({"choices": [{"delta": {}, "finish_reason": finish}]}))
                    usage = {"prompt_tokens": 9, "completion_tokens": 30}
                    self.wfile.write(event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n")
            except ConnectionError:
                pass  # the client has gone, as it should

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", bodies, sent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def model_at(url: str, **more: Any) -> OpenAIModel:
    # A name for each server: how many characters a token has is learned by the model's name.
    return OpenAIModel(f"streaming {url}", url, settings=ModelSettings(stream_body=more.pop("stream_body", {})), **more)


def test_a_whole_reply_is_put_together_with_the_counts_at_its_end() -> None:
    with streaming(["Thought: a", " bit\n", "Act"]) as (url, bodies, _):
        reply = model_at(url).complete(ASKED)
    assert (reply.text, reply.finish, reply.usage, reply.remark) == ("Thought: a bit\nAct", "text", Usage(9, 30), "")
    assert bodies[0]["stream"] is True
    assert bodies[0]["stream_options"] == {"include_usage": True}


def test_the_reply_ends_with_its_first_action_and_the_connection_with_it() -> None:
    pieces: Pieces = ["Thought: x\nAction: g", "o left\nAnd t", *[0.01, "then\n"] * 500]
    with streaming(pieces) as (url, _, sent):
        reply = model_at(url).complete(ASKED)
        time.sleep(0.1)
        after = sent[0]
        time.sleep(0.1)
    assert reply.text == "Thought: x\nAction: go left\n"
    assert sent[0] == after < 100, "the server goes on writing"
    assert reply.remark == (
        "the reply was ended at its first action; the endpoint counted no tokens, these are estimates"
    )
    # Two pieces; an estimate for the three words of the prompt.
    assert reply.usage.completion_tokens == 2
    assert 1 <= reply.usage.prompt_tokens <= 10


@pytest.mark.parametrize(
    "counts",
    [
        {"usage": {"prompt_tokens": 7, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}}},
        {"timings": {"cache_n": 5, "prompt_n": 2, "predicted_n": 4}},
    ],
)
def test_counts_that_come_with_the_pieces_are_exact_for_an_ended_reply(counts: dict[str, Any]) -> None:
    piece = {"choices": [{"delta": {"content": "Action: go\n"}}], **counts}
    with streaming([piece, 5.0]) as (url, bodies, _):
        reply = model_at(url, stream_body={"timings_per_token": True}).complete(ASKED)
    assert reply.usage == Usage(7, 4, 5)
    assert reply.remark == "the reply was ended at its first action"
    assert bodies[0]["timings_per_token"] is True


def test_an_action_within_a_thought_ends_nothing() -> None:
    with streaming(["<think>\nAction: go\n", "</think>\nAction: stay\n", "more"]) as (url, _, _):
        reply = model_at(url).complete(ASKED)
    assert (reply.text, reply.reasoning) == ("Action: stay\n", "Action: go")


def test_a_connection_that_still_streams_is_alive_and_a_silent_one_is_not() -> None:
    with streaming(["a", 0.2, "b", 0.2, "c", 0.2, "d"]) as (url, _, _):
        # 0.6 s in all, with a time-out of 0.4 s.
        assert model_at(url, timeout=0.4, max_retries=0).complete(ASKED).text == "abcd"
    with streaming(["a", 1.0, "b"]) as (url, _, _), pytest.raises(EndpointError, match=r"no answer within 0\.4 s"):
        model_at(url, timeout=0.4, max_retries=0).complete(ASKED)


def test_a_stream_that_breaks_off_is_no_reply() -> None:
    with (
        streaming(["Thought: half"], finish=None) as (url, bodies, _),
        pytest.raises(EndpointError, match="the reply broke off after 13 characters"),
    ):
        model_at(url, max_retries=1).complete(ASKED)
    assert len(bodies) == 2, "it may pass"


def test_an_error_in_the_stream_is_the_endpoints() -> None:
    error = {"error": {"message": "out of memory", "code": 507}}
    with streaming(["Thought", error]) as (url, _, _), pytest.raises(EndpointError, match=r"507.*out of memory"):
        model_at(url, max_retries=0).complete(ASKED)


def test_bytes_may_be_split_anywhere() -> None:
    data = event("Thought: ä\n") + b": a comment\n\n" + event("Action: gö\n") + event("rest")
    for at in range(len(data)):
        stream = ReplyStream(UNTIL)
        stream.feed(data[:at])
        stream.feed(data[at:])
        assert stream.ended
        assert stream.completion()["choices"][0]["message"]["content"] == "Thought: ä\nAction: gö\n"


def test_a_streamed_request_has_a_key_of_its_own_only_where_its_reply_may_differ() -> None:
    plain, whole = Request(ASKED.messages, max_tokens=100), Request(ASKED.messages, max_tokens=100, until="")
    assert request_key(plain) == request_key(whole) != request_key(ASKED)


@pytest.mark.parametrize(("policy", "ends"), [("act", True), ("basic", False)])
def test_the_record_says_how_a_run_streamed(policy: str, ends: bool) -> None:
    options: dict[str, Any] = {"steps": 1, "example": "none", "cache": "none", "stream": True}
    with streaming(["Action: unstack block_2 from block_1\n", "Action: put down block_2\n"]) as (url, _, _):
        result = run(shipped_task("blocksworld", "p01"), policy, model_at(url), **options)
    (asked,) = (item for item in result.events if isinstance(item, Prompted))
    (said,) = (item for item in result.events if isinstance(item, Replied))
    assert bool(asked.until) == said.remark.startswith("the reply was ended") == ends
    assert said.text.count("Action") == (1 if ends else 2)
    assert result.started.spec["stream"] is True
    assert result.outcome != "infrastructure-error"


def test_a_run_acts_by_streamed_calls_with_the_thought_beside_them(tmp_path: Path) -> None:
    calls = [
        ("board", {"car": "car_0", "loc": "location_0"}),
        ("sail", {"from": "location_0", "to": "location_3"}),
        ("debark", {"car": "car_0", "loc": "location_3"}),
    ]
    pieces: list[str | dict[str, Any]] = ["Off ", "I go."]
    for index, (name, arguments) in enumerate(calls):
        said = json.dumps(arguments)
        for piece in ({"name": name, "arguments": said[:9]}, {"arguments": said[9:]}):
            call = {"index": index, "function": piece} | ({"id": f"id_{index}"} if "name" in piece else {})
            pieces.append({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    options: dict[str, Any] = {"example": "none", "cache": "none", "stream": True, "record": tmp_path / "run.jsonl"}
    with streaming(pieces, finish="tool_calls") as (url, bodies, _):
        result = run(shipped_task("ferry", "p01"), "tools", model_at(url), **options)
    assert bodies[0]["stream"] is True
    assert [tool["function"]["name"] for tool in bodies[0]["tools"]][:3] == ["sail", "board", "debark"]
    assert (result.outcome, result.steps, len(bodies)) == ("solved", 3, 1)
    (replied,) = (item for item in result.events if isinstance(item, Replied))
    assert (replied.text, [call.id for call in replied.tool_calls]) == ("Off I go.", ["id_0", "id_1", "id_2"])
    assert doubt(read_record(tmp_path / "run.jsonl")) == ""
