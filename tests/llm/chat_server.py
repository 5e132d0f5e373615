"""Any model behind an OpenAI-compatible endpoint on this machine, with faults on purpose.

For tests of everything between a policy and the wire, with the openai client itself and no network::

    with ChatServer(ScriptedModel(["Action: stack a on b"])) as server:
        OpenAIModel("any-name", server.base_url).complete(request)

It speaks ``/v1/chat/completions``, ``/v1/embeddings`` where the model has `embed`, and ``/v1/files`` and
``/v1/batches`` (`batch_desk`). Any call can meet a `Trouble` instead of its answer.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm.replies import parse_json
from pddl2nl.llm.types import Completion, Message, Model, Request, Tool, ToolCall
from tests.llm.batch_desk import BatchDesk, BatchPlan, Refusal, uploaded

_FINISH = {"text": "stop", "empty": "stop", "refused": "stop", "length": "length", "filtered": "content_filter"}


@dataclass(frozen=True)
class Trouble:
    """A fault instead of an answer: a status with a body, or a connection dropped without a word.

    ``delay`` is waited first, in seconds. With status 200 the body is sent as it is, so it can be no JSON. With
    ``cut`` the connection is dropped in the middle of the body. With ``handled`` the call is carried out before
    the fault, so that its answer alone is lost; cut as well, half of that answer is sent.
    """

    status: int = 500
    body: str = '{"error": {"message": "made to fail", "type": "server_error", "code": null}}'
    headers: tuple[tuple[str, str], ...] = (("retry-after-ms", "5"),)
    drop: bool = False
    delay: float = 0.0
    cut: bool = False
    handled: bool = False


@dataclass(frozen=True)
class Call:
    """A request that reached the server.

    ``body`` is the JSON; of an upload its fields, the file under ``file``; of a GET the fields of its query.
    """

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    method: str = "POST"


class ChatServer:
    """Serves a model at `base_url` from entering the context until leaving it.

    Args:
        model: what answers.
        troubles: faults for the first calls, in order, None for an answer; or a function of the call's number
            (from 0). After the last of a list every call is answered.
        fault: faults by what is called; asked where ``troubles`` has none.
        delay: seconds that pass before each chat completion and each embedding.
        batches: what becomes of every batch, or a function of the batch's number (from 0).

    `desk` keeps files and batches; `connections` counts how many were opened.
    """

    def __init__(
        self,
        model: Model,
        troubles: Iterable[Trouble | None] | Callable[[int], Trouble | None] = (),
        *,
        fault: Callable[[Call], Trouble | None] | None = None,
        delay: float = 0.0,
        batches: BatchPlan | Callable[[int], BatchPlan] | None = None,
    ):
        self.model = model
        self.calls: list[Call] = []
        self.connections = 0
        self.delay = delay
        self.desk = BatchDesk({"/v1/chat/completions": self.answer, "/v1/embeddings": self.vectors}, batches)
        self._trouble = troubles if callable(troubles) else _listed(list(troubles))
        self.fault = fault
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.chat = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        """The endpoint as the openai client wants it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def receive(self, call: Call) -> Trouble | None:
        """Notes a call and says which fault it meets."""
        with self._lock:
            self.calls.append(call)
            number = len(self.calls) - 1
        return self._trouble(number) or (self.fault(call) if self.fault is not None else None)

    def handle(self, call: Call) -> bytes:
        """The body of a call's answer; raises `Refusal` where the call is wrong."""
        path = urlsplit(call.path).path.removeprefix("/v1")
        if path in ("/chat/completions", "/embeddings"):
            time.sleep(self.delay)
            return json.dumps((self.answer if path == "/chat/completions" else self.vectors)(call.body)).encode()
        return self.desk.handle(call.method, path, call.body)

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The chat completion, as JSON, of a request's body; raises `Refusal` for a bad one."""
        try:
            stop = body.get("stop") or ()
            request = Request(
                tuple(map(_message, body["messages"])),
                temperature=body.get("temperature"),
                seed=body.get("seed"),
                max_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
                stop=(stop,) if isinstance(stop, str) else tuple(stop),
                tools=tuple(Tool(**each["function"]) for each in body.get("tools", ())),
                tool_choice=body.get("tool_choice", "auto"),
            )
            _check_answers(request.messages)
        except (KeyError, TypeError, ValueError) as error:
            raise Refusal(400, f"no request for a chat completion: {error!r}") from None
        return _completion_json(str(body.get("model")), request, self._of_the_model(self.model.complete, request))

    def vectors(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The embeddings, as JSON, of a request's body; raises `Refusal` for a bad one, or a model without any."""
        embed = getattr(self.model, "embed", None)
        if embed is None:
            raise Refusal(404, f"the model '{body.get('model')}' makes no embeddings")
        texts = body["input"]
        found = self._of_the_model(embed, texts)
        tokens = sum(len(text.split()) for text in texts)
        return {
            "object": "list",
            "model": str(body.get("model")),
            "data": [
                {"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(found)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }

    @staticmethod
    def _of_the_model(ask: Callable[[Any], Any], asked: object) -> Any:
        try:
            return ask(asked)
        except InfrastructureError as error:
            raise Refusal(400, str(error)) from None


def _listed(troubles: list[Trouble | None]) -> Callable[[int], Trouble | None]:
    return lambda number: troubles[number] if number < len(troubles) else None


def _message(sent: Mapping[str, Any]) -> Message:
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in sent.get("tool_calls", ())
    )
    for call in calls:
        if not isinstance(parse_json(call.arguments), dict):
            # vLLM's and llama.cpp's templates take the arguments of earlier calls as objects.
            raise Refusal(400, f"the arguments of {call.name} are no JSON object: {call.arguments}")
    returned = json.dumps({name: sent[name] for name in ("reasoning_content",) if name in sent}) if calls else ""
    return Message(sent["role"], sent["content"] or "", calls, sent.get("tool_call_id", ""), returned)


def _check_answers(messages: Iterable[Message]) -> None:
    """Every call has one answer, directly behind it, as OpenAI's API and others ask for."""
    open_calls: list[str] = []
    for message in messages:
        if message.role != "tool" and open_calls:
            raise Refusal(400, f"no tool message answers the calls {', '.join(open_calls)}")
        if message.role == "tool":
            if message.answers not in open_calls:
                raise Refusal(400, f"a tool message answers '{message.answers}', which was not called")
            open_calls.remove(message.answers)
        ids = [call.id for call in message.tool_calls]
        if len({*ids}) < len(ids) or "" in ids:
            raise Refusal(400, f"calls need ids of their own: {ids}")
        open_calls += ids
    if open_calls:
        raise Refusal(400, f"no tool message answers the calls {', '.join(open_calls)}")


def _completion_json(model: str, request: Request, completion: Completion) -> dict[str, Any]:
    refused = completion.finish == "refused"
    usage = completion.usage
    # Models without an endpoint count no tokens; words are near enough for accounts in tests to be non-zero.
    prompt = usage.prompt_tokens or sum(len(message.content.split()) for message in request.messages)
    reply = usage.completion_tokens or len(completion.text.split())
    calls = [call.to_json() for call in completion.tool_calls]
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "system_fingerprint": completion.fingerprint or "loopback",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls" if calls else _FINISH[completion.finish],
                "logprobs": None,
                "message": {
                    "role": "assistant",
                    "content": None if refused else completion.text,
                    "refusal": completion.text if refused else None,
                    **json.loads(completion.returned or "{}"),
                    **({"tool_calls": calls} if calls else {}),
                },
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": reply,
            "total_tokens": prompt + reply,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        },
    }


# ── on the wire ──────────────────────────────────────────────────────────────────────────────────


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    chat: ChatServer

    def get_request(self) -> tuple[Any, Any]:
        """Counts the connections."""
        self.chat.connections += 1
        return super().get_request()

    # Many connections are opened in one moment; those beyond the backlog would wait a second for the next attempt.
    request_queue_size = 1024

    def handle_error(self, request: object, client_address: object) -> None:
        """Passes over clients that went away, having waited long enough; the console belongs to whoever tests."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave in one piece and at once: in two, the second waits for the client's delayed
        # acknowledgement of the first, 40 ms a call.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", "0")))
            status, answer = 200, b""
            try:
                body = _read(self.path, self.headers.get("content-type", ""), data)
            except ValueError as error:
                body, status, answer = {}, 400, Refusal(400, f"no JSON: {error}").body
            call = Call(self.path, dict(self.headers.items()), body, self.command)
            trouble = server.receive(call)
            if status == 200 and (trouble is None or trouble.handled):
                try:
                    answer = server.handle(call)
                except Refusal as refusal:
                    status, answer = refusal.status, refusal.body
            if trouble is None:
                self._send(status, answer)
            else:
                self._fail(trouble, answer if trouble.handled and trouble.cut else trouble.body.encode("utf-8"))

        def _fail(self, trouble: Trouble, body: bytes) -> None:
            time.sleep(trouble.delay)
            self.close_connection = self.close_connection or trouble.drop or trouble.cut
            if not trouble.drop:
                self._send(trouble.status, body, trouble.headers, len(body) // 2 if trouble.cut else None)

        def _send(
            self, status: int, body: bytes, headers: tuple[tuple[str, str], ...] = (), only: int | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[:only])

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the console belongs to whoever tests."""

    return Handler


def _read(path: str, kind: str, data: bytes) -> Mapping[str, Any]:
    """The fields of a call; raises ValueError for a body that is neither JSON nor an upload."""
    if not data:
        return dict(parse_qsl(urlsplit(path).query))
    if kind.startswith("multipart/form-data"):
        return uploaded(kind, data)
    found = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError("an object was expected")
    return found
