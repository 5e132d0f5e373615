"""The server of the tests as the openai client sees it, and its faults as they look on the wire."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import openai
import pytest

from pddl2nl.llm import Completion, Request, ScriptedModel
from tests.llm.batch_desk import BatchPlan, LineFault
from tests.llm.chat_server import Call, ChatServer, Trouble

BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


class Echo:
    """Says what it was told last, and turns texts into their lengths."""

    name = "echo"

    def complete(self, request: Request) -> Completion:
        """The echo."""
        return Completion(request.messages[-1].content)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Two numbers a text."""
        return [[float(len(text)), 0.5] for text in texts]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(Echo()) as running:
        yield running


def client_of(server: ChatServer) -> openai.OpenAI:
    return openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0, timeout=5)


def posted(server: ChatServer, path: str = "/v1/chat/completions", body: object = BODY) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(server.base_url.split("/")[2], timeout=5)
    connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def line(name: str, said: str = "hello", url: str = "/v1/chat/completions") -> str:
    body = {"model": "m", "messages": [{"role": "user", "content": said}]}
    return json.dumps({"custom_id": name, "method": "POST", "url": url, "body": body}) + "\n"


def batch_of(client: openai.OpenAI, content: str, **options: Any) -> Any:
    file = client.files.create(file=("lines.jsonl", content.encode()), purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", **options
    )


# ── chats and vectors ────────────────────────────────────────────────────────────────────────────


def test_embeddings_come_as_numbers_or_packed(server: ChatServer) -> None:
    client = client_of(server)
    for form in ("float", "base64"):
        reply = client.embeddings.create(model="e", input=["a", "bcd"], encoding_format=form)  # type: ignore[arg-type]
        if form == "float":
            assert [item.embedding for item in reply.data] == [[1.0, 0.5], [3.0, 0.5]]
    # The client itself asks for packed ones and unpacks them.
    assert [item.embedding for item in client.embeddings.create(model="e", input="abc").data] == [[3.0, 0.5]]


def test_a_model_without_vectors_has_no_embeddings() -> None:
    with ChatServer(ScriptedModel(["a"])) as server, pytest.raises(openai.NotFoundError, match="no embeddings"):
        client_of(server).embeddings.create(model="e", input="a")


def test_the_model_is_listed(server: ChatServer) -> None:
    assert [model.id for model in client_of(server).models.list()] == ["echo"]


@pytest.mark.parametrize("body", [{}, {"messages": "x"}, {"messages": [{"role": "user"}]}])
def test_a_wrong_request_is_refused_and_the_server_goes_on(server: ChatServer, body: dict[str, object]) -> None:
    assert posted(server, body=body)[0] == 400
    assert posted(server, body=[1])[0] == 400
    assert posted(server, "/v1/nothing")[0] == 404
    assert posted(server)[0] == 200


def test_calls_are_noted_with_method_path_and_body(server: ChatServer) -> None:
    client = client_of(server)
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}])
    client.batches.list(limit=7)
    assert [(call.method, call.path) for call in server.calls] == [
        ("POST", "/v1/chat/completions"),
        ("GET", "/v1/batches?limit=7"),
    ]
    assert server.calls[0].body == BODY
    assert server.calls[1].body == {"limit": "7"}


# ── faults ───────────────────────────────────────────────────────────────────────────────────────


def test_a_cut_answer_ends_in_the_middle_of_its_body() -> None:
    whole = '{"one": 1, "two": 2}'
    with ChatServer(Echo(), [Trouble(200, whole, cut=True)]) as server:
        with pytest.raises(http.client.IncompleteRead) as caught:
            posted(server)
        assert caught.value.partial == whole[:10].encode()
        assert posted(server)[0] == 200


def test_a_handled_call_loses_its_answer_alone() -> None:
    model = ScriptedModel(["first", "second"])
    with ChatServer(model, [Trouble(drop=True, handled=True)]) as server:
        with pytest.raises(http.client.RemoteDisconnected):
            posted(server)
        assert b"second" in posted(server)[1]


def test_a_handled_call_that_is_cut_sends_half_of_its_own_answer() -> None:
    with ChatServer(ScriptedModel(["first"]), [Trouble(200, cut=True, handled=True)]) as server:
        with pytest.raises(http.client.IncompleteRead) as caught:
            posted(server)
        assert caught.value.partial.startswith(b'{"id": "chatcmpl-loopback"')


def test_faults_may_depend_on_what_is_called() -> None:
    def fault(call: Call) -> Trouble | None:
        return Trouble(503) if call.path.endswith("/embeddings") else None

    with ChatServer(Echo(), fault=fault) as server:
        assert posted(server)[0] == 200
        assert posted(server, "/v1/embeddings", {"model": "e", "input": "a"})[0] == 503


def test_a_delay_comes_before_each_answer_and_each_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("tests.llm.chat_server.time.sleep", waits.append)
    with ChatServer(Echo(), [None, Trouble(500, delay=0.07)], delay=0.05) as server:
        assert (posted(server)[0], waits) == (200, [0.05])
        assert (posted(server)[0], waits) == (500, [0.05, 0.07])


def test_many_connections_in_one_moment_are_all_taken() -> None:
    """None of them waits for another attempt at connecting, which takes a second."""
    count = 64
    with ChatServer(Echo(), delay=0.05) as server:
        address = ("127.0.0.1", int(server.base_url.split(":")[2].split("/")[0]))
        data = json.dumps(BODY).encode()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        sockets = [socket.create_connection(address, timeout=10) for _ in range(count)]
        for one in sockets:
            one.sendall(head % len(data) + data)
        for one in sockets:
            with one, one.makefile("rb") as stream:
                assert stream.readline().startswith(b"HTTP/1.1 200")
        assert len(server.calls) == count


# ── files and batches ────────────────────────────────────────────────────────────────────────────


def test_files_come_back_as_they_were_sent(server: ChatServer) -> None:
    client = client_of(server)
    content = 'ü\r\n--not the boundary\n{"a": "b"}\n'.encode()
    file = client.files.create(file=("name.jsonl", content), purpose="batch")
    assert (file.filename, file.purpose, file.bytes) == ("name.jsonl", "batch", len(content))
    assert client.files.content(file.id).content == content
    assert client.files.retrieve(file.id).id == file.id
    assert client.files.delete(file.id).deleted
    with pytest.raises(openai.NotFoundError):
        client.files.content(file.id)


def test_a_batch_goes_through_its_stages_and_answers_its_lines(server: ChatServer) -> None:
    client = client_of(server)
    made = batch_of(client, line("a", "one") + line("b", "two"), metadata={"for": "tests"})
    assert (made.status, made.metadata) == ("validating", {"for": "tests"})
    found = [client.batches.retrieve(made.id) for _ in range(4)]
    assert [batch.status for batch in found] == ["in_progress", "finalizing", "completed", "completed"]
    assert found[-1].error_file_id is None
    lines = [json.loads(text) for text in client.files.content(found[-1].output_file_id).text.splitlines()]
    said = {one["custom_id"]: one["response"]["body"]["choices"][0]["message"]["content"] for one in lines}
    assert said == {"a": "one", "b": "two"}
    assert server.desk.submitted == ["a", "b"]


def test_faults_of_lines_stand_in_the_error_file() -> None:
    faults = {
        "b": LineFault(429, "rate_limit_exceeded", "slow"),
        "c": LineFault(None, "odd"),
        "d": LineFault(missing=True),
    }
    plan = BatchPlan(("completed",), line=lambda name, tried: faults.get(name))
    with ChatServer(Echo(), batches=plan) as server:
        client = client_of(server)
        made = batch_of(client, "".join(map(line, "abcd")))
        assert made.request_counts.completed == 1
        errors = [json.loads(text) for text in client.files.content(made.error_file_id).text.splitlines()]
        found = {one["custom_id"]: (one["response"] and one["response"]["status_code"], one["error"]) for one in errors}
        assert found == {"b": (429, None), "c": (None, {"code": "odd", "message": "made to fail"})}


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_lines_that_were_not_reached_say_so(end: str) -> None:
    with ChatServer(Echo(), batches=BatchPlan(("in_progress", end), answered=1)) as server:
        client = client_of(server)
        found = client.batches.retrieve(batch_of(client, "".join(map(line, "abc"))).id)
        assert found.status == end
        errors = [json.loads(text) for text in client.files.content(found.error_file_id).text.splitlines()]
        assert {one["error"]["code"] for one in errors} == {f"batch_{end}"}
        assert len(errors) == 2


def test_a_batch_can_be_cancelled(server: ChatServer) -> None:
    client = client_of(server)
    made = batch_of(client, line("a"))
    assert client.batches.cancel(made.id).status == "cancelling"
    assert client.batches.retrieve(made.id).status == "cancelled"
    with pytest.raises(openai.ConflictError):
        client.batches.cancel(made.id)


def test_batches_are_listed_newest_first_page_by_page(server: ChatServer) -> None:
    client = client_of(server)
    made = [batch_of(client, line(f"line {number}")).id for number in range(5)]
    assert [batch.id for batch in client.batches.list(limit=2)] == made[::-1]
    assert len([call for call in server.calls if call.method == "GET"]) == 3


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty_file"),
        ("{", "invalid_json_line"),
        (line("a") + line("a"), "duplicate_custom_id"),
        (line("a", url="/v1/embeddings"), "invalid_url"),
    ],
)
def test_a_wrong_input_file_fails_as_a_whole(server: ChatServer, content: str, code: str) -> None:
    client = client_of(server)
    found = client.batches.retrieve(batch_of(client, content).id)
    assert found.status == "failed"
    assert [error.code for error in found.errors.data] == [code]


def test_a_batch_that_is_none_is_refused(server: ChatServer) -> None:
    client = client_of(server)
    with pytest.raises(openai.NotFoundError):
        client.batches.create(input_file_id="file-9", endpoint="/v1/chat/completions", completion_window="24h")
    with pytest.raises(openai.BadRequestError):
        batch_of(client, line("a"), metadata={"key": "x" * 513})
    other = client.files.create(file=("x", b"x"), purpose="user_data")
    with pytest.raises(openai.BadRequestError, match="purpose"):
        client.batches.create(input_file_id=other.id, endpoint="/v1/chat/completions", completion_window="24h")
    with pytest.raises(openai.NotFoundError):
        client.batches.retrieve("batch_9")


def test_a_client_that_goes_away_leaves_no_trace(capfd: pytest.CaptureFixture[str]) -> None:
    with ChatServer(Echo(), [Trouble(200, "x" * 5_000_000, delay=0.05)]) as server:
        address = ("127.0.0.1", int(server.base_url.split(":")[2].split("/")[0]))
        data = json.dumps(BODY).encode()
        with socket.create_connection(address) as one:
            one.sendall(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(data) + data)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        gone = threading.active_count()
        time.sleep(0.15)
        assert threading.active_count() <= gone
        assert posted(server)[0] == 200
    assert capfd.readouterr() == ("", "")
