"""Batches with the openai client itself against a real HTTP server on loopback: every end that a line can take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm import (
    Completion,
    ContextWindowError,
    EndpointError,
    EndpointRefusedError,
    Finish,
    Message,
    ModelConfigurationError,
    OpenAIModel,
    ReplyPendingError,
    Request,
    ScriptedModel,
    Tool,
    ToolCall,
    Usage,
)
from pddl2nl.llm.batch import BatchRunner, BatchStore
from pddl2nl.llm.cache import Cache, CachedModel
from pddl2nl.llm.keys import identity_key
from tests.answering import Answering
from tests.llm.batch_desk import BatchPlan, LineFault
from tests.llm.chat_server import Call, ChatServer, Trouble

KEY = "sk-known-key-1234567890"
AT_ONCE = ("completed",)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pddl2nl.llm.endpoint.faults._FIRST_WAIT", 0.01)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache(tmp_path / "replies.sqlite") as opened:
        yield opened


def echo(request: Request) -> Completion:
    """What was said last; a word such as "length:" at the start says how the reply falls short."""
    said = request.messages[-1].content
    finish, colon, text = said.partition(":")
    kinds: dict[str, Finish] = {"length": "length", "refused": "refused", "filtered": "filtered", "empty": "empty"}
    if colon and finish in kinds:
        return Completion("" if finish == "empty" else text, kinds[finish], Usage(10, 2))
    return Completion(f"echo {said}", usage=Usage(10, 2, 4, 1))


def asked(said: str) -> Request:
    return Request((Message("user", said),), seed=1)


def runner_of(cache: Cache, **options: Any) -> BatchRunner:
    settings: dict[str, Any] = {"poll_seconds": 0.005} | options
    return BatchRunner(cache, **settings)


def noted(runner: BatchRunner, cache: Cache, model: OpenAIModel, said: list[str]) -> CachedModel:
    """The model of a pass in which all of this is asked and nothing is there yet."""
    cached = CachedModel(model, cache, collect=runner.collect)
    for text in said:
        with pytest.raises(ReplyPendingError):
            cached.complete(asked(text))
    return cached


def brought(server: ChatServer, cache: Cache, said: list[str], **options: Any) -> CachedModel:
    runner = runner_of(cache, **options)
    cached = noted(runner, cache, OpenAIModel("m", server.base_url), said)
    runner.run()
    return cached


def key_of(server: ChatServer, said: str) -> str:
    return identity_key(OpenAIModel("m", server.base_url).identity(asked(said)))


# ── the way there and back ───────────────────────────────────────────────────────────────────────


def test_what_is_noted_comes_in_one_batch_and_stays_in_the_cache(cache: Cache) -> None:
    said = [f"line {number} — ü" for number in range(20)]
    with ChatServer(Answering(echo)) as server:
        runner = runner_of(cache)
        cached = noted(runner, cache, OpenAIModel("m", server.base_url), said + said)
        assert runner.pending == 20
        runner.run()
        assert runner.pending == 0
        replies = [cached.complete(asked(text)) for text in said]
        assert [reply.text for reply in replies] == [f"echo {text}" for text in said]
        assert all(reply.from_cache and reply.tariff == "batch" for reply in replies)
        assert replies[0].usage == Usage(10, 2, 4, 1)
        assert (len(server.desk.batches), len(cache)) == (1, 20)
        assert sorted(server.desk.submitted) == sorted(key_of(server, text) for text in said)
        assert not any(call.path.endswith("/chat/completions") for call in server.calls)


def test_the_input_file_is_what_the_provider_asks_for(cache: Cache) -> None:
    with ChatServer(Answering(echo)) as server:
        model = OpenAIModel("m", server.base_url)
        brought(server, cache, ["a"])
        upload = next(call for call in server.calls if call.path == "/v1/files")
        made = next(call for call in server.calls if call.path == "/v1/batches")
        (line,) = [json.loads(text) for text in upload.body["file"].splitlines()]
        assert line == {
            "custom_id": key_of(server, "a"),
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": model.body(asked("a")),
        }
        assert upload.body["purpose"] == "batch"
        assert {name: made.body[name] for name in ("endpoint", "completion_window")} == {
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
        }


def test_a_line_offers_tools_and_its_reply_brings_calls(cache: Cache) -> None:
    calls = (ToolCall("call_0", "stack", '{"x": "a"}'),)
    request = Request((Message("user", "Go on."),), tools=(Tool("stack", "stack X", {"type": "object"}),))
    with ChatServer(Answering(lambda asked: Completion(asked.tools[0].name, tool_calls=calls))) as server:
        runner = runner_of(cache)
        cached = CachedModel(OpenAIModel("m", server.base_url), cache, collect=runner.collect)
        with pytest.raises(ReplyPendingError):
            cached.complete(request)
        runner.run()
        reply = cached.complete(request)
    assert (reply.text, reply.tool_calls, reply.tariff) == ("stack", calls, "batch")


def test_lines_beyond_the_limits_go_into_further_batches(cache: Cache) -> None:
    said = [f"line {number}" for number in range(10)]
    with ChatServer(Answering(echo)) as server:
        brought(server, cache, said, max_lines=4)
        assert [len(batch.lines) for batch in server.desk.batches] == [4, 4, 2]
        assert len(cache) == 10


def test_each_model_has_batches_of_its_own(cache: Cache) -> None:
    runner = runner_of(cache)
    with ChatServer(Answering(echo)) as server:
        for name in ("planner", "translator"):
            noted(runner, cache, OpenAIModel(name, server.base_url), ["a", "b"])
        runner.run()
        assert len(cache) == 4
        assert [{line["body"]["model"] for line in batch.lines} for batch in server.desk.batches] == [
            {"planner"},
            {"translator"},
        ]


# ── replies that fell short ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("finish", ["refused", "filtered", "empty"])
def test_a_reply_that_fell_short_reaches_who_asked_and_not_the_cache(cache: Cache, finish: str) -> None:
    said = f"{finish}:half a pl"
    with ChatServer(Answering(echo)) as server:
        reply = brought(server, cache, [said, "a"]).complete(asked(said))
        assert (reply.finish, reply.tariff, reply.from_cache) == (finish, "batch", True)
        assert len(cache) == 1
        # Nor is it asked for again by those who come later and want it by batch.
        later = runner_of(cache)
        assert (
            CachedModel(OpenAIModel("m", server.base_url), cache, collect=later.collect).complete(asked(said)).text
            == reply.text
        )
        assert later.pending == 0
        assert len(server.desk.submitted) == 2


# ── lines that failed ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "fault",
    [LineFault(429, "rate_limit_exceeded"), LineFault(500), LineFault(503), LineFault(None), LineFault(missing=True)],
)
def test_failed_lines_are_submitted_again_and_no_others(cache: Cache, fault: LineFault) -> None:
    said = ["a", "b", "c"]
    with ChatServer(Answering(echo)) as server:
        bad = key_of(server, "b")
        server.desk.plan = BatchPlan(AT_ONCE, line=lambda name, tried: fault if name == bad and tried < 2 else None)
        brought(server, cache, said)
        assert len(cache) == 3
        assert Counter(server.desk.submitted)[bad] == 3
        assert len(server.desk.submitted) == 5


@pytest.mark.parametrize(
    ("fault", "attempts", "error", "why"),
    [
        (LineFault(500), 2, EndpointError, r"HTTP 500.*made to fail.*\(2 attempts in batches\)"),
        (
            LineFault(400, "context_length_exceeded", "maximum context length"),
            1,
            ContextWindowError,
            "prompt is longer",
        ),
    ],
)
def test_after_the_last_attempt_the_error_reaches_who_asked_and_nobody_else(
    cache: Cache, fault: LineFault, attempts: int, error: type[Exception], why: str
) -> None:
    with ChatServer(Answering(echo)) as server:
        bad = key_of(server, "b")
        server.desk.plan = BatchPlan(AT_ONCE, line=lambda name, tried: fault if name == bad else None)
        cached = brought(server, cache, ["a", "b"], max_attempts=2)
        assert (len(cache), Counter(server.desk.submitted)[bad]) == (1, attempts)
        with pytest.raises(error, match=why):
            cached.complete(asked("b"))


@pytest.mark.parametrize(
    ("status", "code"), [(400, "bad"), (401, None), (403, None), (404, None), (429, "insufficient_quota")]
)
def test_a_line_refused_for_good_stops_everything_once_the_rest_is_kept(
    cache: Cache, status: int, code: str | None
) -> None:
    with ChatServer(Answering(echo)) as server:
        bad = key_of(server, "b")
        fault = LineFault(status, code, "not with this key")
        server.desk.plan = BatchPlan(AT_ONCE, line=lambda name, tried: fault if name == bad and not tried else None)
        runner = runner_of(cache)
        cached = noted(runner, cache, OpenAIModel("m", server.base_url), ["a", "b", "c"])
        with pytest.raises(EndpointRefusedError, match=f"HTTP {status}.*not with this key"):
            runner.run()
        assert len(cache) == 2
        # With the reason gone, the same command asks for nothing but that line.
        runner.run()
        assert cached.complete(asked("b")).text == "echo b"
        assert len(server.desk.submitted) == 4


# ── batches that end otherwise ───────────────────────────────────────────────────────────────────


def test_what_an_expired_batch_left_is_submitted_again(cache: Cache) -> None:
    def plan(number: int) -> BatchPlan:
        return BatchPlan(("in_progress", "expired"), answered=2) if number == 0 else BatchPlan()

    with ChatServer(Answering(echo), batches=plan) as server:
        brought(server, cache, ["a", "b", "c", "d", "e"])
        assert [len(batch.lines) for batch in server.desk.batches] == [5, 3]
        assert len(cache) == 5


def test_a_batch_that_failed_for_good_says_why(cache: Cache) -> None:
    plan = BatchPlan(("validating", "failed"), errors=(("model_not_found", f"no model m for {KEY}"),))
    with (
        ChatServer(Answering(echo), batches=plan) as server,
        pytest.raises(EndpointRefusedError, match=r"batch_0001 failed as a whole: no model m for \[key\]"),
    ):
        brought(server, cache, ["a", "b"])
    assert len(server.desk.batches) == 1


def test_where_too_much_is_enqueued_less_is_submitted_at_a_time(cache: Cache) -> None:
    """An account may have so many tokens in the queue: here lines, three of them."""
    limit = ("token_limit_exceeded", "Enqueued token limit reached")
    with ChatServer(Answering(echo)) as server:

        def plan(number: int) -> BatchPlan:
            file = server.desk.files[server.calls[-1].body["input_file_id"]]
            waiting = sum(len(one.lines) for one in server.desk.batches if one.status not in ("completed", "failed"))
            fits = waiting + len(file["content"].splitlines()) <= 3
            return BatchPlan() if fits else BatchPlan(("validating", "failed"), errors=(limit,))

        server.desk.plan = plan
        brought(server, cache, [f"line {number}" for number in range(10)])
        assert len(cache) == 10
        done = Counter(name for one in server.desk.batches if one.status == "completed" for name in one.custom_ids)
        assert set(done.values()) == {1}


def test_a_cancelled_batch_stops_and_the_rest_is_submitted_the_next_time(cache: Cache) -> None:
    def plan(number: int) -> BatchPlan:
        return BatchPlan(("in_progress", "cancelled"), answered=1) if number == 0 else BatchPlan()

    with ChatServer(Answering(echo), batches=plan) as server:
        runner = runner_of(cache)
        noted(runner, cache, OpenAIModel("m", server.base_url), ["a", "b", "c"])
        with pytest.raises(EndpointError, match="batch_0001 was cancelled at the provider"):
            runner.run()
        assert (len(cache), runner.pending) == (1, 2)
        runner.run()
        assert len(cache) == 3
        assert [len(batch.lines) for batch in server.desk.batches] == [3, 2]


# ── faults on the way ────────────────────────────────────────────────────────────────────────────


def faulty(method: str, path: str, troubles: list[Trouble]) -> Callable[[Call], Trouble | None]:
    left = list(troubles)
    return lambda call: left.pop(0) if left and call.method == method and path in call.path else None


PASSING = [Trouble(500), Trouble(429), Trouble(drop=True), Trouble(200, "{}" * 99, cut=True)]


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/files"), ("POST", "/batches"), ("GET", "/batches/batch"), ("GET", "/content")]
)
def test_faults_that_pass_are_outlived_at_every_call(cache: Cache, method: str, path: str) -> None:
    with ChatServer(Answering(echo), fault=faulty(method, path, PASSING)) as server:
        brought(server, cache, ["a", "b"])
        assert len(cache) == 2
        assert len(server.desk.submitted) == 2


def test_a_torn_output_file_is_read_again_and_not_paid_for_again(cache: Cache) -> None:
    with ChatServer(
        Answering(echo), fault=faulty("GET", "/content", [Trouble(200, '{"custom_id": "x"}\n{"cust')])
    ) as server:
        runner = runner_of(cache)
        noted(runner, cache, OpenAIModel("m", server.base_url), ["a", "b"])
        with pytest.raises(EndpointError, match="something else than JSON"):
            runner.run()
        runner.run()
        assert len(cache) == 2
        assert len(server.desk.submitted) == 2


def test_a_batch_under_another_key_says_what_to_do(cache: Cache) -> None:
    with ChatServer(Answering(echo)) as server:
        runner = runner_of(cache)
        noted(runner, cache, OpenAIModel("m", server.base_url), ["a"])
        server.fault = faulty("GET", "/batches/batch", [Trouble(404)])
        with pytest.raises(
            EndpointRefusedError, match=r"batch_0001, submitted on .* cannot be read: .*404.*another cache"
        ):
            runner.run()
        runner.run()
        assert len(cache) == 1
        assert len(server.desk.submitted) == 1


@pytest.mark.parametrize("body", ["[]", '"<p>hello</p>"', "{}", '{"id": 7}'])
def test_nonsense_for_a_file_or_a_batch_is_an_infrastructure_error(cache: Cache, body: str) -> None:
    for path in ("/files", "/batches"):
        with (
            ChatServer(
                Answering(echo), fault=lambda call, path=path: Trouble(200, body) if path in call.path else None
            ) as server,
            pytest.raises(InfrastructureError),
        ):
            brought(server, cache, ["a"])


# ── processes that end at a call ─────────────────────────────────────────────────────────────────

SAID = [f"line {number}" for number in range(10)] + ["refused:half"]


@pytest.mark.parametrize(
    ("method", "path", "number", "handled"),
    [
        ("POST", "/v1/files", 0, True),
        ("POST", "/v1/files", 1, False),
        ("POST", "/v1/batches", 0, False),
        ("GET", "/v1/batches/batch", 0, True),
        ("GET", "/v1/batches/batch", 7, True),
        ("GET", "/content", 0, False),
        ("GET", "/content", 1, False),
        ("GET", "/content", 3, True),
    ],
)
def test_whatever_call_is_the_last_of_a_process_the_next_one_submits_nothing_twice(
    cache: Cache, method: str, path: str, number: int, handled: bool
) -> None:
    reached = Counter[str]()

    def fault(call: Call) -> Trouble | None:
        reached[path] += call.method == method and path in call.path
        return Trouble(403, handled=handled) if reached[path] == number + 1 and path in call.path else None

    def run() -> BatchRunner:
        runner = runner_of(cache, max_lines=4)
        cached = CachedModel(OpenAIModel("m", server.base_url), cache, collect=runner.collect)
        for said in SAID:
            with suppress(ReplyPendingError):
                cached.complete(asked(said))
        runner.run()
        return runner

    with ChatServer(Answering(echo), fault=fault) as server:
        keys = {said: key_of(server, said) for said in SAID}
        bad = keys[SAID[0]]
        # So that there is an error file, and a second round.
        server.desk.plan = BatchPlan(line=lambda name, tried: LineFault(500) if name == bad and not tried else None)
        with pytest.raises(EndpointError):
            run()
        # Another object, which knows only what the cache's file holds.
        assert run().pending == 0
        assert Counter(server.desk.submitted) == {key: 1 + (key == bad) for key in keys.values()}
        assert [(cache.get(keys[said]) or {}).get("text") for said in SAID[:-1]] == [
            f"echo {said}" for said in SAID[:-1]
        ]
        short = BatchStore(cache).short(keys[SAID[-1]])
        assert (short.text, short.finish, short.usage) == ("half", "refused", Usage(10, 2))
        assert not BatchStore(cache).open()


def test_lines_of_others_stay_until_they_are_asked_for(cache: Cache) -> None:
    """A batch holds the lines of two experiments; the one that comes first takes its own."""
    with ChatServer(Answering(echo)) as server:
        model = OpenAIModel("m", server.base_url)
        first = runner_of(cache)
        noted(first, cache, model, ["a", "b"])
        server.fault = faulty("GET", "/batches/batch", [Trouble(401)])
        with pytest.raises(EndpointRefusedError, match="HTTP 401"):
            first.run()
        for number, said in enumerate(("a", "b"), 1):
            later = runner_of(cache)
            noted(later, cache, model, [said])
            later.run()
            assert (len(server.desk.batches), len(cache)) == (1, number)
        assert len(server.desk.submitted) == 2
        assert not BatchStore(cache).open()


# ── what it cannot do ────────────────────────────────────────────────────────────────────────────


def test_a_model_without_an_endpoint_has_no_batches(cache: Cache) -> None:
    with pytest.raises(ModelConfigurationError, match="'script' is none"):
        runner_of(cache).collect(asked("a"), ScriptedModel([]))
