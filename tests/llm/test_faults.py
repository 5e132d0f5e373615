"""What each failure of an endpoint comes to, against a real server: tried again, an error of its kind, or a reply."""

from __future__ import annotations

import email.utils
import json
import logging
import random
import re
import time
from typing import Any

import pytest

from pddl2nl.llm import (
    ContextWindowError,
    EndpointError,
    EndpointRefusedError,
    Message,
    OpenAIModel,
    Request,
    ScriptedModel,
)
from pddl2nl.llm.endpoint.limiter import Limiter
from tests.llm.chat_server import ChatServer, Trouble

REQUEST = Request((Message("user", "Go."),))


def hasty(server: ChatServer, waits: list[float] | None = None, **options: Any) -> OpenAIModel:
    """A model that notes how long it would wait, and does not; its limiter's clock runs as fast."""
    noted = waits if waits is not None else []
    moved = [0.0]

    def skip(seconds: float) -> None:
        moved[0] += seconds

    limiter = Limiter(clock=lambda: time.monotonic() + moved[0], sleep=skip)
    model = OpenAIModel("m", server.base_url, limiter=limiter, **options)
    model._sleep = noted.append
    model._dice = random.Random(1)
    return model


def error(**fields: Any) -> str:
    return json.dumps({"error": {"message": "said", "type": None, "code": None, **fields}})


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble(408, headers=()),
        Trouble(409, headers=()),
        Trouble(429, headers=()),
        Trouble(500, headers=()),
        Trouble(503, "<html>busy</html>", headers=()),
        Trouble(drop=True),
        Trouble(200, '{"choices": [', cut=True),
        Trouble(200, error(code=502, message="Provider returned error")),
        Trouble(200, error(code="429")),
        Trouble(200, error(type="server_error")),
        Trouble(200, error(code="rate_limit_exceeded")),
        Trouble(200, '{"object": "error", "message": "said", "type": "InternalServerError", "code": 500}'),
        Trouble(200, '{"choices": [{"error": {"message": "no code"}, "finish_reason": "error"}]}'),
        Trouble(200, '{"choices": [{"finish_reason": "error", "message": {"content": "hal"}}]}'),
        Trouble(200, '{"choices": [{"error": {"code": 429, "message": "x"}, "message": {"content": ""}}]}'),
    ],
    ids=lambda trouble: f"{trouble.status}-{'drop' if trouble.drop or trouble.cut else trouble.body[:20]}",
)
def test_what_may_pass_is_tried_again_with_exponential_backoff(trouble: Trouble) -> None:
    waits: list[float] = []
    with ChatServer(ScriptedModel(["at last"]), [trouble] * 9) as server:
        assert hasty(server, waits).complete(REQUEST).text == "at last"
        assert len(server.calls) == 10
    # A rate limit may be waited for a little longer.
    longest = 15 if "429" in f"{trouble.status} {trouble.body}" or "rate" in trouble.body else 8
    assert all(0 <= wait <= min(longest, 0.5 * 2**number) for number, wait in enumerate(waits))
    assert len(waits) == 9
    assert sum(waits) > 10


REFUSED = [
    *((status, error(), EndpointRefusedError) for status in (400, 401, 402, 403, 404, 405, 410, 422)),
    # These concern one request.
    *((status, error(), EndpointError) for status in (413, 418, 451)),
]
USED_UP = [(429, error(code="insufficient_quota")), (429, error(type="insufficient_quota"))]
TOO_LONG = [
    (400, error(code="context_length_exceeded", message="This model's maximum context length is 128000 tokens.")),
    (413, error(code="context_length_exceeded")),
    (
        400,
        json.dumps(
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
                "type": "BadRequestError",
                "code": 400,
            }
        ),
    ),
    (400, error(message="The decoder prompt (length 5000) is longer than the maximum model length of 4096.")),
    (
        400,
        error(
            message="'max_tokens' or 'max_completion_tokens' is too large: 750. This model's maximum context length "
            "is 4096 tokens and your request has 4000 input tokens"
        ),
    ),
    (
        400,
        error(
            code=400, type="exceed_context_size_error", message="request (5 tokens) exceeds the available context size"
        ),
    ),
    (500, error(message="the request exceeds the available context size. try increasing the context size")),
    (400, error(message="the input length exceeds the context length")),
    (400, error(message="prompt too long; exceeded max context length by 4 tokens")),
    (400, error(message="prompt is too long: 210000 tokens > 200000 maximum")),
    (422, json.dumps({"error": "`inputs` tokens + `max_new_tokens` must be <= 4096", "error_type": "validation"})),
    (400, error(message="Prompt contains 40000 tokens, too large for model with 32768 maximum context length")),
    (400, error(message="The input token count (1200000) exceeds the maximum number of tokens allowed")),
    (200, error(code=400, message="This endpoint's maximum context length is 8192 tokens.")),
    (200, error(code="context_length_exceeded")),
    (400, error(message="Provider returned error", code=400, metadata={"raw": '{"code":"context_length_exceeded"}'})),
    (400, json.dumps({"error": "the model is loaded with context length of only 4096 tokens, which is not enough"})),
    (400, error(message="The number of tokens to keep from the initial prompt is greater than the context length")),
    (500, error(code=500, message="context shift is disabled", type="server_error")),
]


@pytest.mark.parametrize(
    ("status", "body", "kind", "why"),
    [
        *((status, body, kind, rf"HTTP {status}, .*: said$") for status, body, kind in REFUSED),
        *((*used, EndpointRefusedError, "quota or credit of this key is used up") for used in USED_UP),
        *((*long, ContextWindowError, "the prompt is longer than the model takes") for long in TOO_LONG),
    ],
)
def test_what_is_refused_is_not_asked_again(status: int, body: str, kind: type[Exception], why: str) -> None:
    with ChatServer(ScriptedModel([]), lambda number: Trouble(status, body)) as server:
        with pytest.raises(EndpointError, match=why) as caught:
            hasty(server).complete(REQUEST)
        assert len(server.calls) == 1
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error(code="content_filter")),
        (400, error(code=None, innererror={"code": "ResponsibleAIPolicyViolation"})),
        (403, error(code=403, metadata={"reasons": ["violence"], "flagged_input": "cut the pack"})),
        (400, error(code="invalid_prompt", message="Your prompt was flagged as violating our usage policy.")),
        (400, error(code=400, message="Provider returned error", metadata={"raw": '{"code":"content_filter"}'})),
        (200, error(code="content_filter")),
    ],
)
def test_a_filtered_prompt_is_a_reply_of_its_own_kind(status: int, body: str) -> None:
    with ChatServer(ScriptedModel([]), lambda number: Trouble(status, body)) as server:
        completion = hasty(server).complete(REQUEST)
        assert (completion.text, completion.finish, completion.model) == ("", "filtered", "m")
        assert len(server.calls) == 1
        line = hasty(server).read_failure(max(status, 400), json.loads(body), 2.0, "batch")
    assert (line.finish, line.tariff, line.seconds) == ("filtered", "batch", 2.0)


def date(seconds: float) -> str:
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ((("retry-after", "30"),), 30, 31),
        ((("retry-after", "0.25"),), 0.25, 0.5),
        ((("retry-after-ms", "1500"),), 1.5, 2.1),
        ((("retry-after-ms", "1500"), ("retry-after", "9")), 1.5, 2.1),
        ((("retry-after", "600"),), 600, 601),
        ((("retry-after", "DATE+100"),), 90, 101),
        ((("retry-after", "DATE-100"),), 0, 0.5),
        ((("retry-after", "0"),), 0, 0.5),
        ((("retry-after", "soon"),), 0, 0.5),
        ((("retry-after", "nan"),), 0, 0.5),
        ((("retry-after", "-5"),), 0, 0.5),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_obeyed(status: int, headers: tuple[tuple[str, str], ...], least: float, most: float) -> None:
    waits: list[float] = []
    sent = tuple((name, date(float(value[4:])) if value.startswith("DATE") else value) for name, value in headers)
    with ChatServer(ScriptedModel(["a"]), [Trouble(status, headers=sent)]) as server:
        hasty(server, waits).complete(REQUEST)
    assert len(waits) == 1
    assert least <= waits[0] <= most


# Named: the time of collection is not the same in two processes, and what pytest-xdist collects there must be.
@pytest.mark.parametrize("value", ["601", "86400", "inf", pytest.param(date(7200), id="date")])
def test_a_wait_of_hours_is_an_error_that_names_it(value: str) -> None:
    headers = (("retry-after", value),)
    with ChatServer(ScriptedModel([]), lambda number: Trouble(429, headers=headers)) as server:
        with pytest.raises(EndpointRefusedError, match=r"asks to wait (\d+|inf) s \(Retry-After\)"):
            hasty(server).complete(REQUEST)
        assert len(server.calls) == 1


@pytest.mark.parametrize(("status", "held"), [(429, [20.0]), (503, [])])
def test_the_pause_of_a_rate_limit_holds_for_all_that_share_the_limiter(status: int, held: list[float]) -> None:
    moved = [1000.0]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        moved[0] += seconds

    limiter = Limiter(clock=lambda: moved[0], sleep=sleep)
    trouble = Trouble(status, headers=(("retry-after", "20"),))
    with ChatServer(ScriptedModel(["for the other", "for the one"]), [trouble]) as server:
        one, other = (OpenAIModel("m", server.base_url, limiter=limiter) for _ in range(2))
        meanwhile: list[str] = []
        one._sleep = lambda seconds: meanwhile.append(other.complete(REQUEST).text)
        assert one.complete(REQUEST).text == "for the one"
    assert meanwhile == ["for the other"]
    assert slept[:1] == held


def test_a_long_wait_is_told(caplog: pytest.LogCaptureFixture) -> None:
    troubles = [Trouble(429, headers=(("retry-after", "45"),)), Trouble(500)]
    with ChatServer(ScriptedModel(["a"]), troubles) as server:
        hasty(server).complete(REQUEST)
    told = [record for record in caplog.records if record.name == "pddl2nl.llm"]
    assert [record.levelno for record in told] == [logging.WARNING]
    assert re.search(r"HTTP 429, .*; trying again in 45\.\d s \(1 of 10\)$", told[0].getMessage())


def test_ctrl_c_ends_a_wait() -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    with ChatServer(ScriptedModel([]), lambda number: Trouble(503)) as server:
        model = hasty(server)
        model._sleep = interrupt
        with pytest.raises(KeyboardInterrupt):
            model.complete(REQUEST)
