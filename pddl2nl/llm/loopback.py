"""Any model behind a chat-completions endpoint on this machine, with faults on purpose.

For tests of everything between a policy and the wire, with the openai client itself and no network; and for
other tools, which can so talk to the oracle or to a script::

    with ChatServer(ScriptedModel(["Action: stack a on b"])) as server:
        OpenAIModel("any-name", server.base_url).complete(request)
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from pddl2nl.errors import InfrastructureError
from pddl2nl.llm.types import Completion, Message, Model, Request

__all__ = ["Call", "ChatServer", "Trouble"]

_FINISH = {"text": "stop", "empty": "stop", "refused": "stop", "length": "length", "filtered": "content_filter"}


@dataclass(frozen=True)
class Trouble:
    """A fault instead of an answer: a status with a body, or a connection dropped without a word.

    ``delay`` is waited first, in seconds. With status 200 the body is sent as it is, so it can be no JSON.
    """

    status: int = 500
    body: str = '{"error": {"message": "made to fail", "type": "server_error", "code": null}}'
    headers: tuple[tuple[str, str], ...] = (("retry-after-ms", "5"),)
    drop: bool = False
    delay: float = 0.0


@dataclass(frozen=True)
class Call:
    """A request that reached the server."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ChatServer:
    """Serves a model at `base_url` from entering the context until leaving it.

    Args:
        model: what answers.
        troubles: faults for the first calls, in order, None for an answer; or a function of the call's number
            (from 0). After the last of a list every call is answered.
    """

    def __init__(self, model: Model, troubles: Iterable[Trouble | None] | Callable[[int], Trouble | None] = ()):
        self.model = model
        self.calls: list[Call] = []
        self._trouble = troubles if callable(troubles) else _listed(list(troubles))
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
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
        return self._trouble(number)

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The chat completion, as JSON, of a request's body."""
        limit = body.get("max_completion_tokens", body.get("max_tokens"))
        request = Request(
            tuple(Message(message["role"], message["content"]) for message in body["messages"]),
            temperature=body.get("temperature"),
            seed=body.get("seed"),
            max_tokens=limit,
            stop=tuple(body.get("stop") or ()),
        )
        return _completion_json(str(body.get("model")), request, self.model.complete(request))


def _listed(troubles: list[Trouble | None]) -> Callable[[int], Trouble | None]:
    return lambda number: troubles[number] if number < len(troubles) else None


def _completion_json(model: str, request: Request, completion: Completion) -> dict[str, Any]:
    refused = completion.finish == "refused"
    usage = completion.usage
    # Models without an endpoint count no tokens; words are near enough for accounts in tests to be non-zero.
    prompt = usage.prompt_tokens or sum(len(message.content.split()) for message in request.messages)
    reply = usage.completion_tokens or len(completion.text.split())
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "system_fingerprint": completion.fingerprint or "loopback",
        "choices": [
            {
                "index": 0,
                "finish_reason": _FINISH[completion.finish],
                "logprobs": None,
                "message": {
                    "role": "assistant",
                    "content": None if refused else completion.text,
                    "refusal": completion.text if refused else None,
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


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            body = json.loads(self.rfile.read(length) or b"{}")
            trouble = server.receive(Call(self.path, dict(self.headers.items()), body))
            if trouble is not None:
                time.sleep(trouble.delay)
                if trouble.drop:
                    self.close_connection = True
                    return
                self._send(trouble.status, trouble.body, trouble.headers)
            elif not self.path.endswith("/chat/completions"):
                self._send(404, json.dumps({"error": {"message": f"no such path: {self.path}", "code": None}}))
            else:
                try:
                    self._send(200, json.dumps(server.answer(body)))
                except InfrastructureError as error:
                    self._send(400, json.dumps({"error": {"message": str(error), "code": None}}))

        def _send(self, status: int, body: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
            data = body.encode("utf-8")
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the console belongs to whoever tests."""

    return Handler
