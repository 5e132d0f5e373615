"""Replies as JSON: reading what endpoints answer, and the form in which the cache and records keep a reply.

Servers send anything, so nothing is taken for granted.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Annotated, Any

import msgspec

from pddl2nl.conversion import plain_convert
from pddl2nl.errors import InputError
from pddl2nl.files import unreadable
from pddl2nl.llm.types import Completion, Finish, Tariff, ToolCall, Usage

_MOST_TOKENS = 2**53
"""Larger counts are nonsense, and JSON readers disagree about them."""


def parse_json(text: str | bytes) -> Any:
    """JSON whose longest integers are read as infinite; raises `ValueError`."""
    try:
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 400 else math.inf)
    except RecursionError as error:
        raise ValueError(unreadable(error)) from None


# ── what endpoints answer ────────────────────────────────────────────────────────────────────────


def is_broken_off(text: str, error: ValueError) -> bool:
    """Whether a text that is not JSON, for the given reason, is empty or the beginning of an object."""
    if not isinstance(error, json.JSONDecodeError) or error.msg == "Extra data":
        return not text.strip()
    return not text.strip() or text.lstrip().startswith("{")


def read_completion(
    data: Mapping[str, Any], name: str, strike: Callable[[str], str], seconds: float, tariff: Tariff
) -> Completion | None:
    """The reply in a ``chat.completion`` object, None if it holds none; ``strike`` removes secrets from its texts."""
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return None
    reason = choice.get("finish_reason")
    # Some servers leave the message out if a filter or the limit has left nothing of it.
    message = choice.get("message", {} if reason in ("content_filter", "length") else None)
    if not isinstance(message, dict) or (text := _content(message.get("content"))) is None:
        return None
    thought, text = split_reasoning(text)
    reasoning = "\n".join(filter(None, (_sent_reasoning(message), thought)))
    calls = _tool_calls(message, lambda said: strike(_whole(said)))
    returned = {name: message[name] for name in _RETURNED if message.get(name)} if calls else {}
    refusal = message.get("refusal")
    finish: Finish = "text"
    if isinstance(refusal, str) and refusal:
        text, finish = refusal, "refused"
    elif reason == "content_filter":
        finish = "filtered"
    elif reason == "length":
        finish = "length"
    elif not text.strip() and not calls:
        finish = "empty"
    names = (str(data.get("model") or name), str(data.get("system_fingerprint") or ""))
    text, reasoning, model, fingerprint = (strike(_whole(each)) for each in (text, reasoning, *names))
    remark = "the reply holds only reasoning" if reasoning and not text.strip() and not calls else ""
    return Completion(
        text,
        finish,
        read_usage(data.get("usage")),
        model,
        fingerprint,
        seconds,
        tariff=tariff,
        reasoning=reasoning,
        remark=remark,
        tool_calls=calls,
        returned=strike(_written(returned)) if returned else "",
    )


_RETURNED = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where endpoints put the thoughts that they want back with the calls that followed them: DeepSeek, Kimi, vLLM and
llama.cpp; OpenRouter; Anthropic's signed blocks, by litellm."""


def _whole(text: str) -> str:
    """A text without halves of surrogate pairs, which JSON can hold and no file can."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _written(value: object) -> str:
    """A value as JSON; it came as JSON, though with numbers and nesting that only Python reads."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _tool_calls(message: Mapping[str, Any], clean: Callable[[str], str]) -> tuple[ToolCall, ...]:
    """The calls in a message. One of another form has no name and, as its arguments, what the endpoint sent."""
    sent = message.get("tool_calls")
    calls = list(sent) if isinstance(sent, list) else [sent] if sent else []
    if not calls and message.get("function_call"):
        calls = [{"function": message["function_call"]}]
    return tuple(_tool_call(call, clean) for call in calls)


def _tool_call(call: object, clean: Callable[[str], str]) -> ToolCall:
    function = call.get("function") if isinstance(call, dict) else None
    if not (isinstance(call, dict) and isinstance(function, dict) and isinstance(function.get("name"), str)):
        return ToolCall("", "", clean(_written(call)))
    arguments = function.get("arguments")
    extra = {name: value for name, value in call.items() if name not in ("id", "type", "index", "function") and value}
    return ToolCall(
        clean(str(call.get("id") or "")),
        clean(function["name"]),
        clean(arguments if isinstance(arguments, str) else "" if arguments is None else _written(arguments)),
        clean(_written(extra)) if extra else "",
    )


_THINK = re.compile(
    r"\s*(?:<think(?:ing)?>)(.*?)(?:</think(?:ing)?>|\Z)|((?:(?!<think).)*?)</think(?:ing)?>", re.DOTALL
)
"""Thoughts in tags at the beginning, perhaps cut off; chat templates often swallow the opening tag."""
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>(.*?)(?=<\|(?:start|end|return|call|channel)\|>|\Z)", re.DOTALL
)
"""A message of OpenAI's harmony format."""


def split_reasoning(text: str) -> tuple[str, str]:
    """What a model thought, by ``<think>`` tags or harmony's channels, and its answer."""
    if channels := _CHANNEL.findall(text):
        thoughts, answers = (
            "\n".join(said.strip() for channel, said in channels if (channel == "final") == final)
            for final in (False, True)
        )
        return thoughts, answers
    if match := _THINK.match(text):
        return (match[1] or match[2] or "").strip(), text[match.end() :].lstrip()
    return "", text


def _sent_reasoning(message: Mapping[str, Any]) -> str:
    """The thoughts that a message holds apart: vLLM's, llama.cpp's and DeepSeek's ``reasoning_content``, OpenRouter's
    ``reasoning``."""
    texts = (message.get(key) for key in ("reasoning_content", "reasoning"))
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _content(content: object) -> str | None:
    """The text of a message: its content, or those of its parts that are text (others are thoughts); else None."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part for part in content]
    return "".join(part for part in parts if isinstance(part, str))


def read_usage(usage: object) -> Usage:
    """The tokens that an endpoint counted; a missing or meaningless count is zero."""

    def count(account: object, name: str) -> int:
        number = account.get(name) if isinstance(account, dict) else None
        if not isinstance(number, int | float) or isinstance(number, bool) or not 0 < number < _MOST_TOKENS:
            return 0
        return int(number)

    details = usage if isinstance(usage, dict) else {}
    prompt = count(usage, "prompt_tokens")
    # DeepSeek has its own name for what it had cached.
    cached = count(details.get("prompt_tokens_details"), "cached_tokens") or count(usage, "prompt_cache_hit_tokens")
    reasoning = count(details.get("completion_tokens_details"), "reasoning_tokens")
    return Usage(prompt, count(usage, "completion_tokens"), min(cached, prompt), reasoning)


_Finite = Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
_Vector = Annotated[list[_Finite], msgspec.Meta(min_length=1)]


class _Embedding(msgspec.Struct):
    embedding: _Vector
    index: int | None = None


class _Embeddings(msgspec.Struct):
    data: list[_Embedding]


def read_vectors(data: object, number: int) -> list[list[float]] | None:
    """The vectors of an ``embedding`` list in the order of the texts; None unless there is one of equal length each."""
    try:
        items = plain_convert(data, _Embeddings).data
    except (msgspec.ValidationError, OverflowError):
        return None
    vectors = {place if item.index is None else item.index: item.embedding for place, item in enumerate(items)}
    if len(items) != number or set(vectors) != set(range(number)) or len(set(map(len, vectors.values()))) > 1:
        return None
    return [vectors[place] for place in range(number)]


class _RatedToken(msgspec.Struct):
    logprob: _Finite
    token: str = ""
    decoded_token: str | None = None
    encoded: list[Annotated[int, msgspec.Meta(ge=0, le=255)]] | None = msgspec.field(name="bytes", default=None)

    @property
    def text(self) -> bytes:
        return bytes(self.encoded) if self.encoded else (self.decoded_token or self.token).encode("utf-8", "replace")


def read_logprob(data: Mapping[str, Any], text: str) -> float | None:
    """The sum of the logarithms that an answer gives for the tokens of ``text``, the end of a reply; None without any.

    They are those of the reply (``logprobs``), or of the end of the prompt (vLLM's ``prompt_logprobs``).
    """
    try:
        if prompt := data.get("prompt_logprobs"):
            # Of each token of the prompt, the first entry is the token itself; the first token has none.
            entries = [next(iter(entry.values())) for entry in prompt if entry]
        else:
            entries = data["choices"][0]["logprobs"]["content"]
        tokens = plain_convert(entries, list[_RatedToken])
    except (KeyError, IndexError, TypeError, AttributeError, StopIteration, msgspec.ValidationError):
        return None
    whole = rest = text.encode("utf-8")
    total = 0.0
    for token in reversed(tokens):
        said = token.text
        if said and (rest.endswith(said) or said.endswith(rest)):
            # The first token may begin before the text: with a blank, say.
            rest = rest[: max(0, len(rest) - len(said))]
            total += token.logprob
            if not rest:
                return total
        elif rest is not whole:
            return None
        # Behind the text there may be the token that ends a reply.
    return None


# ── what is stored ───────────────────────────────────────────────────────────────────────────────


Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]  # SQLite's integers have 64 bits.
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e15)]


class StoredCompletion(msgspec.Struct, frozen=True):
    """A reply as the cache and records store it."""

    text: str
    finish: Finish
    model: str
    fingerprint: str
    prompt_tokens: Count
    completion_tokens: Count
    cached_tokens: Count
    reasoning_tokens: Count
    seconds: Amount
    tariff: Tariff = "standard"
    reasoning: str = ""
    remark: str = ""
    logprob: Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)] | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    returned: str = ""

    def completion(self) -> Completion:
        """The reply as it was when it was paid for."""
        usage = Usage(self.prompt_tokens, self.completion_tokens, self.cached_tokens, self.reasoning_tokens)
        names = ("text", "finish", "model", "fingerprint", "seconds", "tariff", *_OPTIONAL)
        return Completion(**{name: getattr(self, name) for name in names}, usage=usage)


_OPTIONAL: Mapping[str, Any] = {"reasoning": "", "remark": "", "logprob": None, "tool_calls": (), "returned": ""}
"""What most replies do not have, and where it is stored only if it is there."""


KEPT: tuple[Finish, ...] = ("text", "length")
"""How a reply that the cache keeps has finished. One that was cut off would be cut off again, at temperature 0 at the
same place."""


def completion_to_json(completion: Completion) -> dict[str, Any]:
    """A reply as the cache stores it; `completion_from_json` is the inverse."""
    data = {**msgspec.to_builtins(completion), **asdict(completion.usage)}
    return {
        name: value
        for name, value in data.items()
        if name not in ("usage", "from_cache", "retries") and not (name in _OPTIONAL and value == _OPTIONAL[name])
    }


def completion_from_json(data: Mapping[str, Any]) -> Completion:
    """A stored reply as it was when it was paid for; raises `InputError` for something else."""
    try:
        return plain_convert(data, StoredCompletion).completion()
    except msgspec.ValidationError as error:
        raise InputError(f"this is no stored reply: {error}") from None
