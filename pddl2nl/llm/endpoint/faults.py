"""The meaning of an endpoint's failure: whether it may pass, which requests it concerns, and its message.

Calls that end in 408, 409, 429 or 5xx, a dropped connection or a time-out are repeated. All others are not; of these
400, 401, 402, 403, 404, 405, 410 and 422 stop everything (`EndpointRefusedError`), and so do a 429 for a used-up quota
and a redirect to another origin. A prompt that is too long (`ContextWindowError`) and one that a filter stopped (a
reply of its own kind) concern one request only. Servers report these in different ways; those of OpenAI, Azure,
OpenRouter, vLLM, llama.cpp, Ollama, text-generation-inference and Mistral are known here.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pddl2nl.limits import LIMITS
from pddl2nl.llm.types import ContextWindowError, EndpointError, EndpointRefusedError

_FIRST_WAIT = 0.5
_LONGEST_BACKOFF = 8.0
_LONGEST_CROWDED = 15.0
"""Rate limits are counted by the minute, and some servers do not say how long to wait."""
_LONGEST_MESSAGE = 500

_PASSING = (408, 409, 429)
_REFUSED = (400, 401, 402, 403, 404, 405, 410, 422)
_ADVICE = {
    400: "the endpoint refused the request as malformed",
    401: "the endpoint refused the key; {key_variable} must hold a valid one",
    402: "the account has no credit left",
    403: "the key may not use this model or endpoint",
    404: "the endpoint knows no such model or address; see --model and --base-url",
    405: "the endpoint takes no such calls; see --base-url",
    413: "the endpoint takes no request of this size",
    422: "the endpoint refused the request as malformed",
    429: "the endpoint's rate or spending limit is reached",
}
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits")
_FILTER = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
# Messages of servers about prompts that do not fit. None is about the reply alone ("max_tokens is too large"): such a
# setting would fail every request.
_NAMED = (
    (400, (*_FILTER, "context_length_exceeded", "exceed_context_size_error", "invalid_request_error")),
    (401, ("invalid_api_key", "authentication_error")),
    (404, ("model_not_found",)),
    (429, (*_QUOTA, "rate_limit_exceeded", "rate_limit_error", "rate_limit")),
    (503, ("server_error", "api_error", "internal_server_error", "overloaded_error", "overloaded", "timeout")),
)
"""The names of errors that may come with status 200, by the status that they otherwise come with."""
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|maximum model length|max_model_len"
    r"|(exceeds?|exceeded|exceeding|longer than|larger than|greater than)\b.{0,60}\bcontext (length|size|window|limit)"
    r"|context (length|size|window|limit) (is |was )?exceeded|context length of only|context shift is disabled"
    r"|(prompt|inputs?)( \([^)]*\))?( is| are)? too long|too large for model with \d+ maximum context"
    r"|input token count.{0,40}exceeds|`inputs` (tokens|must have less than)",
    re.IGNORECASE | re.DOTALL,
)
_TEMPLATE = re.compile(r"jinja|chat template|roles must alternate|system role|system message", re.IGNORECASE)
"""Messages of servers whose chat template refuses the conversation; it would refuse it again."""
_NO_SYSTEM = re.compile(
    r"system (role|message|prompt|instruction)s?\b.{0,40}\b(not|n't|unsupported)\b|(not|n't) support.{0,40}\bsystem\b"
    r"|developer instruction is not enabled|roles must alternate|only user,? (and )?(assistant|model)\b.{0,20}\broles",
    re.IGNORECASE | re.DOTALL,
)
"""Messages about a model without a system role: of Gemma's and Mistral's templates, OpenAI's o1, Google's endpoint."""
_NOT_TAKEN = re.compile(
    r"unsupported|(not|n't) (be )?(support|permit|allow|enabled|available|implemented)|un(known|recogni[sz]ed|expected)"
    r"|extra (inputs|fields)|extra_forbidden|\brequires\b|deprecated",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"\b(tool[_ ]choice|tools?|function calling|response_format|temperature|max_tokens|max_completion_tokens)\b"
    r"|[\"'`](seed|stop|stream_options)[\"'`]",
    re.IGNORECASE,
)
_AS_FIELD = {"tool": "tools", "tool choice": "tools", "tool_choice": "tools", "function calling": "tools"}
_LEFT_OUT = "{} = false in a models file leaves it out"
_LENGTH = "max_tokens_name in a models file is the name under which the limit on replies is sent"
_REMEDY = {
    "system": "--no-system puts the system prompt at the beginning of the first user message",
    "tools": "start vLLM with --enable-auto-tool-choice and --tool-call-parser, llama.cpp's server with --jinja, or "
    "choose a policy that writes its actions, such as react",
    "response_format": "--constrain off asks for nothing, and constrain in a models file names another way",
    "temperature": f"--temperature sets another one, and {_LEFT_OUT.format('takes_temperature')}: the model then "
    "samples at its own",
    "max_tokens": _LENGTH,
    "max_completion_tokens": _LENGTH,
    "seed": _LEFT_OUT.format("takes_seed"),
    "stop": _LEFT_OUT.format("takes_stop"),
    "stream_options": "leave out --stream",
}
"""What helps, by the part of a request that an endpoint refuses."""
_BROKEN_OFF = ("error", "abort", "insufficient_system_resource")
_UNREACHED = ("ConnectError", "ConnectTimeout")
_NEVER_SENT = ("LocalProtocolError", "UnsupportedProtocol", "InvalidURL", "TooManyRedirects")


class FilteredError(EndpointError):
    """A filter stopped the prompt, which a policy sees as a reply that was filtered."""


@dataclass(eq=False)
class EndpointFault(Exception):
    """A failure of one attempt, whose ``reason`` may still hold secrets; code below the openai client raises it.

    Attributes:
        kind: the exception that it becomes.
        passing: it may be gone at the next attempt.
        wait: how long the server asks to wait, in seconds.
        crowded: the rate limit is reached, so all threads must wait.
        unreached: there was no connection at all: the server may not be running.
        refused: as in `EndpointRefusedError`.
    """

    reason: str
    kind: type[EndpointError] = EndpointError
    passing: bool = False
    wait: float | None = None
    crowded: bool = False
    unreached: bool = False
    refused: str = ""

    def error(self, clean: Callable[[str], str], prefix: str, tries: str = "") -> EndpointError:
        """The exception for it; its message is cleaned and then shortened, so that no part of a key is left."""
        message = clean(f"{prefix}: {self.reason}")
        if len(message) > _LONGEST_MESSAGE:
            message = message[:_LONGEST_MESSAGE] + " …"
        error = self.kind(message + tries)
        if isinstance(error, EndpointRefusedError):
            error.refused = self.refused
        return error


def fault_of(error: Exception, timeout: float, key_variable: str) -> EndpointFault:
    """The meaning of an exception that an attempt ended in."""
    import openai

    # Some versions of the client wrap the transport's exceptions.
    raised = error.__cause__ or error
    if isinstance(raised, EndpointFault):
        return raised
    cause = type(error.__cause__).__name__ if error.__cause__ else "dropped"
    if isinstance(error, openai.APITimeoutError) and cause not in _UNREACHED:
        return EndpointFault(f"no answer within {timeout:g} s", passing=True)
    if isinstance(error, openai.APIConnectionError):
        reason = f"no connection ({cause})"
        if cause in _NEVER_SENT:
            return EndpointFault(reason, EndpointRefusedError)
        return EndpointFault(reason, passing=True, unreached=cause in _UNREACHED)
    if isinstance(error, openai.APIStatusError):
        return status_fault(error.status_code, error.body, error.response.headers, key_variable)
    if isinstance(error, openai.OpenAIError):
        return EndpointFault(str(error))
    return EndpointFault(f"answered with something that cannot be read: {error}")


def status_fault(status: int, body: object, headers: Mapping[str, str], key_variable: str) -> EndpointFault:
    """The meaning of an HTTP status with its body, which is the error itself or holds it under ``error``."""
    error = body.get("error", body) if isinstance(body, dict) else body
    codes = _codes(error)
    message = _message(error)
    advice = _ADVICE.get(status, "the endpoint failed").format(key_variable=key_variable)
    reason = f"HTTP {status}, {advice}: {message}" if message else f"HTTP {status}, {advice}"
    if status in (400, 403) and _is_filtered(error, codes, message):
        return EndpointFault(reason, FilteredError)
    if status in (400, 413, 422, 500) and _TOO_LONG.search(f"{' '.join(codes)} {message}"):
        return EndpointFault(
            f"the prompt is longer than the model takes (HTTP {status}): {message}", ContextWindowError
        )
    if status == 429 and any(code in _QUOTA for code in codes):
        return EndpointFault(f"HTTP 429, the quota or credit of this key is used up: {message}", EndpointRefusedError)
    if status in (400, 422, 500) and (refused := _refused(error, message, status)):
        what = "a system role" if refused == "system" else f"'{refused}'"
        advice = f"the endpoint does not take {what}; {_REMEDY[refused]}"
        return EndpointFault(f"HTTP {status}, {advice}: {message}", EndpointRefusedError, refused=refused)
    if status == 500 and _TEMPLATE.search(message):
        advice = "the model's chat template refuses the conversation; --no-system may help"
        return EndpointFault(f"HTTP 500, {advice}: {message}", EndpointRefusedError)
    if status in _PASSING or status >= 500:
        wait = _retry_after(headers)
        if wait is not None and wait > LIMITS.retry_after_seconds:
            most = f"at most {LIMITS.retry_after_seconds:.0f} s are"
            asks = f"the endpoint asks to wait {wait:.0f} s (Retry-After), and {most}"
            return EndpointFault(f"{reason}; {asks} waited; start again later", EndpointRefusedError)
        return EndpointFault(reason, passing=True, wait=wait, crowded=status == 429)
    return EndpointFault(reason, EndpointRefusedError if status in _REFUSED else EndpointError)


def _refused(error: object, message: str, status: int) -> str:
    """What of the request a message names as not taken, a key of `_REMEDY`; empty if it names nothing."""
    if _NO_SYSTEM.search(message):
        return "system"
    if status == 500 or not _NOT_TAKEN.search(f"{' '.join(_codes(error))} {message}"):
        return ""
    named = error.get("param") if isinstance(error, dict) else None
    if not (isinstance(named, str) and named in _REMEDY):
        found = _FIELD.search(message)
        named = (found[1] or found[2]).lower() if found else ""
    return _AS_FIELD.get(named, named)


def fault_in_reply(data: object, key_variable: str) -> EndpointFault | None:
    """The failure that a reply with status 200 reports, as OpenRouter does if a provider fails; else None."""
    if not isinstance(data, dict):
        return None
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        # vLLM's older errors are not in an object of their own.
        error = data if data.get("object") == "error" else data.get("error")
        status = _status_said(error)
        # An error without any status is a malformed reply, which is not asked for again.
        return None if status is None else status_fault(status, error, {}, key_variable)
    error, reason = choice.get("error"), choice.get("finish_reason")
    if isinstance(error, dict):
        return status_fault(_status_said(error) or 500, error, {}, key_variable)
    return (
        EndpointFault(f"the reply broke off (finish_reason {reason})", passing=True) if reason in _BROKEN_OFF else None
    )


def _status_said(error: object) -> int | None:
    if not isinstance(error, dict):
        return None
    code = error.get("code")
    number = int(code) if isinstance(code, str) and re.fullmatch("[45][0-9][0-9]", code) else code
    if isinstance(number, int) and 400 <= number < 600:
        return number
    names = _codes(error)
    return next((status for status, known in _NAMED if any(name in known for name in names)), None)


def backoff(attempt: int, wait: float | None, dice: random.Random, *, crowded: bool = False) -> float:
    """Seconds to wait after an attempt (from 0): exponential with full jitter, or as long as the server asks.

    A random part, at most as much again, is added to the server's time, so that calls refused together do not come back
    together.
    """
    longest = _LONGEST_CROWDED if crowded else _LONGEST_BACKOFF
    exponential = dice.uniform(0.0, min(longest, _FIRST_WAIT * 2.0 ** min(attempt, 20)))
    return exponential if not wait else wait + min(wait, exponential)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The time in Retry-After-Ms or Retry-After (seconds or an HTTP date, RFC 9110), in seconds."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if not math.isnan(seconds):
            return max(0.0, seconds)
    # A slow import that is hardly ever needed.
    import email.utils

    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def shown(data: object) -> str:
    """An endpoint's JSON as text; the whole of it, so that a key in it is found when it is struck out."""
    try:
        return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "JSON that is nested too deeply"


def _codes(error: object) -> list[str]:
    if not isinstance(error, dict):
        return []
    inner = error.get("innererror")
    parts = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    return [part.lower() for part in parts if isinstance(part, str)]


def _message(error: Any) -> str:
    if isinstance(error, dict):
        message = error.get("message") or error.get("detail")
        if not isinstance(message, str):
            return shown(error)
        # OpenRouter's message is "Provider returned error"; the provider's own message is here.
        metadata = error.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, dict) else None
        return f"{message}: {raw}" if isinstance(raw, str) and raw else message
    return "" if error is None else shown(error).strip()


def _is_filtered(error: object, codes: list[str], message: str) -> bool:
    """Whether moderation stopped the prompt, as OpenAI, OpenRouter or OpenAI's newer models report it."""
    metadata = error.get("metadata") if isinstance(error, dict) else None
    if isinstance(metadata, dict) and ("flagged_input" in metadata or "reasons" in metadata):
        return True
    # OpenRouter quotes the provider's JSON in a text.
    if any(code in _FILTER for code in codes) or any(f'"{code}"' in message.lower() for code in _FILTER):
        return True
    return "invalid_prompt" in codes and "flagged" in message.lower()
